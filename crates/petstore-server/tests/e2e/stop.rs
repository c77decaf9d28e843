//! Tests the shutdown of the service: running requests are finished within the
//! grace period.

use crate::{
    process::Service,
    raw::{Connection, Request},
    scrape::Watched,
};
use rustix::process::Signal;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
};

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

/// A running request, whose head was read and whose body has not arrived.
fn begun(service: &Service) -> Connection {
    let request = Request::post("/v1/pets", PET)
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let mut connection = service.connect();
    connection.write(&request[..request.len() - PET.len()]);
    assert_eq!(connection.head().0, 100);
    connection
}

#[test]
fn a_running_request_finishes_before_shutdown_and_its_pet_is_kept() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut service = Service::start();
        let mut connection = begun(&service);
        service.signal(signal);
        service.log.wait_for("stopping after SIG");
        connection.write(PET);
        let response = connection.response();
        assert_eq!(response.status, 201, "{response:?}");
        assert!(connection.is_closed());
        let (status, rest) = service.ended();
        assert_eq!(
            (status.code(), rest.as_str()),
            (Some(0), ""),
            "{}",
            service.log.text()
        );

        let again = Service::start_in(service.folder.clone(), &[], &[]);
        let pets = again.send(&Request::get("/v1/pets").key(&service.key));
        assert_eq!(pets.json().as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn an_idle_service_with_open_connections_stops_at_once() {
    let mut service = Service::start();
    let mut idle = service.connect();
    idle.write(Request::get("/v1/pets").key(&service.key).bytes());
    assert_eq!(idle.response().status, 200);
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0));
    assert!(idle.is_closed());
    assert!(
        !service.log.text().contains("were closed"),
        "{}",
        service.log.text()
    );
}

#[test]
fn a_stalled_client_is_disconnected_after_the_grace_period() {
    let mut service = Service::start_with(&["--shutdown-grace-seconds", "0.2"]);
    let mut connection = begun(&service);
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0), "{}", service.log.text());
    service.log.wait_for("were closed");
    assert!(connection.is_closed());
}

#[test]
fn a_second_signal_stops_at_once() {
    let mut service = Service::start_with(&["--shutdown-grace-seconds", "3600"]);
    let _connection = begun(&service);
    service.signal(Signal::TERM);
    service.log.wait_for("stopping after SIGTERM");
    service.signal(Signal::INT);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(1));
    service
        .log
        .wait_for("error: stopped at once by a second signal (SIGINT)");
}

#[test]
fn during_the_shutdown_delay_the_service_is_not_ready_but_responds() {
    let mut watched = Watched::start_with(&["--shutdown-delay-seconds", "3600"]);
    assert_eq!(watched.ask("/readyz").status, 200);
    watched.service.signal(Signal::TERM);
    watched.service.log.wait_for("stopping after SIGTERM");
    assert_eq!(watched.ask("/readyz").status, 503);
    assert_eq!(watched.ask("/livez").status, 200);
    assert_eq!(watched.service.post(PET).status, 201);
    watched.service.signal(Signal::TERM);
    let (status, _) = watched.service.ended();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn after_the_shutdown_delay_the_service_stops() {
    let mut service = Service::start_with(&["--shutdown-delay-seconds", "0.1"]);
    assert_eq!(service.post(PET).status, 201);
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0), "{}", service.log.text());
    let again = Service::start_in(service.folder.clone(), &[], &[]);
    let pets = again.send(&Request::get("/v1/pets").key(&service.key));
    assert_eq!(pets.json().as_array().map(Vec::len), Some(1));
}

#[test]
fn acknowledged_pets_are_kept_and_none_is_stored_in_part() {
    let mut service = Service::start();
    let (address, key) = (service.address, service.key.clone());
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let key = key.clone();
            thread::spawn(move || {
                let request = Request::post("/v1/pets", PET).key(&key).bytes();
                let Ok(mut stream) = TcpStream::connect(address) else {
                    return (0, 0);
                };
                let (mut sent, mut created) = (0, 0);
                let mut buffer = [0; 4096];
                // Reads until the service closes the connection.
                while stream.write_all(&request).is_ok() {
                    sent += 1;
                    match stream.read(&mut buffer) {
                        Ok(read) if buffer[..read].starts_with(b"HTTP/1.1 201 ") => created += 1,
                        _ => break,
                    }
                }
                (sent, created)
            })
        })
        .collect();
    while service.get("/v1/pets").body == b"[]" {}
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0), "{}", service.log.text());
    let counts = clients
        .into_iter()
        .map(|client| client.join().expect("no panic"));
    let (sent, created) = counts.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));

    let database = service.folder.path().join("petstore.db");
    let kept: i64 = rusqlite::Connection::open(database)
        .and_then(|db| {
            let whole = "SELECT count(*) FROM pets WHERE name = 'Rex' AND category_id = 7";
            db.query_row(whole, [], |row| row.get(0))
        })
        .expect("the store can be read");
    let kept = usize::try_from(kept).expect("a count");
    assert!((created..=sent).contains(&kept), "{created} {kept} {sent}");
    assert!(created > 0);
}
