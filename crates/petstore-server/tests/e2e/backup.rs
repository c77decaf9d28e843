//! Tests `backup --verify` and `restore`: a backup replaces a store completely or not at all.
//! `tests/durability` tests backups of a store under load.

use crate::{
    migrate::oldest,
    process::{Service, run, run_failing, run_ok},
    scrape::Watched,
};
use rustix::process::Signal;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

/// Returns the names in a folder that begin with this text.
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
fn a_restored_store_has_the_pets_of_the_backup_and_the_former_store_is_kept() {
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
fn restore_ignores_the_log_that_a_killed_service_left() {
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
fn verifying_a_backup_does_not_change_it() {
    let service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.path();
    run_ok(folder, &["backup", "copy.db"]);
    let before = fs::read(folder.join("copy.db")).expect("a backup");
    let said = run_ok(folder, &["backup", "--verify", "copy.db"]);
    let start = "`copy.db` is a valid store of schema version ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("; it has 1 pets and 1 API keys\n"), "{said}");
    assert_eq!(fs::read(folder.join("copy.db")).expect("a backup"), before);
    assert_eq!(beginning_with(folder, "copy.db"), ["copy.db"]);
}

/// Starts a service with one pet, makes a backup, and changes the bytes of the backup.
fn with_changed_backup(change: impl Fn(&mut Vec<u8>)) -> Service {
    let service = Service::start();
    service.add("a name to find", None);
    let folder = service.folder.path();
    run_ok(folder, &["backup", "copy.db"]);
    let mut bytes = fs::read(folder.join("copy.db")).expect("a backup");
    change(&mut bytes);
    fs::write(folder.join("copy.db"), bytes).expect("a file");
    service
}

#[test]
fn a_flipped_bit_in_a_name_or_in_the_checksum_is_found_and_nothing_is_restored() {
    let in_a_name = |bytes: &mut Vec<u8>| {
        let name = bytes.windows(14).position(|part| part == b"a name to find");
        bytes[name.expect("it is stored")] ^= 2;
    };
    let in_the_label = |bytes: &mut Vec<u8>| {
        let label = bytes.len() - 110;
        bytes[label] ^= 0x80;
    };
    let in_the_digest = |bytes: &mut Vec<u8>| {
        let digit = bytes.len() - 10;
        bytes[digit] ^= 1;
    };
    let changes: [fn(&mut Vec<u8>); 3] = [in_a_name, in_the_label, in_the_digest];
    for change in changes {
        let (folder, key) = stopped(with_changed_backup(change));
        let files = || beginning_with(folder.path(), "");
        let store = || fs::read(folder.path().join("petstore.db")).expect("a store");
        let before = (files(), store());
        for command in [
            &["backup", "--verify", "copy.db"][..],
            &["restore", "copy.db"],
        ] {
            let error = run_failing(folder.path(), command, 1);
            let start = "error: the backup `copy.db` cannot be used: its checksum is wrong, ";
            assert!(error.starts_with(start), "{error}");
            assert!((files(), store()) == before, "something was changed");
        }
        let mut again = Service::start_in(folder.clone(), &[], &[]);
        again.key = key;
        assert_eq!(again.pets()[0]["name"], "a name to find");
    }
}

#[test]
fn a_backup_without_checksum_is_verified_and_restored_with_a_note() {
    let service = with_changed_backup(|bytes| {
        let pages = bytes.len() / 4096 * 4096;
        bytes.truncate(pages);
    });
    let (folder, _) = stopped(service);
    let note = "`copy.db` has no checksum, because an earlier version created it or because it was used as a store afterwards: a changed bit in a value cannot be detected\n";
    for command in [
        &["backup", "--verify", "copy.db"][..],
        &["restore", "copy.db"],
    ] {
        let said = run_ok(folder.path(), command);
        assert!(said.contains(note), "{said}");
    }
}

#[test]
fn a_backup_that_was_used_as_a_store_can_be_restored_like_any_store() {
    let (folder, key) = stopped(with_changed_backup(|_| {}));
    let path = |name: &str| folder.path().join(name);
    let serve = |change: &dyn Fn(&Service)| {
        let mut service = Service::start_in(folder.clone(), &["--database", "sqlite:copy.db"], &[]);
        service.key.clone_from(&key);
        change(&service);
        stopped(service);
    };
    // Without a change of the store, and with one.
    serve(&|_| {});
    run_ok(folder.path(), &["backup", "--verify", "copy.db"]);
    serve(&|service| assert_eq!(service.add("another", None), 2));
    let said = run_ok(folder.path(), &["backup", "--verify", "copy.db"]);
    assert!(said.contains("has no checksum"), "{said}");
    run_ok(folder.path(), &["restore", "copy.db"]);
    let mut again = Service::start_in(folder.clone(), &[], &[]);
    again.key.clone_from(&key);
    assert_eq!(again.pets().len(), 2);
    // Another program has changed the file, but its checksum still exists.
    run_ok(folder.path(), &["backup", "other.db"]);
    rusqlite::Connection::open(path("other.db"))
        .and_then(|db| db.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(())))
        .expect("another mode");
    let said = run_ok(folder.path(), &["backup", "--verify", "other.db"]);
    assert!(said.contains("has no checksum"), "{said}");
}

#[test]
fn a_malformed_store_is_reported_as_damaged() {
    let service = with_changed_backup(|bytes| {
        let table = b"CREATE TABLE pets";
        let found = bytes.windows(table.len()).enumerate();
        let found = found.filter(|(_, part)| *part == table);
        // A page of the schema that was split still has unused copies.
        let places: Vec<_> = found.map(|(at, _)| at).collect();
        assert!(!places.is_empty(), "the schema");
        for at in places {
            bytes[at + 3] ^= 4;
        }
        let pages = bytes.len() / 4096 * 4096;
        bytes.truncate(pages);
    });
    let folder = service.folder.path();
    let error = run_failing(folder, &["backup", "--verify", "copy.db"], 1);
    let start = "error: the backup `copy.db` is damaged";
    assert!(error.contains(start) && !error.contains("room"), "{error}");
}

#[test]
fn unfinished_backup_files_that_no_process_uses_are_removed() {
    let service = Service::start();
    let folder = service.folder.clone();
    let header = |id: &[u8; 4]| [&b"SQLite format 3\0"[..], &[0; 52], id, &[0; 28]].concat();
    let leave = || {
        for (name, bytes) in [
            (".copy.db.a1B2c3.partial", header(b"pets")),
            (".other.db.a1B2c3.partial", Vec::new()),
            (".petstore.db.a1B2c3.partial", vec![0; 4096]),
            (".film.mkv.a1B2c3.partial", vec![1; 4096]),
            (".else.db.a1B2c3.partial", header(b"else")),
            (".copy.db.used42.partial", header(b"pets")),
        ] {
            fs::write(folder.path().join(name), bytes).expect("a file");
        }
        let used = fs::File::open(folder.path().join(".copy.db.used42.partial"));
        let used = used.expect("a file");
        used.lock().expect("nobody else has it");
        used
    };
    let kept = || {
        let mut names = beginning_with(folder.path(), ".");
        names.sort();
        names
    };
    let others = [
        ".copy.db.used42.partial",
        ".else.db.a1B2c3.partial",
        ".film.mkv.a1B2c3.partial",
    ];
    let used = leave();
    run_ok(folder.path(), &["backup", "copy.db"]);
    assert_eq!(kept(), others);
    drop(used);
    run_ok(folder.path(), &["backup", "copy-2.db"]);
    assert_eq!(kept(), others[1..]);

    let used = leave();
    let (folder, _) = stopped(service);
    run_ok(folder.path(), &["restore", "copy.db"]);
    assert_eq!(kept(), others);
    drop(used);
    drop(leave());
    let service = Service::start_in(folder.clone(), &[], &[]);
    assert_eq!(kept(), others[1..]);
    service
        .log
        .wait_for("removed an unfinished copy that an interrupted backup or restore left behind");
}

#[test]
fn backups_at_the_same_time_do_not_remove_each_others_copies() {
    let service = Service::start();
    for _ in 0..50 {
        service.add(&"x".repeat(10_000), None);
    }
    let folder = service.folder.path();
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || run_ok(folder, &["backup", &format!("copy-{number}.db")]));
        }
    });
    assert_eq!(beginning_with(folder, "copy-").len(), 8);
    assert!(beginning_with(folder, ".").is_empty());
}

#[test]
fn only_the_owner_can_read_a_new_store_and_its_files() {
    let service = Service::start();
    let folder = service.folder.path();
    run_ok(folder, &["backup", "copy.db"]);
    run_ok(
        folder,
        &["restore", "copy.db", "--database", "sqlite:restored.db"],
    );
    run_ok(
        folder,
        &["migrate", "--create", "--database", "sqlite:made.db"],
    );
    for name in [
        "petstore.db",
        "petstore.db-wal",
        "petstore.db-shm",
        "copy.db",
        "restored.db",
        "made.db",
    ] {
        let mode = fs::metadata(folder.join(name))
            .expect(name)
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_operation_is_not_reported_as_unused_if_a_restored_backup_lacks_its_calls() {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    let service = Service::start_in(folder.clone(), &[], &[]);
    stopped(service);
    // The counting began two months ago, and the last call was 45 days ago.
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
    // The calls since the backup are lost, so they are unknown.
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

    // A backup succeeds even if its time cannot be stored.
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
    let start = "restored `sqlite:petstore.db` from `old.db`\n`old.db` has no checksum, because an earlier version created it";
    assert!(said.starts_with(start), "{said}");
    assert!(
        said.contains("revoke the keys again that were revoked since the backup"),
        "{said}"
    );
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
fn a_store_behind_a_symbolic_link_is_replaced_at_the_target_of_the_link() {
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
