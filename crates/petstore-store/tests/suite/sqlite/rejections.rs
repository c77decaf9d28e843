//! Tests that a file that is not a store of a known version is rejected with a
//! remedy and is not changed.

use super::{Place, open, pet, place, rejected};
use petstore_store::{OpenError, OpenProblem};
use rusqlite::{Connection, config::DbConfig};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Checks that the path is rejected for the expected reason, that nothing changes, and that the
/// message contains the path and what to do.
async fn is_rejected(place: &Place, path: &Path, expected: fn(&OpenError) -> bool, advice: &str) {
    let before = place.contents();
    let error = rejected(path).await;
    assert!(expected(&error), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&*path.to_string_lossy()) && text.contains(advice),
        "{text}"
    );
    assert!(place.contents() == before, "a file was changed");
}

fn not_a_store(error: &OpenError) -> bool {
    matches!(error.problem, OpenProblem::NotAStore)
}

fn damaged(error: &OpenError) -> bool {
    matches!(error.problem, OpenProblem::Damaged { .. })
}

fn too_new(error: &OpenError) -> bool {
    matches!(error.problem, OpenProblem::TooNew { found: 99, .. })
}

fn not_writable(error: &OpenError) -> bool {
    matches!(error.problem, OpenProblem::NotWritable { .. })
}

#[tokio::test]
async fn the_error_names_a_missing_folder() {
    let place = place();
    let path = place.folder.path().join("missing/pets.db");
    let missing = |error: &OpenError| matches!(error.problem, OpenProblem::NoFolder { .. });
    is_rejected(&place, &path, missing, "create `").await;
}

#[tokio::test]
async fn a_folder_is_not_a_database() {
    let place = place();
    let folder = |error: &OpenError| matches!(error.problem, OpenProblem::IsFolder);
    is_rejected(&place, place.folder.path(), folder, "petstore.db").await;
}

/// The log of a store is named after the file name with which the store was opened. A server that opens the
/// file with another name would not find the log.
#[tokio::test]
async fn a_database_file_with_two_hard_links_is_rejected() {
    let place = place();
    let path = place.folder.path().join("pets.db");
    let store = open(&path).await.expect("a store");
    store.close().await.expect("it closes");
    let other = place.folder.path().join("same.db");
    fs::hard_link(&path, &other).expect("a second name");
    let linked = |error: &OpenError| matches!(error.problem, OpenProblem::Linked(2));
    is_rejected(&place, &path, linked, "hard links").await;
    is_rejected(&place, &other, linked, "hard links").await;
}

#[tokio::test]
async fn a_device_is_not_a_database() {
    is_rejected(
        &place(),
        Path::new("/dev/null"),
        not_a_store,
        "name another file",
    )
    .await;
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_rejected() {
    for bytes in [
        &b"\n"[..],
        b"{\"pets\": []}",
        &[0xff; 100_000],
        b"SQLite format 3\0",
    ] {
        let place = place();
        fs::write(&place.path, bytes).expect("a file");
        is_rejected(&place, &place.path, not_a_store, "name another file").await;
    }
}

#[tokio::test]
async fn the_database_of_another_program_is_rejected() {
    for mode in ["delete", "wal"] {
        let place = place();
        let other = Connection::open(&place.path).expect("a database");
        other
            .pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))
            .expect("the mode");
        other
            .execute_batch("CREATE TABLE pets (id INTEGER PRIMARY KEY)")
            .expect("a table");
        // Checks it while the other program has the file open, and afterwards.
        is_rejected(&place, &place.path, not_a_store, "name another file").await;
        drop(other);
        is_rejected(&place, &place.path, not_a_store, "name another file").await;
    }
}

#[tokio::test]
async fn a_database_with_the_application_id_of_another_program_is_rejected() {
    let place = place();
    let other = Connection::open(&place.path).expect("a database");
    other
        .pragma_update(None, "application_id", 1)
        .expect("a mark");
    drop(other);
    is_rejected(&place, &place.path, not_a_store, "name another file").await;
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_rejected() {
    let place = Place::with_pets(3).await;
    let newer = Connection::open(&place.path).expect("the database");
    let newest: i64 = newer
        .pragma_query_one(None, "user_version")
        .expect("the version");
    newer
        .pragma_update(None, "user_version", 99)
        .expect("a newer version");
    newer.close().expect("closed");
    is_rejected(
        &place,
        &place.path,
        too_new,
        &format!("its schema is 99, this version knows schemas up to {newest}"),
    )
    .await;
}

#[tokio::test]
async fn a_newer_version_that_is_only_in_the_log_is_rejected() {
    let place = Place::with_pets(3).await;
    let newer = Connection::open(&place.path).expect("the database");
    // As after a crash: the log was not written back.
    newer
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("a setting");
    newer
        .pragma_update(None, "user_version", 99)
        .expect("a newer version");
    newer.close().expect("closed");
    assert_eq!(place.contents().len(), 2, "there is a log");
    is_rejected(
        &place,
        &place.path,
        too_new,
        "use the newer version or a backup",
    )
    .await;
}

/// Truncates the store to several lengths, checks that each is rejected, and restores the file.
async fn is_rejected_when_cut_short(place: &Place) {
    let bytes = fs::read(&place.path).expect("the file");
    for length in [bytes.len() / 2, bytes.len() - 1, 4096] {
        fs::write(&place.path, &bytes[..length]).expect("a shorter file");
        is_rejected(place, &place.path, damaged, "restore it from a backup").await;
    }
    fs::write(&place.path, &bytes).expect("the whole file");
    open(&place.path)
        .await
        .expect("it is whole again")
        .close()
        .await
        .expect("closed");
}

#[tokio::test]
async fn a_truncated_store_is_rejected() {
    is_rejected_when_cut_short(&Place::with_pets(200).await).await;
}

#[tokio::test]
async fn a_truncated_store_with_an_empty_log_is_rejected() {
    let place = Place::with_pets(200).await;
    fs::write(place.folder.path().join("pets.db-wal"), "").expect("a log");
    is_rejected_when_cut_short(&place).await;
}

#[tokio::test]
async fn a_truncated_store_whose_log_lacks_the_missing_pages_is_rejected() {
    let place = Place::with_pets(200).await;
    let db = Connection::open(&place.path).expect("the database");
    // As after a crash: the log was not written back.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("a setting");
    db.execute("DELETE FROM pets WHERE id = 1", [])
        .expect("a change");
    db.close().map_err(|(_, error)| error).expect("closed");
    assert_eq!(place.contents().len(), 2, "there is a log");
    let bytes = fs::read(&place.path).expect("the file");
    fs::write(&place.path, "").expect("an empty file");
    is_rejected(&place, &place.path, damaged, "restore it from a backup").await;
    fs::write(&place.path, bytes).expect("the whole file");
    is_rejected_when_cut_short(&place).await;
}

/// An interrupted checkpoint leaves such a file.
#[tokio::test]
async fn a_truncated_store_is_opened_if_its_log_has_the_missing_pages() {
    let place = place();
    let store = open(&place.path).await.expect("a new store");
    for number in 0..20 {
        let pet = pet(format!("{number:0>2000}"));
        store.create_pet(pet).await.expect("a pet");
    }
    let log = fs::read(place.folder.path().join("pets.db-wal")).expect("the log");
    store.close().await.expect("closed");
    let bytes = fs::read(&place.path).expect("the file");
    for length in [bytes.len() / 2, bytes.len() - 1, 4096] {
        fs::write(&place.path, &bytes[..length]).expect("a shorter file");
        fs::write(place.folder.path().join("pets.db-wal"), &log).expect("the log");
        let store = open(&place.path).await.expect("the log completes it");
        assert!(store.pet(20).await.expect("a result").is_some(), "{length}");
        store.close().await.expect("closed");
        assert!(
            fs::read(&place.path).expect("the file") == bytes,
            "{length}"
        );
    }
}

#[tokio::test]
async fn a_folder_where_no_file_can_be_created_is_rejected() {
    let path = Path::new("/proc/pets.db");
    is_rejected(
        &place(),
        path,
        not_writable,
        "give the user of the service write permission",
    )
    .await;
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_rejected() {
    const PLACE: &str = "PETSTORE_TEST_READ_ONLY";
    if let Some(path) = std::env::var_os(PLACE) {
        let error = rejected(&PathBuf::from(path)).await;
        assert!(not_writable(&error), "{error:?}");
        return;
    }
    let place = Place::with_pets(1).await;
    let before = place.contents();
    set_mode(&place.path, 0o444);
    // The folder can be written, so that only the file is the reason for the rejection.
    set_mode(place.folder.path(), 0o777);
    // Runs the test again as a normal user, because permissions do not apply to
    // root.
    let program = place.folder.path().join("test");
    fs::copy(std::env::current_exe().expect("this test"), &program)
        .expect("a copy that all may run");
    let mut again = Command::new(&program);
    again
        .args([
            "--exact",
            "sqlite::rejections::a_file_that_cannot_be_written_is_rejected",
        ])
        .env(PLACE, &place.path);
    if fs::OpenOptions::new().write(true).open(&place.path).is_ok() {
        std::os::unix::process::CommandExt::uid(&mut again, 65534);
    }
    let output = again
        .current_dir(place.folder.path())
        .output()
        .expect("the test runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{printed}"
    );
    fs::remove_file(program).expect("the copy is removed");
    assert!(place.contents() == before, "a file was changed");
}

fn set_mode(path: &Path, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(path, permissions).expect("permissions");
}

#[tokio::test]
async fn file_names_with_a_special_meaning_in_sqlite_are_treated_as_ordinary_names() {
    let place = place();
    for name in ["file:pets.db", ":memory:", "50% of #1.db"] {
        let path = place.folder.path().join(name);
        for _ in 0..2 {
            open(&path)
                .await
                .expect("a store")
                .close()
                .await
                .expect("closed");
        }
        assert!(path.is_file(), "{name}");
    }
}
