//! Tests disks that are full, read-only or failing. The service gets a mount in a separate
//! namespace, which ends with the test. `strace` simulates a failing disk by making system calls
//! fail.

use crate::{
    process::{Service, program_by},
    raw::Request,
    scrape::{self, Watched},
    trace::can_trace,
};
use rustix::process::Signal;
use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    thread,
    time::Duration,
};
use tempfile::TempDir;
use test_support::{Need, skip};

const FULL_SOON: &str = r#"mount -t tmpfs -o size=2m tmpfs store && exec "$@""#;
/// Shows the remaining files when the program has ended.
const TOO_SMALL: &str =
    r#"mount -t tmpfs -o size=64k tmpfs store && "$@"; code=$?; ls -A store; exit $code"#;
const READ_ONLY: &str =
    r#"mount --bind store store && mount -o remount,bind,ro store && exec "$@""#;
/// The first sync of each thread fails.
const FAILING_ONCE: [&str; 9] = [
    "strace",
    "-D",
    "-f",
    "-o",
    "/dev/null",
    "-e",
    "trace=fsync,fdatasync",
    "-e",
    "inject=fsync,fdatasync:error=EIO:when=1",
];
pub(crate) const SERVE: [&str; 5] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--database",
    "sqlite:store/petstore.db",
];

/// Creates a folder that contains the folder `store`, on which a file system can be mounted.
pub(crate) fn place() -> Arc<TempDir> {
    let folder = TempDir::new().expect("a folder can be made");
    fs::create_dir(folder.path().join("store")).expect("a folder can be made");
    Arc::new(folder)
}

/// Returns the command line that runs a script in a namespace where it may mount file systems, and
/// then the program. Returns `None` and prints a message if the system does not allow it.
pub(crate) fn launcher(script: &'static str) -> Option<Vec<&'static str>> {
    let as_root: &[_] = &["unshare", "--mount"];
    let as_anybody: &[_] = &["unshare", "--user", "--map-root-user", "--mount"];
    let may = |unshare: &&[&str]| {
        Command::new(unshare[0])
            .args(&unshare[1..])
            .args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let Some(unshare) = [as_root, as_anybody].into_iter().find(may) else {
        skip(Need::Mount, "nothing can be mounted here");
        return None;
    };
    Some([unshare, &["sh", "-c", script, "sh"]].concat())
}

/// Returns the store's folder as the service sees it.
pub(crate) fn seen_by(service: &Service) -> PathBuf {
    let root = format!("/proc/{}/root", service.pid().as_raw_nonzero());
    let store = service.folder.path().join("store");
    Path::new(&root).join(store.strip_prefix("/").expect("an absolute path"))
}

/// Fills the remaining space.
pub(crate) fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("filler");
    let mut file = File::create(&path).expect("a file can be made");
    for size in [4096, 1] {
        while match file.write(&vec![0; size]) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::StorageFull => false,
            Err(error) => panic!("{error}"),
        } {}
    }
    path
}

#[test]
fn writes_to_a_full_disk_get_503_and_nothing_is_lost() {
    let Some(launcher) = launcher(FULL_SOON) else {
        return;
    };
    let folder = place();
    let mut command = program_by(&launcher, folder.path());
    command.args(SERVE);
    let mut service = Service::start_by(command, folder);
    service.key = service.shown_key();
    let mut kept = vec![service.add("before", None)];
    let store = seen_by(&service);

    for round in ["once", "twice"] {
        let filler = fill(&store);
        // The log may have some free space in its last pages.
        let rejected = (0..100).find_map(|_| {
            let pet = format!(r#"{{"name":"{}","categoryId":7}}"#, "x".repeat(10_000));
            let response = service.post(pet);
            match response.status {
                201 => {
                    kept.push(response.json()["id"].as_i64().expect("an id"));
                    None
                }
                _ => Some(response),
            }
        });
        let rejected = rejected.expect("there is no room");
        rejected.assert_error(503, "unavailable");
        let known = service.get(&format!("/v1/pets/{}", kept[0]));
        assert_eq!(known.status, 200, "reads continue: {known:?}");
        fs::remove_file(filler).expect("room is made");
        kept.push(service.add(round, None));
    }
    service.log.wait_for("database or disk is full");

    // These are the files that a crash at this time would leave.
    let crashed = Arc::new(TempDir::new().expect("a folder can be made"));
    for file in ["petstore.db", "petstore.db-wal"] {
        fs::copy(store.join(file), crashed.path().join(file)).expect("a copy");
    }
    let again = Service::start_in(crashed, &[], &[]);
    for id in kept {
        let request = Request::get(&format!("/v1/pets/{id}")).key(&service.key);
        assert_eq!(again.send(&request).status, 200, "{id}");
    }
}

/// Starts a service whose store is on a disk that will soon be full; `None` if nothing can be
/// mounted.
pub(crate) fn watched_on_a_small_disk() -> Option<Watched> {
    let launcher = launcher(FULL_SOON)?;
    let folder = place();
    let mut command = program_by(&launcher, folder.path());
    command.args(SERVE).args(["--admin-listen", "127.0.0.1:0"]);
    let mut service = Service::start_by(command, folder);
    service.key = service.shown_key();
    let admin = scrape::address(&service);
    Some(Watched { service, admin })
}

#[test]
fn a_full_disk_makes_the_service_not_ready_even_while_writes_without_changes_succeed() {
    let Some(watched) = watched_on_a_small_disk() else {
        return;
    };
    let create = || watched.service.post(r#"{"name":"Rex","categoryId":7}"#);
    let filler = fill(&seen_by(&watched.service));
    while create().status == 201 {}
    let (mut rounds, mut succeeded) = (0, 0);
    while watched.ask("/readyz").status == 200 {
        create().assert_error(503, "unavailable");
        // The pet does not exist, so the transaction writes nothing, unless the same transaction
        // writes usage counters.
        let order = Request::post("/v1/store/orders", r#"{"petId":999999}"#);
        let response = watched.service.send(&order.key(&watched.service.key));
        if response.status == 503 {
            response.assert_error(503, "unavailable");
        } else {
            response.assert_error(404, "not_found");
            succeeded += 1;
        }
        rounds += 1;
        assert!(rounds < 200, "it stays ready");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(succeeded > rounds / 2, "{succeeded} of {rounds}");
    fs::remove_file(filler).expect("room is made");
    watched.until_readiness(200);
}

#[test]
fn if_the_store_cannot_be_written_serve_fails_with_an_error_that_names_a_remedy() {
    let Some(launcher) = launcher(READ_ONLY) else {
        return;
    };
    let folder = place();
    // First, no file can be created; then a file exists but cannot be written.
    for _ in 0..2 {
        let output = program_by(&launcher, folder.path())
            .args(SERVE)
            .output()
            .expect("the program can be run");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), output.status.signal()),
            (Some(1), None),
            "{said}"
        );
        assert!(
            said.contains(
                "give the user of the service write permission for the file and its folder"
            ),
            "{said}"
        );
        drop(Service::start_in(Arc::clone(&folder), &SERVE[3..], &[]));
    }
}

#[test]
fn a_backup_on_a_medium_that_cannot_be_written_is_verified_and_restored() {
    let Some(launcher) = launcher(READ_ONLY) else {
        return;
    };
    let service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.path();
    fs::create_dir(folder.join("store")).expect("a folder can be made");
    let backup = program_by(&[], folder)
        .args(["backup", "store/copy.db"])
        .output();
    assert!(backup.expect("it runs").status.success());
    for (command, said) in [
        (
            &["backup", "--verify", "store/copy.db"][..],
            "it has 1 pets and 1 API keys",
        ),
        (
            &["restore", "store/copy.db", "--database", "sqlite:new.db"],
            "restored `sqlite:new.db` from `store/copy.db`",
        ),
    ] {
        let output = program_by(&launcher, folder).args(command).output();
        let output = output.expect("the program can be run");
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains(said), "{printed}");
    }
    let mut restored = Service::start_in(
        Arc::clone(&service.folder),
        &["--database", "sqlite:new.db"],
        &[],
    );
    restored.key.clone_from(&service.key);
    assert_eq!(restored.pets().len(), 1);
}

/// A damaged store keeps its log, because the log belongs to the store as long as the store exists.
#[test]
fn a_restore_that_is_killed_leaves_no_store_without_its_write_ahead_log() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot be used here");
    }
    let mut service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.clone();
    let path = |name: &str| folder.path().join(name);
    let backup = program_by(&[], folder.path())
        .args(["backup", "copy.db"])
        .output();
    assert!(backup.expect("it runs").status.success());
    for _ in 0..20 {
        service.add(&"x".repeat(1000), None);
    }
    service.signal(Signal::KILL);
    service.ended();
    let log = fs::read(path("petstore.db-wal")).expect("a log");
    let mut store = fs::read(path("petstore.db")).expect("a store");
    // Destroys the first page. Without it, SQLite cannot write the log into the store.
    store[..4096].fill(0xff);

    let (links, renames) = ("link,linkat", "rename,renameat,renameat2");
    let store_name = path("petstore.db");
    let store_name = store_name.to_str().expect("text");
    for (calls, number, of) in [
        (links, 1, None),
        (links, 2, None),
        (renames, 1, Some(store_name)),
    ] {
        for entry in fs::read_dir(folder.path()).expect("the folder") {
            let name = entry.expect("an entry").file_name();
            if name.to_string_lossy().contains("replaced-") {
                fs::remove_file(folder.path().join(name)).expect("removed");
            }
        }
        fs::write(store_name, &store).expect("a damaged store");
        fs::write(path("petstore.db-wal"), &log).expect("its log");
        let inject = format!("inject={calls}:signal=KILL:when={number}");
        let trace = format!("trace={calls}");
        let mut strace = vec![
            "strace",
            "-f",
            "-o",
            "/dev/null",
            "-e",
            &trace,
            "-e",
            &inject,
        ];
        strace.extend(of.iter().flat_map(|name| ["-P", name]));
        let killed = program_by(&strace, folder.path())
            .args(["restore", "copy.db"])
            .output();
        let killed = killed.expect("it runs");
        assert!(!killed.status.success(), "{calls} {number}: {killed:?}");
        let whole = |name: &str| {
            let log_name = format!("{name}-wal");
            fs::read(path(name)).is_ok_and(|found| found == store)
                && fs::read(path(&log_name)).is_ok_and(|found| found == log)
        };
        let entries = fs::read_dir(folder.path()).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names: Vec<_> = names
            .map(|name| name.into_string().expect("text"))
            .collect();
        assert!(
            names.iter().any(|name| whole(name)),
            "{calls} {number}: {names:?}"
        );
    }
    // The next restore removes the copies that killed restores have left.
    let restored = program_by(&[], folder.path())
        .args(["restore", "copy.db"])
        .output();
    assert!(restored.expect("it runs").status.success());
    let entries = fs::read_dir(folder.path()).expect("the folder");
    let mut names = entries.map(|entry| entry.expect("an entry").file_name());
    let left = names.find(|name| name.to_string_lossy().ends_with(".partial"));
    assert_eq!(left, None);
}

#[test]
fn a_copy_that_does_not_fit_on_the_disk_leaves_no_file() {
    let Some(launcher) = launcher(TOO_SMALL) else {
        return;
    };
    let service = Service::start();
    fs::create_dir(service.folder.path().join("store")).expect("a folder can be made");
    for _ in 0..20 {
        service.add(&"x".repeat(10_000), None);
    }
    let output = program_by(&launcher, service.folder.path())
        .args(["backup", "store/copy.db"])
        .output()
        .expect("the program can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("whether its disk has room"), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "no file");
    assert_eq!(service.pets().len(), 20);
}

#[test]
fn a_pet_whose_sync_failed_is_not_acknowledged() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot be used here");
    }
    let folder = place();
    let mut service = Service::start_in(Arc::clone(&folder), &SERVE[3..], &[]);
    let key = service.shown_key();
    service.signal(Signal::TERM);
    service.ended();

    let mut command = program_by(&FAILING_ONCE, folder.path());
    command.args(SERVE);
    let mut service = Service::start_by(command, Arc::clone(&folder));
    service.key = key.clone();
    let rejected = service.post(r#"{"name":"Rex","categoryId":7}"#);
    let message = rejected.assert_error(503, "unavailable");
    assert!(message.contains("it is unknown whether"), "{message}");
    service.add("Tom", None);
    service.signal(Signal::KILL);
    service.ended();

    let mut again = Service::start_in(folder, &SERVE[3..], &[]);
    again.key = key;
    let pets = again.pets();
    let named = |name: &str| pets.iter().filter(|pet| pet["name"] == name).count();
    assert_eq!(named("Tom"), 1, "{pets:?}");
    assert!(named("Rex") <= 1, "{pets:?}");
}
