//! Tests database files that are truncated, are not databases, are locked by another program, or
//! are removed while the service runs.

use crate::{
    contents,
    process::{Service, run_failing},
    raw::RawResponse,
};
use rusqlite::{Connection, TransactionBehavior};
use rustix::process::Signal;
use std::{fs, sync::Arc};
use tempfile::TempDir;

const PET: &str = r#"{"name":"Tom","categoryId":7}"#;

/// Checks that the service does not start, that it prints the reason and a remedy, and that it
/// changes nothing.
fn does_not_start(folder: &TempDir, advice: &str) {
    let before = contents(folder.path());
    let error = run_failing(folder.path(), &["serve", "--listen", "127.0.0.1:0"], 1);
    assert!(
        error.contains("petstore.db") && error.contains(advice),
        "{error}"
    );
    assert!(contents(folder.path()) == before, "a file was changed");
}

fn is_unavailable(response: &RawResponse) {
    let message = response.assert_error(503, "unavailable");
    assert!(message.contains("nothing was changed"), "{message}");
}

#[test]
fn a_truncated_store_is_rejected() {
    let mut service = Service::start();
    for _ in 0..20 {
        service.add(&"x".repeat(1000), None);
    }
    service.signal(Signal::TERM);
    service.ended();
    let path = service.folder.path().join("petstore.db");
    let whole = fs::read(&path).expect("the database");
    fs::write(&path, &whole[..whole.len() - 5000]).expect("cut short");
    does_not_start(&service.folder, "restore it from a backup");

    // After the backup was restored, the service works again.
    fs::write(&path, whole).expect("restored");
    let mut again = Service::start_in(Arc::clone(&service.folder), &[], &[]);
    again.key = service.key.clone();
    assert_eq!(again.pets().len(), 20);
}

#[test]
fn a_file_that_is_not_a_store_is_rejected() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("petstore.db");
    fs::write(&path, "id;name\n1;Rex\n").expect("a file");
    does_not_start(&folder, "name another file");

    fs::remove_file(&path).expect("removed");
    let db = Connection::open(&path).expect("a database");
    db.execute_batch("CREATE TABLE pets (id, name)")
        .expect("a table of somebody else");
    drop(db);
    does_not_start(&folder, "name another file");
}

#[test]
fn writes_get_503_while_another_program_holds_a_lock() {
    let service = Service::start();
    service.add("Rex", None);
    let mut other =
        Connection::open(service.folder.path().join("petstore.db")).expect("the database");
    let lock = other
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .expect("the lock");
    is_unavailable(&service.post(PET));
    assert_eq!(service.pets().len(), 1, "reads continue");
    drop(lock);
    assert_eq!(service.post(PET).status, 201);
    assert_eq!(service.pets().len(), 2);
    service.log.wait_for("database is locked");
}

#[test]
fn creations_fail_while_the_database_file_is_moved_away() {
    let mut service = Service::start();
    service.add("Rex", None);
    let path = service.folder.path().join("petstore.db");
    let away = service.folder.path().join("away.db");
    fs::rename(&path, &away).expect("moved away");
    is_unavailable(&service.post(PET));
    let line = service.log.wait_for("was removed or replaced");
    assert!(line.contains("put the file back"), "{line}");
    fs::rename(&away, &path).expect("moved back");
    service.add("Tom", None);

    service.signal(Signal::KILL);
    service.ended();
    let mut again = Service::start_in(Arc::clone(&service.folder), &[], &[]);
    again.key = service.key.clone();
    let names: Vec<_> = again.pets().iter().map(|pet| pet["name"].clone()).collect();
    assert_eq!(names, ["Rex", "Tom"]);
}
