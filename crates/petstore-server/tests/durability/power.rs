//! Tests that a power failure loses no confirmed write: the system calls of the real program show
//! that each write is synced before its response is sent. The same check fails for a program that
//! does not sync.

use crate::{
    process::{Service, program_by},
    trace::{Trace, Undurable, can_trace, strace},
    webhooks::{LOCAL, Receiver, create_key, enable, write_key},
};
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::json;
use std::{
    env,
    io::Write as _,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
};
use tempfile::TempDir;
use test_support::{Need, skip};

/// Set if this test runs itself under a tracer. The value says how SQLite syncs.
const SYNCHRONOUS: &str = "PETSTORE_TEST_SYNCHRONOUS";
const CONTROL: &str = "power::a_program_that_does_not_sync_is_detected";

fn cannot_trace() -> bool {
    let cannot = !can_trace();
    if cannot {
        skip(Need::Strace, "strace cannot be used here");
    }
    cannot
}

#[test]
fn no_pet_is_acknowledged_or_sent_as_an_event_before_its_write_was_synced() {
    if cannot_trace() {
        return;
    }
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let elsewhere = TempDir::new().expect("a folder can be made");
    let output = elsewhere.path().join("trace");
    let mut command = program_by(&strace(&output), folder.path());
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(LOCAL);
    write_key(folder.path());
    let mut service = Service::start_by(command, Arc::clone(&folder));
    service.key = create_key(folder.path(), &[]);
    let receiver = Receiver::open();
    let types = json!(["pet.created"]);
    let url = receiver.url("/events");
    let (_, secret) = enable(service.address, &service.key, &url, &types);

    // First one pet after the other, then several at the same time, which share a commit.
    let alone = ["alone-a", "alone-b"];
    let together: Vec<String> = (0..8).map(|number| format!("together-{number}")).collect();
    for name in alone {
        service.add(name, None);
    }
    thread::scope(|scope| {
        for name in &together {
            scope.spawn(|| service.add(name, None));
        }
    });
    for _ in 0..alone.len() + together.len() {
        assert!(receiver.event().verify(&secret));
    }
    let pid = service.pid().as_raw_nonzero().get().unsigned_abs();
    service.signal(Signal::TERM);
    service.ended();

    let trace = Trace::complete(&output, pid);
    for name in alone.into_iter().chain(together.iter().map(String::as_str)) {
        let webhook = trace.durable_before("POST /events", name);
        assert_eq!([trace.durable(name), webhook], [Ok(()); 2], "{name}");
    }
    let folder = folder.path().canonicalize().expect("the folder");
    assert!(trace.synced_folder(&folder, alone[0]));
}

#[test]
fn a_program_that_does_not_sync_is_detected() {
    if let Ok(synchronous) = env::var(SYNCHRONOUS) {
        return acknowledge_a_pet(&synchronous);
    }
    if cannot_trace() {
        return;
    }
    for (synchronous, expected) in [
        ("FULL", Ok(())),
        ("NORMAL", Err(Undurable::Unsynced)),
        ("OFF", Err(Undurable::Unsynced)),
    ] {
        assert_eq!(look_at(synchronous), expected, "synchronous={synchronous}");
    }
}

/// Runs this test once more, as the traced program.
fn look_at(synchronous: &str) -> Result<(), Undurable> {
    let folder = TempDir::new().expect("a folder can be made");
    let output = folder.path().join("trace");
    let [strace, options @ ..] = strace(&output);
    let child = Command::new(strace)
        .args(options)
        .arg(env::current_exe().expect("this test"))
        .args(["--exact", CONTROL])
        .env(SYNCHRONOUS, synchronous)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("strace can be run");
    let pid = child.id();
    let printed = child.wait_with_output().expect("it ends");
    let printed = String::from_utf8_lossy(&printed.stdout);
    assert!(printed.contains("1 passed"), "{printed}");
    Trace::complete(&output, pid).durable("Rex")
}

/// Does what the service does to add a pet, but without the sync.
fn acknowledge_a_pet(synchronous: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let mut client = TcpStream::connect(address).expect("a connection");
    let db = Connection::open(Path::new("pets.db")).expect("a database");
    db.execute_batch(&format!(
        "PRAGMA journal_mode = wal; PRAGMA synchronous = {synchronous};
         CREATE TABLE pets (name TEXT);
         INSERT INTO pets VALUES ('Rex')"
    ))
    .expect("a pet");
    write!(client, "HTTP/1.1 201 Created\r\n\r\nRex").expect("a response");
}
