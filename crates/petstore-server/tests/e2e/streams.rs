//! Tests streamed responses: all pets, and the events as they happen, as `book/src/petstore/events.md` describes them.

use crate::{
    client::client_of,
    events::{next, order},
    haproxy::Haproxy,
    process::{Service, program, run_ok},
    raw::{self, Connection, Request},
};
use petstore_client::{ErrorKind, NewPet, PetStatus, RetryPolicy, types};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::TcpListener, sync::Arc, time::Duration};
use tempfile::TempDir;
use test_support::{Need, skip};
use tokio::time::timeout;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);
const STREAM: &str = "/v1/events/stream";

/// A stream of events whose head was read.
fn follow(service: &Service, target: &str, last: Option<&str>) -> Connection {
    let mut connection = service.connect();
    let mut request = Request::get(target).key(&service.key);
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    connection.write(request.bytes());
    let (status, headers) = connection.head();
    assert_eq!(status, 200, "{headers:?}");
    let media_type = ("content-type".into(), "text/event-stream".into());
    assert!(headers.contains(&media_type), "{headers:?}");
    connection
}

/// Returns the id and the data of the next event with data.
fn event(connection: &mut Connection) -> (String, Value) {
    let mut id = String::new();
    loop {
        let line = connection.until("\n");
        if let Some(found) = line.strip_prefix("id: ") {
            id = found.trim_end().to_owned();
        }
        if let Some(data) = line.strip_prefix("data: ") {
            return (id, serde_json::from_str(data).expect("an event"));
        }
    }
}

fn list(service: &Service, target: &str) -> (Vec<Value>, String) {
    let response = service.get(target);
    assert_eq!(response.status, 200, "{response:?}");
    let events = response.json().as_array().expect("a page").clone();
    (events, next(&response))
}

#[test]
fn a_stream_sends_the_existing_events_first_and_then_each_new_event() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let placed = order(&service, pet);
    let (listed, _) = list(&service, "/v1/events");
    let mut all = follow(&service, STREAM, None);
    let mut ids = Vec::new();
    for expected in &listed {
        let (id, data) = event(&mut all);
        assert_eq!(&data, expected);
        assert_eq!(id, data["cursor"]);
        ids.push(id);
    }
    let mut later = follow(&service, &format!("{STREAM}?cursor=now"), None);
    // The position at which the stream begins is fixed before anything happens.
    let begin = later.until("\n\n");
    let id = begin
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .expect("an id");
    assert_eq!(id, ids[ids.len() - 1]);
    assert!(!begin.contains("data"), "{begin}");
    service.add("Tom", None);
    for stream in [&mut all, &mut later] {
        assert_eq!(event(stream).1["data"]["name"], "Tom");
    }
    // Continues after the first event. The header takes precedence over the parameter, as when a browser reconnects.
    let mut again = follow(&service, &format!("{STREAM}?cursor=now"), Some(&ids[0]));
    for expected in &listed[1..] {
        assert_eq!(&event(&mut again).1, expected);
    }
    let only = format!("{STREAM}?type=order.placed,order.updated");
    let mut orders = follow(&service, &only, None);
    assert_eq!(event(&mut orders).1["data"], placed);
}

#[test]
fn a_stream_that_cannot_start_is_an_error() {
    let service = Service::start();
    for target in ["?cursor=MTphOjI", "?type=pet.sold", "?cursor="] {
        let response = service.get(&format!("{STREAM}{target}"));
        response.assert_error(400, "invalid_request");
    }
    raw::send(service.address, &Request::get(STREAM)).assert_error(401, "unauthorized");
    let wrong = Request::get(STREAM)
        .key(&service.key)
        .header("Last-Event-ID", "1");
    service.send(&wrong).assert_error(400, "invalid_request");
    service.add("Rex", None);
    let (_, cursor) = list(&service, "/v1/events?cursor=now");
    let (_, cursor) = cursor.split_once("cursor=").expect("a cursor");

    // With a copy of another store, and with events switched off.
    for (arguments, status, code) in [
        (&[][..], 410, "cursor_reset"),
        (&["--events", "off"], 404, "not_found"),
    ] {
        let other = Service::start_with(arguments);
        other
            .get(&format!("{STREAM}?cursor={cursor}"))
            .assert_error(status, code);
    }
}

#[test]
fn a_stream_ends_when_its_key_is_revoked_and_when_the_server_stops() {
    /// The end of a complete stream.
    const END: &str = "\r\n0\r\n\r\n";
    let mut service = Service::start();
    let folder = service.folder.clone();
    let key = run_ok(folder.path(), &["key", "create", "reader"]);
    let key = std::mem::replace(&mut service.key, key.trim().to_owned());
    let mut revoked = follow(&service, STREAM, None);
    service.key = key;
    let mut stopped = follow(&service, STREAM, None);
    service.add("Rex", None);
    for stream in [&mut revoked, &mut stopped] {
        assert_eq!(event(stream).1["data"]["name"], "Rex");
    }
    run_ok(folder.path(), &["key", "revoke", "reader"]);
    revoked.until(END);
    service.add("Tom", None);
    assert_eq!(event(&mut stopped).1["data"]["name"], "Tom");
    service.signal(Signal::TERM);
    stopped.until(END);
    service.ended();
}

#[tokio::test]
async fn an_export_contains_each_pet_once_and_in_order_or_ends_with_an_error() {
    /// More than one page of the store, and more than the buffers along the way can hold.
    const COUNT: usize = 2_000;
    let mut service = Service::start();
    let client = client_of(&service);
    let mut connection = service.connect();
    for number in 0..COUNT {
        let status = ["available", "sold"][number % 2];
        let pet = json!({"name": format!("{number:04}"), "categoryId": 7, "status": status});
        connection.write(
            Request::post("/v1/pets", pet.to_string())
                .key(&service.key)
                .bytes(),
        );
        assert_eq!(connection.response().status, 201);
    }
    for (status, step) in [(None, 1), (Some(PetStatus::Sold), 2)] {
        let mut export = client.export_pets();
        if let Some(status) = status {
            export = export.status(status);
        }
        let mut pets = export.send().await.expect("it begins").into_inner();
        let mut expected = (step - 1..COUNT).step_by(step);
        while let Some(pet) = pets.next().await {
            let number = expected.next().expect("a pet too many");
            assert_eq!(pet.expect("a pet").name.as_str(), format!("{number:04}"));
        }
        assert_eq!(expected.next(), None);
    }
    let wrong = service.get("/v1/pets/export?status=lost");
    wrong.assert_error(400, "invalid_request");

    let mut pets = client
        .export_pets()
        .send()
        .await
        .expect("it begins")
        .into_inner();
    pets.next().await.expect("more").expect("a pet");
    service.signal(Signal::KILL);
    service.ended();
    let error = loop {
        match pets
            .next()
            .await
            .expect("it does not end as if it were complete")
        {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert!(pets.next().await.is_none());
}

/// A service at a fixed address. Its store and key are kept when it is restarted.
fn serve(folder: &Arc<TempDir>, ports: [u16; 2]) -> Service {
    let [listen, admin] = ports.map(|port| format!("127.0.0.1:{port}"));
    let mut command = program(folder.path());
    command.args(["serve", "--listen", &listen, "--admin-listen", &admin]);
    Service::start_by(command, folder.clone())
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    free.local_addr().expect("it has an address").port()
}

async fn add(client: &petstore_client::Client, name: &str) -> Option<i64> {
    let pet = NewPet::builder().name(name).category_id(7);
    let request = client.create_pet().body(pet).retry(RetryPolicy::never());
    Some(request.send().await.ok()?.id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_behind_the_proxy_misses_nothing_when_the_service_is_killed() {
    if !Haproxy::is_installed() {
        skip(Need::Haproxy, "HAProxy is not installed");
        return;
    }
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let ports = [free_port(), free_port()];
    let mut service = serve(&folder, ports);
    service.key = service.shown_key();
    let proxy = Haproxy::start(&[(service.address, ports[1])]);
    let through = petstore_client::Client::builder(format!("http://{}/v1", proxy.address))
        .api_key(&*service.key)
        .build()
        .expect("a client");
    let direct = client_of(&service);
    let events = through.stream_events().cursor("now").send().await;
    let mut events = events.expect("it begins").into_inner();
    let (mut added, mut seen) = (BTreeSet::new(), Vec::new());
    for life in 0..4 {
        for number in 0..50 {
            added.insert(
                add(&direct, &format!("{life} {number}"))
                    .await
                    .expect("added"),
            );
        }
        if life < 3 {
            service.signal(Signal::KILL);
            service.ended();
            service = serve(&folder, ports);
        }
    }
    while seen.len() < added.len() {
        let event = timeout(PATIENCE, events.next())
            .await
            .expect("not for ever");
        let event = event.expect("no end").expect("an event");
        assert_eq!(event.id.as_deref(), events.last_event_id());
        let types::Event::PetCreated(event) = event.data else {
            panic!("only pets are added");
        };
        seen.push(event.data.id);
    }
    assert!(seen.iter().eq(&added), "{seen:?}");
    assert!(events.reconnects() > 0);
}
