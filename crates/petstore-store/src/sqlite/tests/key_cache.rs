//! Tests that the key cache drops its keys after a commit that could have revoked one, and keeps them
//! after other writes of this process.

use super::*;
use crate::KeyLimits;
use rusqlite::Connection;

fn new_key() -> NewKey {
    NewKey {
        id: KeyId::from_random(1),
        name: "a".to_owned(),
        hash: KeyHash::new([1; 32]),
        created_at: DateTime::UNIX_EPOCH,
        limits: KeyLimits::default(),
    }
}

impl Fixture {
    async fn with_a_key() -> Self {
        let fixture = in_a_file();
        fixture.store.create_key(new_key()).await.expect("a key");
        assert!(fixture.finds().await);
        fixture
    }

    async fn finds(&self) -> bool {
        let found = self.store.find_key(&new_key().hash).await;
        found.expect("a result").is_some()
    }

    fn is_cached(&self) -> bool {
        let find = |db: &_| Ok(self.store.keys.find(db, &new_key().hash).0);
        let cached = self.store.readers.read_here(find);
        cached.expect("a connection").is_some()
    }
}

#[tokio::test]
async fn a_key_stays_in_the_cache_while_this_process_creates_pets() {
    let fixture = Fixture::with_a_key().await;
    for _ in 0..10 {
        let created = fixture.create("Rex").await.expect("no panic");
        created.expect("a pet");
        assert!(fixture.is_cached());
    }
}

#[tokio::test]
async fn a_key_that_this_process_revokes_is_removed_from_the_cache_at_the_commit() {
    let fixture = Fixture::with_a_key().await;
    let gate = fixture.gate().await;
    let revoked = tokio::spawn({
        let store = Arc::clone(&fixture.store);
        async move { store.revoke_key(new_key().id, DateTime::UNIX_EPOCH).await }
    });
    let created = fixture.create("Rex");
    fixture.until_queued(2).await;
    assert!(fixture.finds().await && fixture.is_cached());
    gate.open().await;
    revoked.await.expect("no panic").expect("revoked");
    assert!(!fixture.is_cached() && !fixture.finds().await);
    created.await.expect("no panic").expect("a pet");
    assert!(!fixture.finds().await);
}

#[tokio::test]
async fn every_commit_of_another_connection_empties_the_cache() {
    let fixture = Fixture::with_a_key().await;
    let other = Connection::open(fixture.folder.path().join("pets.db")).expect("the file");
    for number in 0..10 {
        let name = format!("k{number}");
        other
            .execute("UPDATE api_keys SET name = ?1", [name])
            .expect("changed");
        assert!(!fixture.is_cached());
        // The next write of this process does not add the key to the cache again.
        let created = fixture.create("Rex").await.expect("no panic");
        created.expect("a pet");
        assert!(!fixture.is_cached());
        assert!(fixture.finds().await && fixture.is_cached());
    }
    other
        .execute("UPDATE api_keys SET revoked_at = 0", [])
        .expect("revoked");
    assert!(!fixture.finds().await);
}

#[test]
fn a_commit_of_another_connection_after_a_batch_empties_the_cache() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("test.db");
    let open = || Connection::open(&path).expect("a database");
    let (writer, other) = (open(), open());
    for db in [&writer, &other] {
        db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE IF NOT EXISTS t (id INTEGER)")
            .expect("a table");
    }
    let write = |db: &Connection| db.execute("INSERT INTO t VALUES (1)", []).expect("a row");
    let cache = KeyCache::default();
    let key = new_key();
    let found = FoundKey {
        id: key.id,
        limits: key.limits,
    };
    for (others, is_kept) in [(0, true), (1, false)] {
        let (_, version) = cache.find(&writer, &key.hash);
        cache.add(version, key.hash, found);
        let before = cache.begin_batch(&writer);
        write(&writer);
        for _ in 0..others {
            write(&other);
        }
        cache.end_batch(before, &writer);
        assert_eq!(cache.find(&writer, &key.hash).0.is_some(), is_kept);
    }
}
