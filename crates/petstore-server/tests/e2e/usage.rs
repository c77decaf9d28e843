//! Tests the command `usage` and the time of last use, during and after a run
//! of the service.

use crate::process::{Service, run_failing, run_ok};
use rustix::process::Signal;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Counts are written to the store within a few seconds.
const SOON: Duration = Duration::from_secs(10);

/// The rows below the header, by columns.
fn rows(folder: &Path) -> Vec<Vec<String>> {
    let text = run_ok(folder, &["usage"]);
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect());
    let header: Vec<String> = lines.next().expect("a header");
    assert_eq!(header[..4], ["key", "name", "operation", "calls"]);
    lines.collect()
}

#[test]
fn a_caller_of_a_deprecated_operation_is_counted_within_seconds() {
    let service = Service::start();
    let folder = service.folder.path();
    assert!(rows(folder).is_empty());
    let second = run_ok(folder, &["key", "create", "the shop's tablet"]);
    let second = crate::raw::Request::get("/v1/pets/1").key(second.trim());
    for _ in 0..3 {
        assert_eq!(service.get("/v1/pets/1").status, 404);
    }
    assert_eq!(service.send(&second).status, 404);
    assert_eq!(service.get("/v1/pets").status, 200);

    let called = Instant::now();
    let found = loop {
        let rows = rows(folder);
        if rows.len() == 2 {
            break rows;
        }
        assert!(called.elapsed() < SOON, "{rows:?}");
    };
    for (name, calls) in [("first", "3"), ("the shop's tablet", "1")] {
        let row = found.iter().find(|row| row[1] == name).expect("a row");
        assert!(row[0].starts_with("k_"), "{row:?}");
        assert_eq!(row[2..4], ["getPet", calls], "{row:?}");
        assert!(row[4] <= row[5] && row[4].starts_with("20"), "{row:?}");
        assert_eq!(row[6], "2030-12-05", "{row:?}");
        assert_eq!(row[7], "use `GET /pets` with a `status` filter");
    }
    let list = run_ok(folder, &["key", "list"]);
    assert_eq!(list.matches("last used 20").count(), 2, "{list}");
}

#[test]
fn what_was_counted_last_is_written_when_the_service_stops_and_added_up_by_the_next() {
    let mut service = Service::start();
    for total in [2, 4] {
        for _ in 0..2 {
            assert_eq!(service.get("/v1/pets/1").status, 404);
        }
        service.signal(Signal::TERM);
        let (status, _) = service.ended();
        assert_eq!(status.code(), Some(0), "{}", service.log.text());
        let rows = rows(service.folder.path());
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0][3], total.to_string());

        let key = service.key.clone();
        service = Service::start_in(service.folder.clone(), &[], &[]);
        service.key = key;
    }
}

#[test]
fn a_store_in_memory_has_no_usage_counters_to_show() {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    let arguments = ["usage", "--database", "sqlite::memory:"];
    let error = run_failing(folder.path(), &arguments, 1);
    assert!(error.contains("name a file with `--database`"), "{error}");
}
