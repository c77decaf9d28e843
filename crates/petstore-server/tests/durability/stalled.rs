//! Tests a disk that stalls while it reads. `strace` delays the reads of the running program, and
//! only the requests that need the disk may wait for it.

use crate::{
    process::Service,
    raw::{self, Request},
    scrape,
    trace::can_trace,
};
use rusqlite::Connection;
use rustix::{
    fs::{Advice, fadvise},
    process::Signal,
};
use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use test_support::{Need, skip};

pub(crate) const PETS: i64 = 20_000;

/// The tracer, which delays or fails system calls until this is dropped.
pub(crate) struct Stall(Child);

impl Stall {
    /// The fault has the form of strace's `inject`, as in `delay_enter=600s`: a delayed call does
    /// not end before the test.
    pub(crate) fn begin(service: &Service, calls: &str, fault: &str) -> Self {
        Self::of_processes(&[service.pid().as_raw_nonzero().get()], calls, fault)
    }

    /// Like [`begin`](Self::begin), for these processes.
    pub(crate) fn of_processes(processes: &[i32], calls: &str, fault: &str) -> Self {
        let (calls, fault) = (format!("trace={calls}"), format!("inject={calls}:{fault}"));
        let mut child = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", &calls, "-e", &fault])
            .args(
                processes
                    .iter()
                    .map(|process| format!("--attach={process}")),
            )
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace can be run");
        let stderr = child.stderr.take().expect("piped");
        let mut lines = BufReader::new(stderr).lines();
        for _ in processes {
            let line = lines.next().expect("a line");
            let line = line.expect("strace writes text");
            assert!(line.contains("attached"), "{line}");
        }
        Self(child)
    }
}

impl Drop for Stall {
    fn drop(&mut self) {
        // The tracer may already have ended, which is not an error here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Adds pets to the store of a service that is not running, so many that the store is larger than
/// what the operating system reads ahead.
pub(crate) fn add_pets(database: &Path) {
    let db = Connection::open(database).expect("the store");
    db.execute(
        "INSERT INTO pets (name, category_id)
             WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
             SELECT hex(zeroblob(500)), n FROM numbers",
        [PETS],
    )
    .expect("pets can be added");
}

/// Makes the operating system drop the content of a file from its cache. Returns `false` if this is
/// impossible because the file system is in memory.
fn evict(file: &Path) -> bool {
    let path = file;
    let file = File::open(path).expect("the store");
    file.sync_all().expect("synced");
    fadvise(&file, 0, None, Advice::DontNeed).expect("the advice is taken");
    let resident = Command::new("fincore")
        .args(["--noheadings", "--raw", "--output", "PAGES"])
        .arg(path)
        .output();
    resident.is_ok_and(|output| output.stdout.starts_with(b"0"))
}

#[test]
fn a_stalled_read_delays_only_its_own_request() {
    if !can_trace() {
        skip(Need::Strace, "strace cannot trace here");
        return;
    }
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let database = folder.path().join("petstore.db");
    let mut first = Service::start_in(Arc::clone(&folder), &[], &[]);
    let key = first.shown_key();
    first.signal(Signal::TERM);
    first.ended();
    add_pets(&database);
    if !evict(&database) {
        skip(Need::Mount, "the folder for temporary files is in memory");
        return;
    }

    let arguments = [
        "--admin-listen",
        "127.0.0.1:0",
        "--request-deadline-seconds",
        "2",
        "--shutdown-grace-seconds",
        "1",
    ];
    let stranger = Service::start().key.clone();
    let mut service = Service::start_in(folder, &arguments, &[]);
    service.key = key;
    let admin = scrape::address(&service);
    let unknown = || Request::get("/v1/pets").key(&stranger);
    assert_eq!(service.get("/v1/pets/1").status, 200);
    assert_eq!(service.send(&unknown()).status, 401);

    let stall = Stall::begin(&service, "pread64", "delay_enter=600s");
    // More requests than there are threads that run handlers.
    let mut stalled: Vec<_> = (1..=6)
        .map(|number| {
            let target = format!("/v1/pets/{}", PETS / 7 * number);
            let mut connection = service.connect();
            connection.write(Request::get(&target).key(&service.key).bytes());
            connection
        })
        .collect();
    // All of these requests get a response, although no stalled read ends before the test.
    for _ in 0..20 {
        assert_eq!(service.get("/v1/pets/1").status, 200);
        assert_eq!(service.send(&unknown()).status, 401);
        assert_eq!(raw::send(admin, &Request::get("/livez")).status, 200);
    }
    // A page that the operating system has read ahead meanwhile does not stall.
    let responses: Vec<_> = stalled
        .iter_mut()
        .map(|connection| connection.response())
        .collect();
    let (done, unavailable): (Vec<_>, Vec<_>) = responses
        .iter()
        .partition(|response| response.status == 200);
    for response in &unavailable {
        response.assert_error(503, "unavailable");
    }
    assert!(!unavailable.is_empty(), "{done:?}");
    service.signal(Signal::TERM);
    service.log.wait_for("petstore_server::program: stopped");
    // Until the tracer ends, it holds the threads that it delays.
    drop(stall);
    let (status, _) = service.ended();
    assert!(status.success(), "{status}");
}
