//! Tests a disk on which writes hang or fail: reads continue, one key does not use up the capacity
//! of others, and `/readyz` reports the problem until writes succeed again.

use crate::{
    disk::{fill, seen_by, watched_on_a_small_disk},
    process::{Service, run_ok},
    raw::{Connection, RawResponse, Request},
    scrape::{Scrape, Watched},
    stalled::Stall,
    trace::can_trace,
};
use std::{
    fs, thread,
    time::{Duration, Instant},
};
use test_support::{Need, skip};

const SYNCS: &str = "fsync,fdatasync";
const HANG: &str = "delay_enter=600s";
const PATIENCE: Duration = Duration::from_secs(20);

/// Connections on which creations were started.
fn begin(service: &Service, key: &str, count: usize) -> Vec<Connection> {
    let begin = |_| {
        let mut connection = service.connect();
        connection.write(create(key).bytes());
        connection
    };
    (0..count).map(begin).collect()
}

fn create(key: &str) -> Request {
    Request::post("/v1/pets", r#"{"name":"Rex","categoryId":7}"#).key(key)
}

/// Waits until the metrics have the wanted values.
fn until(watched: &Watched, wanted: impl Fn(&Scrape) -> bool) {
    let begin = Instant::now();
    loop {
        let scrape = watched.scrape();
        if wanted(&scrape) {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{}", scrape.text);
        thread::sleep(Duration::from_millis(10));
    }
}

fn second_key(service: &Service) -> String {
    let shown = run_ok(service.folder.path(), &["key", "create", "other"]);
    let key = shown
        .split_whitespace()
        .find(|word| word.starts_with("petstore_"));
    key.expect("a key").to_owned()
}

fn overloaded(scrape: &Scrape) -> f64 {
    let labels = [("code", "overloaded")];
    scrape
        .find("petstore_errors_total", &labels)
        .unwrap_or_default()
}

#[test]
fn hanging_writes_leave_permits_for_reads_and_for_other_keys() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot trace here");
    }
    let arguments = ["--max-in-flight", "16", "--request-deadline-seconds", "8"];
    let watched = Watched::start_with(&arguments);
    let service = &watched.service;
    let id = service.add("before", None);
    let other = second_key(service);

    let stall = Stall::begin(service, SYNCS, HANG);
    let mut waiting = begin(service, &service.key, 40);
    until(&watched, |scrape| overloaded(scrape) > 0.0);
    let read = service.get(&format!("/v1/pets/{id}"));
    assert_eq!(read.status, 200, "{read:?}");
    let mut others = begin(service, &other, 1);
    let response = others[0].response();
    // This request had a permit and waited until its deadline.
    response.assert_error(503, "unavailable");
    drop(stall);
    let responses: Vec<RawResponse> = waiting.iter_mut().map(Connection::response).collect();
    let begun = responses
        .iter()
        .filter(|response| response.json()["code"] != "overloaded");
    assert_eq!(begun.count(), 12, "one key alone gets three quarters");
}

#[test]
fn waiting_writes_of_one_key_leave_room_in_the_queue_for_other_keys() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot trace here");
    }
    let watched = Watched::start_with(&["--request-deadline-seconds", "60"]);
    let service = &watched.service;
    let other = second_key(service);

    let stall = Stall::begin(service, SYNCS, HANG);
    let mut sent = 0.0;
    loop {
        // A write whose client disconnected stays in the queue.
        let group = begin(service, &service.key, 50);
        sent += 50.0;
        let queued = |scrape: &Scrape| {
            let queued = scrape.find("petstore_store_queued_writes", &[]);
            // The batch that hangs can contain the whole first group.
            queued.expect("a gauge") + overloaded(scrape) + 50.0 >= sent
        };
        until(&watched, queued);
        drop(group);
        if overloaded(&watched.scrape()) > 0.0 {
            break;
        }
        assert!(sent < 2000.0, "the queue has no end");
    }
    let mut others = begin(service, &other, 1);
    let before = overloaded(&watched.scrape());
    // The requests of the other key wait, or are rejected at once.
    until(&watched, |scrape| {
        scrape.find("petstore_permits_in_use", &[]) >= Some(1.0) || overloaded(scrape) > before
    });
    drop(stall);
    let response = others[0].response();
    assert_eq!(response.status, 201, "{response:?}");
}

#[test]
fn stalled_bodies_of_one_key_leave_memory_for_other_keys() {
    let arguments = [
        "--body-max-bytes",
        "65536",
        "--body-budget-bytes",
        "1048576",
        "--body-read-seconds",
        "60",
    ];
    let watched = Watched::start_with(&arguments);
    let service = &watched.service;
    let other = second_key(service);

    // Sends bodies without their last bytes.
    let stalled = Request::post("/v1/pets", vec![b' '; 21_000])
        .key(&service.key)
        .bytes();
    let pet = format!(r#"{{"name":"{}","categoryId":7}}"#, "x".repeat(20_000));
    let create = |key: &str| service.send(&Request::post("/v1/pets", pet.clone()).key(key));
    let mut connections = Vec::new();
    while create(&service.key).status == 201 {
        let mut connection = service.connect();
        connection.write(&stalled[..stalled.len() - 500]);
        connections.push(connection);
        assert!(connections.len() < 100, "the budget has no end");
    }
    for _ in 0..20 {
        let response = create(&other);
        assert_eq!(response.status, 201, "{response:?}");
    }
}

#[test]
fn a_sync_that_hangs_makes_the_service_not_ready_until_it_ends() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot trace here");
    }
    let watched = Watched::start_with(&["--request-deadline-seconds", "1"]);
    let service = &watched.service;
    assert_eq!(watched.ask("/readyz").status, 200);

    let stall = Stall::begin(service, SYNCS, HANG);
    service
        .post(r#"{"name":"Rex","categoryId":7}"#)
        .assert_error(503, "unavailable");
    let why = watched.until_readiness(503);
    assert!(why.contains("writes have not succeeded for"), "{why}");
    assert_eq!(watched.ask("/livez").status, 200);
    assert_eq!(service.get("/v1/pets").status, 200);
    drop(stall);
    watched.until_readiness(200);
}

#[test]
fn a_sync_that_fails_makes_the_service_not_ready_until_it_succeeds() {
    if !can_trace() {
        return skip(Need::Strace, "strace cannot trace here");
    }
    let watched = Watched::start();
    let service = &watched.service;
    let stall = Stall::begin(service, SYNCS, "error=EIO");
    service
        .post(r#"{"name":"Rex","categoryId":7}"#)
        .assert_error(503, "unavailable");
    let why = watched.until_readiness(503);
    assert!(why.contains("disk I/O error"), "{why}");
    drop(stall);
    // This happens without any request to the API.
    watched.until_readiness(200);
    service.add("after", None);
}

#[test]
fn a_full_disk_makes_the_service_not_ready_until_there_is_room() {
    let Some(watched) = watched_on_a_small_disk() else {
        return;
    };
    let filler = fill(&seen_by(&watched.service));
    let pet = format!(r#"{{"name":"{}","categoryId":7}}"#, "x".repeat(10_000));
    let begin = Instant::now();
    while watched.service.post(pet.clone()).status == 201 {
        assert!(begin.elapsed() < PATIENCE, "there is room");
    }
    let why = watched.until_readiness(503);
    assert!(why.contains("database or disk is full"), "{why}");
    fs::remove_file(filler).expect("room is made");
    // This happens without any request to the API.
    watched.until_readiness(200);
}
