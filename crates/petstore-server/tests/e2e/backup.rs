//! Tests `backup --verify` and `restore`: a backup replaces a store as a whole or not at all.
//! `tests/durability` has backups of a store under load.

use crate::{
    migrate::oldest,
    process::{Service, run, run_failing, run_ok},
    scrape::Watched,
};
use rustix::process::Signal;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

/// The names in a folder that begin with this one.
fn beginning_with(folder: &Path, start: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("text"));
    names.filter(|name| name.starts_with(start)).collect()
}

fn stopped(mut service: Service) -> (std::sync::Arc<tempfile::TempDir>, String) {
    service.signal(Signal::TERM);
    service.ended();
    (service.folder.clone(), service.key.clone())
}

#[test]
fn a_store_that_is_restored_has_the_pets_of_the_backup_and_the_former_one_is_kept() {
    let service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.clone();
    run_ok(folder.path(), &["backup", "copy.db"]);
    service.add("Tom", None);

    let error = run_failing(folder.path(), &["restore", "copy.db"], 1);
    let start = "error: cannot replace `sqlite:petstore.db` by `copy.db`: a service or a command uses the store; stop it";
    assert!(error.starts_with(start), "{error}");
    assert_eq!(service.pets().len(), 2);

    let (folder, key) = stopped(service);
    let store = folder.path().join("petstore.db");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o640)).expect("a mode");
    let said = run_ok(folder.path(), &["restore", "copy.db"]);
    assert!(
        said.starts_with("restored `sqlite:petstore.db` from `copy.db`; "),
        "{said}"
    );
    let mode = fs::metadata(&store).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let [former] = &beginning_with(folder.path(), "petstore.db.replaced-")[..] else {
        panic!("the former store is there");
    };
    assert!(said.contains(former.as_str()), "{said}");

    let mut again = Service::start_in(folder.clone(), &[], &[]);
    again.key.clone_from(&key);
    let pets = again.pets();
    assert_eq!(pets.len(), 1, "{pets:?}");
    assert_eq!(pets[0]["name"], "Rex");
    stopped(again);
    let former = format!("sqlite:{former}");
    let mut former = Service::start_in(folder, &["--database", &former], &[]);
    former.key = key;
    assert_eq!(former.pets().len(), 2);
}

#[test]
fn a_killed_service_leaves_a_log_that_does_not_reach_the_restored_store() {
    let mut service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.clone();
    run_ok(folder.path(), &["backup", "copy.db"]);
    service.add("Tom", None);
    service.signal(Signal::KILL);
    service.ended();
    assert!(folder.path().join("petstore.db-wal").exists());
    run_ok(folder.path(), &["restore", "copy.db"]);
    let mut again = Service::start_in(folder, &[], &[]);
    again.key.clone_from(&service.key);
    assert_eq!(again.pets().len(), 1);
}

#[test]
fn a_damaged_store_can_be_replaced_and_a_damaged_backup_replaces_nothing() {
    let service = Service::start();
    for _ in 0..300 {
        service.add(&"Rex".repeat(50), Some("available"));
    }
    let folder = service.folder.clone();
    run_ok(folder.path(), &["backup", "copy.db"]);
    let (folder, key) = stopped(service);
    let path = |name: &str| folder.path().join(name);

    let whole = fs::read(path("copy.db")).expect("a backup");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2 / 4096 * 4096;
    damaged[middle..middle + 4096].fill(0xff);
    fs::write(path("damaged.db"), &damaged).expect("a file");
    let cut = &whole[..whole.len() - 5000];
    fs::write(path("cut.db"), cut).expect("a file");
    fs::write(path("text.db"), "no database at all").expect("a file");
    let before = fs::read(path("petstore.db")).expect("a store");
    for name in ["damaged.db", "cut.db", "text.db", "none.db"] {
        for command in [&["restore", name][..], &["backup", "--verify", name]] {
            let error = run_failing(folder.path(), command, 1);
            let start = format!("error: the backup `{name}` ");
            assert!(error.starts_with(&start), "{command:?}: {error}");
            assert!(!error.contains("restore it from a backup"), "{error}");
        }
        assert_eq!(fs::read(path("petstore.db")).expect("a store"), before);
    }
    assert!(beginning_with(folder.path(), "petstore.db.").is_empty());
    assert!(beginning_with(folder.path(), ".petstore.db").is_empty());

    fs::write(path("petstore.db"), cut).expect("a damaged store");
    fs::write(path("petstore.db-wal"), "no log").expect("a file");
    run_ok(folder.path(), &["restore", "copy.db"]);
    let mut again = Service::start_in(folder.clone(), &[], &[]);
    again.key = key;
    assert_eq!(
        again
            .get("/v1/pets?limit=100")
            .json()
            .as_array()
            .map(Vec::len),
        Some(100)
    );
}

#[test]
fn a_backup_is_verified_and_left_as_it_is() {
    let service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.path();
    run_ok(folder, &["backup", "copy.db"]);
    let before = fs::read(folder.join("copy.db")).expect("a backup");
    let said = run_ok(folder, &["backup", "--verify", "copy.db"]);
    let start = "`copy.db` is a whole store of schema version ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("; it has 1 pets and 1 API keys\n"), "{said}");
    assert_eq!(fs::read(folder.join("copy.db")).expect("a backup"), before);
    assert_eq!(beginning_with(folder, "copy.db"), ["copy.db"]);
}

#[test]
fn an_operation_is_not_called_unused_because_of_calls_that_a_restored_backup_lacks() {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    let service = Service::start_in(folder.clone(), &[], &[]);
    stopped(service);
    // Two months ago the counting began, and 45 days ago somebody called it last.
    let db = rusqlite::Connection::open(folder.path().join("petstore.db")).expect("the store");
    let earlier = "UPDATE counted_operations SET since = since - 60 * 86400000000;
        INSERT INTO deprecated_calls (operation, key_id, calls, first_seen, last_seen)
        SELECT operation, api_keys.id, 3, since, since + 15 * 86400000000 FROM counted_operations, api_keys";
    db.execute_batch(earlier).expect("earlier calls");
    drop(db);
    let usage = || {
        let export = run_ok(folder.path(), &["usage", "--format", "json"]);
        let export: serde_json::Value = serde_json::from_str(&export).expect("JSON");
        let operation = &export["operations"][0];
        assert_eq!(operation["calls"], 3, "{export}");
        (
            operation["days_without_calls"].clone(),
            operation["is_unused"].clone(),
        )
    };
    assert_eq!(usage(), (45.into(), true.into()));
    run_ok(folder.path(), &["backup", "copy.db"]);
    // The calls since the backup are lost, so nobody knows of them.
    run_ok(folder.path(), &["restore", "copy.db"]);
    assert_eq!(usage(), (0.into(), false.into()));
    let service = Service::start_in(folder.clone(), &[], &[]);
    assert_eq!(usage(), (0.into(), false.into()));
    drop(service);
    let copy = ["--database", "sqlite:copy.db"];
    let export = run_ok(
        folder.path(),
        &[&["usage", "--format", "json"], &copy[..]].concat(),
    );
    assert!(export.contains("\"is_unused\": true"), "{export}");
}

#[test]
fn the_time_of_the_last_backup_is_a_metric() {
    const METRIC: &str = "petstore_last_backup_timestamp_seconds";
    let watched = Watched::start();
    let folder = watched.service.folder.path();
    let metric = || watched.scrape().find(METRIC, &[]);
    assert_eq!(metric(), None, "there is none yet");
    run_failing(folder, &["backup", "nowhere/copy.db"], 1);
    assert_eq!(metric(), None, "it failed");
    let now = || chrono::Utc::now().timestamp() as f64;
    let before = now();
    run_ok(folder, &["backup", "copy.db"]);
    let made = metric().expect("a backup was made");
    assert!((before..=now()).contains(&made), "{made}");
    run_failing(folder, &["backup", "copy.db"], 1);
    assert_eq!(metric(), Some(made), "it failed");

    // A backup whose time cannot be stored is a backup all the same.
    let record = folder.join("petstore.db-last-backup");
    fs::remove_file(&record).expect("it is there");
    fs::create_dir(&record).expect("a folder can be made");
    let output = run(folder, &["backup", "second.db"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(
        said.contains("WARN") && said.contains("last-backup"),
        "{said}"
    );
}

#[test]
fn a_backup_of_an_older_version_is_restored_and_upgraded_at_the_next_start() {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    oldest(&folder.path().join("old.db"));
    let said = run_ok(folder.path(), &["restore", "old.db"]);
    assert_eq!(said, "restored `sqlite:petstore.db` from `old.db`\n");
    let service = Service::start_in(folder.clone(), &[], &[]);
    assert!(service.showed_a_key());
    let said = run_ok(folder.path(), &["migrate"]);
    assert!(said.contains("already has schema version"), "{said}");
}

#[test]
fn only_an_sqlite_file_is_restored() {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    oldest(&folder.path().join("old.db"));
    let url = "postgres://pets:hunter2@127.0.0.1:1/pets";
    let error = run_failing(folder.path(), &["restore", "old.db", "--database", url], 1);
    assert!(
        error.contains("`pg_restore`") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn a_store_behind_a_symbolic_link_is_replaced_where_it_lies() {
    let service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.clone();
    run_ok(folder.path(), &["backup", "copy.db"]);
    service.add("Tom", None);
    let (folder, key) = stopped(service);
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("disk")).expect("a folder can be made");
    fs::rename(path("petstore.db"), path("disk/pets.db")).expect("moved");
    std::os::unix::fs::symlink("disk/pets.db", path("petstore.db")).expect("a link");

    run_ok(folder.path(), &["restore", "copy.db"]);
    let link = fs::read_link(path("petstore.db")).expect("still a link");
    assert_eq!(link, Path::new("disk/pets.db"));
    assert_eq!(beginning_with(&path("disk"), "pets.db.replaced-").len(), 1);
    assert!(beginning_with(folder.path(), "petstore.db.").is_empty());
    let mut again = Service::start_in(folder.clone(), &[], &[]);
    again.key = key;
    assert_eq!(again.pets().len(), 1);
}
