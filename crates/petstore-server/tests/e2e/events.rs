//! Tests the event feed over HTTP: pages, long polls, and cursors that cannot be continued, as `book/src/petstore/events.md`
//! describes them.

use crate::{
    process::{Service, run_ok},
    raw::{Connection, RawResponse, Request},
    scrape::Watched,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    fs,
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn next(response: &RawResponse) -> String {
    let link = response.header("link").expect("a link");
    let link = link.strip_prefix('<').expect("a link");
    let (target, rest) = link.split_once('>').expect("a link");
    assert_eq!(rest, "; rel=\"next\"");
    format!("/v1/events{target}")
}

fn page(service: &Service, target: &str) -> (Vec<Value>, String) {
    let response = service.get(target);
    assert_eq!(response.status, 200, "{response:?}");
    let events = response.json().as_array().expect("a page").clone();
    (events, next(&response))
}

/// Returns the cursor after all events so far.
fn now(service: &Service) -> String {
    let (events, next) = page(service, "/v1/events?cursor=now");
    assert_eq!(events, [Value::Null; 0]);
    next
}

fn lost(service: &Service, target: &str, code: &str) {
    service.get(target).assert_error(410, code);
}

pub(crate) fn order(service: &Service, pet: i64) -> Value {
    let body = json!({"petId": pet}).to_string();
    let request = Request::post("/v1/store/orders", body).key(&service.key);
    let response = service.send(&request);
    assert_eq!(response.status, 201, "{response:?}");
    response.json()
}

#[test]
fn a_consumer_that_follows_the_links_gets_each_change_once_and_in_order() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let placed = order(&service, pet);
    for number in 0..5 {
        service.add(&number.to_string(), None);
    }
    let mut target = "/v1/events?limit=3".to_owned();
    let mut met = Vec::new();
    loop {
        let (events, next) = page(&service, &target);
        if events.is_empty() {
            assert_eq!(next, target, "nothing has happened");
            break;
        }
        assert!(events.len() <= 3);
        let cursor = events[events.len() - 1]["cursor"]
            .as_str()
            .expect("a cursor");
        assert!(next.ends_with(&format!("&cursor={cursor}")), "{next}");
        met.extend(events);
        target = next;
    }
    let types: Vec<_> = met
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect();
    let mut expected = vec!["pet.created", "order.placed", "pet.status_changed"];
    expected.extend(["pet.created"; 5]);
    assert_eq!(types, expected);
    assert_eq!(
        met[0]["data"],
        json!({"id": pet, "name": "Rex", "categoryId": 7, "status": "available", "version": 1})
    );
    assert_eq!(met[1]["data"], placed);
    assert_eq!(met[2]["data"], json!({"id": pet, "status": "pending"}));
    let versions: Vec<_> = met.iter().map(|event| event["version"].as_i64()).collect();
    assert_eq!(versions, [1, 1, 2, 1, 1, 1, 1, 1].map(Some));
    let found = service.get(&format!("/v1/pets/{pet}")).json();
    assert_eq!(found["version"], 2);

    // From each event on, and with certain types only.
    let cursor = met[0]["cursor"].as_str().expect("a cursor");
    let (orders, rest) = page(
        &service,
        &format!("/v1/events?cursor={cursor}&type=order.placed,order.updated"),
    );
    assert_eq!(orders, met[1..2]);
    assert_eq!(page(&service, &rest).0, [Value::Null; 0]);
    for wrong in ["cursor=MTphOjI", "type=pet.sold", "wait=31", "limit=0"] {
        let response = service.get(&format!("/v1/events?{wrong}"));
        response.assert_error(400, "invalid_request");
    }
}

#[test]
fn a_long_poll_ends_only_with_an_event_of_a_requested_type() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let target = now(&service);
    let mut waiting = service.connect();
    let request = Request::get(&format!("{target}&wait=30&type=order.placed")).key(&service.key);
    waiting.write(request.bytes());
    service.add("Tom", None);
    let placed = order(&service, pet);
    let response = waiting.response();
    let events = response.json();
    assert_eq!(events[0]["data"], placed, "{response:?}");
    assert_eq!(events.as_array().map(Vec::len), Some(1));

    let (events, same) = page(&service, &format!("{}&wait=1", now(&service)));
    assert_eq!(events, [Value::Null; 0]);
    assert_eq!(same.replace("&wait=1", ""), now(&service));
}

#[test]
fn long_polling_requests_do_not_use_read_permits() {
    let watched = Watched::start_with(&["--max-in-flight", "4"]);
    let service = &watched.service;
    let target = format!("{}&wait=30", now(service));
    let mut waiting: Vec<Connection> = Vec::new();
    for number in 1..=20 {
        let mut connection = service.connect();
        connection.write(Request::get(&target).key(&service.key).bytes());
        waiting.push(connection);
        // Until it waits, the request counts as a read.
        let begun = Instant::now();
        while watched.scrape().find("petstore_streams_in_use", &[]) != Some(f64::from(number)) {
            assert!(begun.elapsed() < PATIENCE, "not {number} that wait");
        }
        assert_eq!(service.get("/v1/pets").status, 200);
    }
    service.add("Rex", None);
    for mut connection in waiting {
        let response = connection.response();
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.json()[0]["data"]["name"], "Rex");
    }
}

/// Returns a connection whose request waits, and the response to a second request that was sent meanwhile. The service must allow
/// only one waiting request per key.
fn one_that_waits(service: &Service, target: &str) -> (Connection, RawResponse) {
    let begun = Instant::now();
    loop {
        let mut first = service.connect();
        let request = Request::get(&format!("{target}&wait=30")).key(&service.key);
        first.write(request.bytes());
        let second = service.get(&format!("{target}&wait=1"));
        if second.status != 200 {
            return (first, second);
        }
        // The second request may have arrived first.
        let rejected = first.response();
        assert_eq!(rejected.status, 503, "{rejected:?}");
        assert!(begun.elapsed() < PATIENCE, "the first one never waits");
    }
}

#[test]
fn waiting_requests_are_limited_per_key_and_may_outlast_the_deadline() {
    let arguments = [
        "--max-streams-per-key",
        "1",
        "--request-deadline-seconds",
        "1",
    ];
    let service = Service::start_with(&arguments);
    let (mut first, rejected) = one_that_waits(&service, &now(&service));
    rejected.assert_error(503, "overloaded");
    // This is longer than a request may run.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        assert_eq!(service.get("/v1/pets").status, 200);
    }
    service.add("Rex", None);
    let response = first.response();
    assert_eq!(response.json()[0]["data"]["name"], "Rex", "{response:?}");
}

#[test]
fn a_wait_ends_when_the_server_stops() {
    let mut service = Service::start_with(&["--max-streams-per-key", "1"]);
    let target = now(&service);
    let (mut waiting, _) = one_that_waits(&service, &target);
    service.signal(Signal::TERM);
    let response = waiting.response();
    assert_eq!(
        (response.status, response.json()),
        (200, json!([])),
        "{response:?}"
    );
    assert_eq!(next(&response).replace("&wait=30", ""), target);
    service.ended();
}

#[test]
fn a_cursor_from_before_a_restore_is_rejected_as_reset_after_every_kind_of_restore() {
    let mut service = Service::start();
    service.add("Rex", None);
    let folder = service.folder.clone();
    run_ok(folder.path(), &["backup", "copy.db"]);
    let early = now(&service);
    service.add("Tom", None);
    let late = now(&service);
    let restart = |service: &mut Service, restore: &dyn Fn()| {
        service.signal(Signal::TERM);
        service.ended();
        restore();
        let mut again = Service::start_in(folder.clone(), &[], &[]);
        again.key.clone_from(&service.key);
        *service = again;
    };
    // If the store is restored by other means than those of the service, the cursor is ahead at first, and later belongs to
    // another history.
    let copy = || {
        let store = folder.path().join("petstore.db");
        fs::copy(folder.path().join("copy.db"), store).expect("a copy");
    };
    restart(&mut service, &copy);
    lost(&service, &late, "cursor_reset");
    service.add("Tim", None);
    service.add("Kim", None);
    lost(&service, &late, "cursor_reset");
    // The copy also contains the events up to this one.
    let (events, _) = page(&service, &early);
    let names: Vec<_> = events.iter().map(|event| &event["data"]["name"]).collect();
    assert_eq!(names, ["Tim", "Kim"]);

    let by_command = || drop(run_ok(folder.path(), &["restore", "copy.db"]));
    restart(&mut service, &by_command);
    for cursor in [&early, &late] {
        lost(&service, cursor, "cursor_reset");
    }
    let (events, _) = page(&service, "/v1/events");
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn a_cursor_whose_next_events_were_deleted_has_expired() {
    let mut service = Service::start();
    let begin = now(&service);
    service.add("Rex", None);
    service.add("Tom", None);
    service.signal(Signal::TERM);
    service.ended();
    let db = rusqlite::Connection::open(service.folder.path().join("petstore.db"));
    let db = db.expect("the store");
    let forget = "UPDATE event_feed SET (pruned, pruned_id) = (SELECT position, id FROM events WHERE position = 1);
        DELETE FROM events WHERE position = 1";
    db.execute_batch(forget)
        .expect("the first event is deleted");
    drop(db);
    let mut again = Service::start_in(service.folder.clone(), &[], &[]);
    again.key.clone_from(&service.key);
    lost(&again, &begin, "cursor_expired");
    let (events, _) = page(&again, "/v1/events");
    assert_eq!(events[0]["data"]["name"], "Tom");
}

#[test]
fn a_service_without_events_has_no_feed_and_enabling_events_starts_a_new_feed() {
    let mut service = Service::start();
    service.add("Rex", None);
    let before = now(&service);
    for arguments in [&["--events", "off"][..], &[]] {
        service.signal(Signal::TERM);
        service.ended();
        let mut again = Service::start_in(service.folder.clone(), arguments, &[]);
        again.key.clone_from(&service.key);
        service = again;
        if !arguments.is_empty() {
            service.add("Tom", None);
            service.get(&before).assert_error(404, "not_found");
        }
    }
    lost(&service, &before, "cursor_reset");
    let (events, _) = page(&service, "/v1/events");
    assert_eq!(events.len(), 1, "{events:?}");
}
