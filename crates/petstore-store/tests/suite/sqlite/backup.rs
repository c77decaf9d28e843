//! Tests the copy of a store that may be in use. The tests of `petstore-server`
//! test the command `backup` and a service under load.

use super::{Place, open, pet, place};
use petstore_store::{BackupError, BackupProblem, DatabaseUrl, OpenProblem, PetQuery, backup};
use rusqlite::Connection;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

async fn copy(from: &Place, to: &Path) -> Result<(), BackupError> {
    backup(&DatabaseUrl::SqliteFile(from.path.clone()), to).await
}

/// Checks that the copy is rejected with this advice, and that no file changes.
async fn is_rejected(
    from: &Place,
    to: &Place,
    expected: fn(&BackupError) -> bool,
    named: &Path,
    advice: &str,
) {
    let before = (from.contents(), to.contents());
    let error = copy(from, &to.path).await.expect_err("rejected");
    assert!(expected(&error), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&*named.to_string_lossy()) && text.contains(advice),
        "{text}"
    );
    assert!(
        (from.contents(), to.contents()) == before,
        "a file was changed"
    );
}

#[tokio::test]
async fn a_store_in_use_is_copied_with_all_completed_writes() {
    let (from, to) = (Place::with_pets(100).await, place());
    let store = open(&from.path).await.expect("the store");
    let last = store.create_pet(pet("last")).await.expect("a pet");
    copy(&from, &to.path).await.expect("a copy");
    store.create_pet(pet("later")).await.expect("a pet");

    assert_eq!(to.contents().len(), 1, "the copy is one file");
    let mode = fs::metadata(&to.path).expect("the copy").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600, "it holds hashes of keys");
    let copied = open(&to.path).await.expect("the copy is a store");
    let all = PetQuery::first(1000);
    let pets = copied.list_pets(all).await.expect("a page").pets;
    assert_eq!((pets.len(), pets.last()), (101, Some(&last)));
    let next = copied.create_pet(pet("on its own")).await.expect("a pet");
    assert_eq!(next.id, 102);
}

#[tokio::test]
async fn a_copy_does_not_wait_for_a_writer_and_contains_no_unfinished_write() {
    let (from, to) = (Place::with_pets(1).await, place());
    let mut writer = Connection::open(&from.path).expect("the database");
    let unfinished = writer.transaction().expect("a transaction");
    unfinished
        .execute(
            "INSERT INTO pets (name, category_id) VALUES ('half', 1)",
            [],
        )
        .expect("a pet");
    copy(&from, &to.path).await.expect("a copy");
    unfinished.commit().expect("finished");
    let copied = open(&to.path).await.expect("the copy is a store");
    assert_eq!(copied.pet(2).await.expect("a result"), None);
}

#[tokio::test]
async fn a_copy_includes_the_log_that_a_crash_left_and_changes_nothing() {
    let crashed = place();
    let store = open(&crashed.path).await.expect("a new store");
    store.create_pet(pet("Rex")).await.expect("a pet");
    let from = place();
    for (path, bytes) in crashed.contents() {
        let name = path.file_name().expect("a name");
        fs::write(from.folder.path().join(name), bytes).expect("a file as a crash leaves it");
    }
    let (before, to) = (from.contents(), place());
    copy(&from, &to.path).await.expect("a copy");
    assert!(from.contents() == before, "a file was changed");
    let copied = open(&to.path).await.expect("the copy is a store");
    assert!(copied.pet(1).await.expect("a result").is_some());
}

#[tokio::test]
async fn an_existing_file_is_not_overwritten() {
    let (from, to) = (Place::with_pets(1).await, Place::with_pets(2).await);
    let exists = |error: &BackupError| matches!(error.problem, BackupProblem::Exists);
    is_rejected(&from, &to, exists, &to.path, "name a new file").await;
    is_rejected(&from, &from, exists, &from.path, "name a new file").await;
    let link = place();
    std::os::unix::fs::symlink("nowhere", &link.path).expect("a link");
    let error = copy(&from, &link.path).await.expect_err("rejected");
    assert!(exists(&error), "a link to nothing is a name too: {error:?}");
}

#[tokio::test]
async fn the_log_of_a_removed_database_is_not_applied_to_a_copy() {
    // A killed process leaves its log, and somebody removes only the database.
    let (from, to) = (Place::with_pets(1).await, place());
    let log = to.path.with_extension("db-wal");
    fs::write(&log, "the log of another database").expect("a file");
    let beside = |error: &BackupError| matches!(error.problem, BackupProblem::LogBeside(_));
    is_rejected(&from, &to, beside, &log, "remove it").await;
}

#[tokio::test]
async fn a_backup_of_a_missing_store_is_rejected_and_creates_no_file() {
    let (from, to) = (place(), place());
    let no_store = |error: &BackupError| matches!(error.problem, BackupProblem::NoStore);
    is_rejected(&from, &to, no_store, &from.path, "name the file").await;
    fs::write(&from.path, "").expect("an empty file");
    is_rejected(&from, &to, no_store, &from.path, "name the file").await;
}

#[tokio::test]
async fn a_file_that_is_not_a_store_is_not_copied() {
    let (from, to) = (place(), place());
    let db = Connection::open(&from.path).expect("a new database");
    db.execute_batch("CREATE TABLE notes (text)")
        .expect("a table");
    drop(db);
    let foreign = |error: &BackupError| {
        matches!(error.problem, BackupProblem::Source(OpenProblem::NotAStore))
    };
    is_rejected(&from, &to, foreign, &from.path, "name another file").await;
}

#[tokio::test]
async fn a_damaged_store_is_not_backed_up() {
    let (from, to) = (Place::with_pets(500).await, place());
    let mut bytes = fs::read(&from.path).expect("the database");
    let page = bytes.len() / 4096 / 2 * 4096;
    bytes[page..page + 4096].fill(0xa5);
    fs::write(&from.path, bytes).expect("damaged");
    let damaged = |error: &BackupError| matches!(error.problem, BackupProblem::Inconsistent { .. });
    is_rejected(&from, &to, damaged, &from.path, "keep your backups").await;
}

#[tokio::test]
async fn the_error_names_the_missing_folder_of_the_copy() {
    let (from, mut to) = (Place::with_pets(1).await, place());
    to.path = to.folder.path().join("missing/copy.db");
    let missing = |error: &BackupError| matches!(error.problem, BackupProblem::NoFolder { .. });
    is_rejected(&from, &to, missing, &to.path, "create `").await;
}

#[tokio::test]
async fn only_a_store_in_a_file_can_be_backed_up() {
    let to = place();
    for url in ["sqlite::memory:", "postgres://localhost/pets"] {
        let url: DatabaseUrl = url.parse().expect("a database");
        let error = backup(&url, &to.path).await.expect_err("rejected");
        assert!(
            matches!(error.problem, BackupProblem::NotAFile),
            "{error:?}"
        );
    }
    assert!(to.contents().is_empty());
}
