//! Tests `backup FILE` while the service runs under load, and if there is no store to copy.

use crate::{
    contents,
    ledger::Ledger,
    load::{Faults, Target},
    process::{Service, run_failing, run_ok},
};
use rusqlite::Connection;
use std::{fs, sync::Arc};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_under_load_contains_all_earlier_acknowledged_pets_and_can_be_served() {
    let ledger = Arc::<Ledger>::default();
    let service = Service::start();
    let target = Target::new(service.address, &service.key);
    let mut load = target.load("live", Faults::None, &ledger);
    load.answered(300).await;
    let before = ledger.names_acknowledged();
    let said = run_ok(service.folder.path(), &["backup", "copy.db"]);
    assert_eq!(said, "copied `sqlite:petstore.db` to `copy.db`\n");
    // The service served requests all the time.
    load.answered(50).await;
    load.end(|| ()).await;

    let restored = Arc::new(TempDir::new().expect("a folder can be made"));
    let copy = restored.path().join("petstore.db");
    fs::rename(service.folder.path().join("copy.db"), &copy).expect("one file is all of it");
    let integrity: String = Connection::open(&copy)
        .and_then(|db| db.pragma_query_one(None, "integrity_check"))
        .expect("a database");
    assert_eq!(integrity, "ok");

    let from_copy = Service::start_in(restored, &[], &[]);
    let copied = Target::new(from_copy.address, &service.key).walk().await;
    let names: Vec<_> = copied
        .iter()
        .map(|pet| pet["name"].as_str().expect("a name"))
        .collect();
    let missing = before
        .iter()
        .filter(|name| !names.contains(&name.as_str()))
        .count();
    assert_eq!(missing, 0, "of {} answered before", before.len());
    // The copy may contain pets that were added during the copy; they must be equal to the
    // confirmed ones.
    let live = target.walk().await;
    ledger.compare(&live).assert_nothing_wrong();
    assert_eq!(copied, live[..copied.len()], "it is a moment of the store");
}

#[test]
fn a_backup_does_not_change_an_existing_file() {
    let service = Service::start();
    let folder = service.folder.path();
    run_ok(folder, &["backup", "copy.db"]);
    let before = fs::read(folder.join("copy.db")).expect("the copy");
    service.add("Rex", None);
    for taken in ["copy.db", "petstore.db"] {
        let error = run_failing(folder, &["backup", taken], 1);
        assert!(error.contains("name a new file"), "{error}");
    }
    assert_eq!(fs::read(folder.join("copy.db")).expect("the copy"), before);
    assert_eq!(service.pets().len(), 1);
}

#[test]
fn a_failed_backup_reports_the_reason_and_creates_no_file() {
    let folder = TempDir::new().expect("a folder can be made");
    for (database, advice) in [
        ("sqlite:petstore.db", "name the file that the service uses"),
        ("sqlite::memory:", "only a store in an SQLite file"),
        ("postgres://localhost/pets", "`pg_dump`"),
    ] {
        let arguments = ["backup", "copy.db", "--database", database];
        let error = run_failing(folder.path(), &arguments, 1);
        assert!(error.contains(advice), "{error}");
    }
    assert!(contents(folder.path()).is_empty());
}
