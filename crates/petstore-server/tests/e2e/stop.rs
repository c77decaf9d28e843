//! How the service stops: requests that run are finished, up to the grace.

use crate::{
    process::Service,
    raw::{Connection, Request},
};
use rustix::process::Signal;

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

/// A request that runs: its head was read, its body is waited for.
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
fn a_request_that_runs_is_finished_and_what_it_created_is_kept() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut service = Service::start();
        let mut connection = begun(&service);
        service.signal(signal);
        service.log.wait_for("stopping after SIG");
        connection.write(PET);
        let answer = connection.answer();
        assert_eq!(answer.status, 201, "{answer:?}");
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
fn an_idle_service_stops_at_once_with_connections_open() {
    let mut service = Service::start();
    let mut idle = service.connect();
    idle.write(Request::get("/v1/pets").key(&service.key).bytes());
    assert_eq!(idle.answer().status, 200);
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0));
    assert!(idle.is_closed());
    assert!(
        !service.log.text().contains("cut off"),
        "{}",
        service.log.text()
    );
}

#[test]
fn a_client_that_stalls_is_cut_off_when_the_grace_is_over() {
    let mut service = Service::start_with(&["--shutdown-grace-seconds", "0.2"]);
    let mut connection = begun(&service);
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    assert_eq!(status.code(), Some(0), "{}", service.log.text());
    assert!(
        service.log.text().contains("cut off"),
        "{}",
        service.log.text()
    );
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
