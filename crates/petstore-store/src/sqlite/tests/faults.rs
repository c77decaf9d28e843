//! Tests a database that fails while its store is in use, and the settings of
//! its connections.

use super::*;
use crate::Outcome;

#[tokio::test]
async fn every_commit_of_the_writer_is_synced() {
    let fixture = in_a_file();
    // 2 is FULL: the log is synced before a commit returns.
    assert_eq!(fixture.pragma("synchronous").await, 2);
    let mode = fixture
        .store
        .writer
        .write(|db| db.pragma_query_one::<String>(None, "journal_mode"));
    assert_eq!(mode.await.expect("a pragma"), "wal");
}

#[tokio::test]
async fn foreign_keys_are_enforced_and_readers_cannot_write() {
    let fixture = in_a_file();
    assert_eq!(fixture.pragma("foreign_keys").await, 1);
    let written = fixture
        .store
        .readers
        .read_here(|db| records::insert::<Pet>(db, &pet("Rex")));
    assert!(written.is_err());
    assert!(fixture.names().await.is_empty());
}

#[tokio::test]
async fn readers_neither_wait_for_the_writer_nor_see_half_of_a_write() {
    let fixture = in_a_file();
    fixture
        .create("Rex")
        .await
        .expect("no panic")
        .expect("a pet");
    let (open, opened) = mpsc::channel::<()>();
    let (reached, mut is_reached) = tokio::sync::mpsc::unbounded_channel();
    let store = Arc::clone(&fixture.store);
    let write = tokio::spawn(async move {
        let write = store.writer.write(move |db| {
            let pet = records::insert::<Pet>(db, &pet("Tom"));
            let _test_is_over = reached.send(());
            let _opened = opened.recv();
            pet
        });
        write.await
    });
    is_reached.recv().await.expect("the write has begun");
    assert_eq!(fixture.names().await, ["Rex"]);
    drop(open);
    write.await.expect("no panic").expect("a pet");
    assert_eq!(fixture.names().await, ["Rex", "Tom"]);
}

#[tokio::test]
async fn creations_fail_while_the_disk_is_full_and_succeed_when_there_is_room() {
    let fixture = in_a_file();
    fixture
        .create("Rex")
        .await
        .expect("no panic")
        .expect("a pet");
    let limit = fixture.store.writer.write(|db| {
        let pages: i64 = db.pragma_query_one(None, "page_count")?;
        db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
    });
    limit.await.expect("a limit");

    let gate = fixture.gate().await;
    let creates: [_; 3] =
        ["Tom".to_owned(), "x".repeat(1 << 20), "x".to_owned()].map(|name| fixture.create(name));
    fixture.until_queued(3).await;
    gate.open().await;
    // SQLite rolls back the whole transaction, so none of the creations may succeed.
    for create in creates {
        let error = create.await.expect("no panic").expect_err("no room");
        assert_eq!(outcome(&error), Some(Outcome::NotApplied), "{error:?}");
        assert!(
            !error.to_string().contains("full"),
            "the words of SQLite are for the log: {error}"
        );
    }
    assert_eq!(fixture.names().await, ["Rex"]);

    fixture
        .execute("PRAGMA max_page_count = 100000")
        .await
        .expect("room");
    fixture
        .create("x".repeat(1 << 20))
        .await
        .expect("no panic")
        .expect("a pet");
    assert_eq!(fixture.names().await.len(), 2);
}

#[tokio::test]
async fn after_a_failed_commit_all_writes_of_the_batch_have_an_unknown_outcome() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let create = fixture.create("Rex");
    // SQLite checks a deferred foreign key only at COMMIT.
    let spoil = fixture.execute(
        "CREATE TABLE parent (id INTEGER PRIMARY KEY);
         CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
         INSERT INTO child VALUES (1)",
    );
    let (spoilt, ()) = tokio::join!(spoil, async {
        fixture.until_queued(2).await;
        gate.open().await;
    });
    let created = create.await.expect("no panic").expect_err("not committed");
    for error in [&spoilt.expect_err("not committed"), &created] {
        assert_eq!(outcome(error), Some(Outcome::Unknown), "{error:?}");
    }
    fixture
        .create("Tom")
        .await
        .expect("no panic")
        .expect("the writer continues");
    assert_eq!(fixture.names().await, ["Tom"]);
}

#[tokio::test]
async fn a_write_has_an_unknown_outcome_if_the_database_file_is_moved_away_during_the_commit() {
    let fixture = in_a_file();
    let path = fixture.folder.path().join("pets.db");
    let away = fixture.folder.path().join("away.db");
    let (from, to) = (path.clone(), away.clone());
    let created = fixture.store.writer.write(move |db| {
        std::fs::rename(&from, &to).expect("moved away");
        records::insert::<Pet>(db, &pet("Rex"))
    });
    let error = created.await.expect_err("nobody would find it");
    assert_eq!(outcome(&error), Some(Outcome::Unknown), "{error:?}");
    // In this test, the write is in the file that was moved.
    std::fs::rename(&away, &path).expect("moved back");
    assert_eq!(fixture.names().await, ["Rex"]);
}

#[tokio::test]
async fn the_message_about_an_unknown_status_does_not_contain_the_status() {
    let fixture = in_a_file();
    let newer = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'reserved')";
    fixture.execute(newer).await.expect("a pet");
    let error = fixture.store.pet(1).await.expect_err("no such status");
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(!error.to_string().contains("reserved"), "{error}");
    let cause = std::error::Error::source(&error)
        .expect("a cause for the log")
        .to_string();
    assert!(cause.contains("reserved"), "{cause}");
}

#[tokio::test]
async fn closing_a_store_removes_its_write_ahead_log() {
    let fixture = in_a_file();
    fixture
        .create("Rex")
        .await
        .expect("no panic")
        .expect("a pet");
    fixture.store.close().await.expect("closed");
    let files = std::fs::read_dir(fixture.folder.path()).expect("the folder");
    let names: Vec<_> = files
        .map(|file| file.expect("a file").file_name())
        .collect();
    assert_eq!(names, ["pets.db"]);
}
