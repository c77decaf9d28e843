//! Tests of the SQLite store that need more than the trait `Store`: how writes are
//! grouped, and faults that need a connection of the store.

mod batches;
mod faults;
mod idle_transaction;
mod key_cache;
mod once;
mod ordering;
mod plans;

use super::*;
use petstore_test_support::fixtures;
use std::sync::mpsc;
use tempfile::TempDir;
use tokio::task::{JoinHandle, yield_now};

/// A store in its own file.
struct Fixture {
    store: Arc<SqliteStore>,
    folder: TempDir,
}

fn in_a_file() -> Fixture {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("pets.db");
    let store =
        SqliteStore::in_file(&path, Arc::new(|_| {}), MayChange::Anything).expect("a new store");
    Fixture {
        store: Arc::new(store),
        folder,
    }
}

impl Fixture {
    /// Blocks the writer inside a write until the gate is opened.
    async fn gate(&self) -> Gate {
        let (open, opened) = mpsc::channel::<()>();
        let (reached, mut is_reached) = tokio::sync::mpsc::unbounded_channel();
        let store = Arc::clone(&self.store);
        let write = tokio::spawn(async move {
            let waiting = store.writer.write(move |_| {
                let _test_is_over = reached.send(());
                let _opened = opened.recv();
                Ok(())
            });
            waiting.await
        });
        is_reached
            .recv()
            .await
            .expect("the writer takes up the gate");
        Gate { open, write }
    }

    fn create(&self, name: impl Into<String>) -> JoinHandle<Result<Pet, StoreError>> {
        let (store, pet) = (Arc::clone(&self.store), pet(name));
        tokio::spawn(async move { store.create_pet(pet).await })
    }

    /// Like [`create`](Self::create), on behalf of a key with this id.
    fn create_for(&self, key: u64, name: &str) -> JoinHandle<Result<Pet, StoreError>> {
        let (store, pet) = (Arc::clone(&self.store), pet(name));
        let create = async move { store.create_pet(pet).await };
        tokio::spawn(on_behalf_of(Some(KeyId::from_random(key)), create))
    }

    async fn until_queued(&self, writes: usize) {
        while self.store.stats().queued < writes {
            yield_now().await;
        }
    }

    /// The names of all pets.
    async fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut after = None;
        loop {
            let rest = PetQuery {
                after,
                ..PetQuery::first(usize::MAX)
            };
            let page = self.store.list_pets(rest).await.expect("a page");
            after = page.pets.last().map(|pet| pet.id);
            names.extend(page.pets.into_iter().map(|pet| pet.name));
            if !page.more {
                return names;
            }
        }
    }

    /// Runs SQL on the write connection, inside a write.
    async fn execute(&self, sql: &str) -> Result<(), StoreError> {
        let sql = sql.to_owned();
        self.store
            .writer
            .write(move |db| db.execute_batch(&sql))
            .await
    }

    async fn pragma(&self, name: &'static str) -> i64 {
        let value = self
            .store
            .writer
            .write(move |db| db.pragma_query_one(None, name))
            .await;
        value.expect("a pragma with a number")
    }
}

struct Gate {
    open: mpsc::Sender<()>,
    write: JoinHandle<Result<(), StoreError>>,
}

impl Gate {
    async fn open(self) {
        drop(self.open);
        self.write
            .await
            .expect("no panic")
            .expect("the gate's own write");
    }
}

fn pet(name: impl Into<String>) -> NewPet {
    fixtures::new_pet(name, 1, None)
}

fn key(id: u64) -> NewKey {
    NewKey {
        id: KeyId::from_random(id),
        name: "test".to_owned(),
        hash: KeyHash::new([id as u8; 32]),
        created_at: Utc::now(),
        limits: crate::KeyLimits::default(),
    }
}

fn outcome(error: &StoreError) -> Option<crate::Outcome> {
    match error {
        StoreError::Unavailable { outcome, .. } => Some(*outcome),
        _ => None,
    }
}
