//! Tests the connection after a rejection, an unusual client or an HTTP/1.0 client: it stays usable
//! or is closed properly, and neither side waits forever.

use crate::{
    process::Service,
    raw::{Connection, Request},
};
use std::{
    process::Command,
    time::{Duration, Instant},
};
use test_support::{Need, skip};

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

#[test]
fn expect_100_continue_gets_100() {
    let service = Service::start();
    let request = Request::post("/v1/pets", PET)
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let (head, body) = request.split_at(request.len() - PET.len());
    let mut connection = service.connect();
    connection.write(head);
    assert_eq!(connection.head().0, 100);
    connection.write(body);
    assert_eq!(connection.response().status, 201);
}

#[test]
fn a_request_with_expect_100_continue_is_rejected_before_its_body_is_sent() {
    let service = Service::start();
    let large = "x".repeat(2_000_000);
    for (request, status) in [
        (Request::post("/v1/pets", PET), 401),
        (
            Request::post("/v1/pets", large.as_str()).key(&service.key),
            413,
        ),
    ] {
        let request = request.header("Expect", "100-continue").bytes();
        let head = request
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("a head")
            + 4;
        let mut connection = service.connect();
        connection.write(&request[..head]);
        assert_eq!(connection.response().status, status);
        assert!(connection.is_closed());
    }
}

#[test]
fn an_http_1_0_client_gets_a_response_and_its_connection_is_closed() {
    let service = Service::start();
    let mut connection = service.connect();
    connection.write(format!(
        "GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer {}\r\n\r\n",
        service.key
    ));
    assert_eq!(connection.response().status, 200);
    assert!(connection.is_closed());
}

#[test]
fn a_rejected_body_is_not_parsed_as_the_next_request() {
    let service = Service::start();
    let inner = Request::post("/v1/pets", PET).key(&service.key).bytes();
    let mut connection = service.connect();
    // The request has no key. Its body is a complete request with a key.
    connection.write(Request::post("/v1/pets", inner).bytes());
    connection.response().assert_error(401, "unauthorized");
    connection.write(Request::get("/v1/pets").key(&service.key).bytes());
    let response = connection.response();
    assert_eq!(
        (response.status, response.body.as_slice()),
        (200, &b"[]"[..])
    );
}

#[test]
fn a_large_body_without_a_key_is_rejected_with_401_and_the_connection_stays_usable() {
    let service = Service::start();
    let mut connection = service.connect();
    connection.write(Request::post("/v1/pets", vec![b'x'; 3_000_000]).bytes());
    connection.response().assert_error(401, "unauthorized");
    connection.write(Request::get("/v1/pets").key(&service.key).bytes());
    assert_eq!(connection.response().status, 200);
}

#[test]
fn an_endless_body_is_not_read_to_its_end() {
    let service = Service::start();
    let mut connection = service.connect();
    let post = Request::new("POST", "/v1/pets").key(&service.key);
    let post = post.header("Content-Type", "application/json");
    connection.write(post.header("Content-Length", "100000000000").bytes());
    let began = Instant::now();
    connection.response().assert_error(413, "payload_too_large");
    // The server waits only for a short time, so that the client can read the response.
    assert!(connection.is_closed());
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn requests_in_one_packet_get_their_responses_in_order() {
    let service = Service::start();
    let create = Request::post("/v1/pets", PET).key(&service.key).bytes();
    let list = Request::get("/v1/pets").key(&service.key).bytes();
    let unknown = Request::get("/v1/x").bytes();
    let mut connection = service.connect();
    connection.write([create, unknown, list].concat());
    assert_eq!(connection.response().status, 201);
    assert_eq!(connection.response().status, 404);
    assert_eq!(
        connection.response().json().as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_body_of_an_operation_without_a_body_is_read_and_ignored() {
    let service = Service::start();
    let mut connection = service.connect();
    for _ in 0..2 {
        let request = Request::get("/v1/pets")
            .key(&service.key)
            .header("Content-Type", "text/plain")
            .body("not JSON");
        connection.write(request.bytes());
        assert_eq!(connection.response().status, 200);
    }
}

#[test]
fn request_targets_of_every_form_get_a_response() {
    let service = Service::start();
    service
        .send(&Request::new("OPTIONS", "*"))
        .assert_error(404, "not_found");
    service
        .send(&Request::new("CONNECT", "example.org:443"))
        .assert_error(404, "not_found");
    let absolute = format!("http://{}/v1/pets", service.address);
    assert_eq!(service.get(&absolute).status, 200);
    let with_user = format!("http://user:secret@{}/v1/pets", service.address);
    service.get(&with_user).assert_error(400, "invalid_request");
}

#[test]
fn silent_clients_do_not_block_other_clients() {
    let service = Service::start();
    let silent: Vec<Connection> = (0..200).map(|_| service.connect()).collect();
    let dripping: Vec<Connection> = (0..200)
        .map(|_| {
            let request = Request::post("/v1/pets", PET).key(&service.key).bytes();
            let mut connection = service.connect();
            connection.write(&request[..request.len() - 1]);
            connection
        })
        .collect();
    assert_eq!(service.post(PET).status, 201);
    assert_eq!(service.pets().len(), 1);
    drop((silent, dripping));
    assert_eq!(
        service.pets().len(),
        1,
        "a request that broke off created nothing"
    );
}

/// The body is unread when the response is sent, and the end of the stream must not overtake the
/// response. reqwest tolerates this, but curl does not.
#[test]
fn a_401_arrives_over_http_2_for_a_request_with_a_body() {
    let version = Command::new("curl").arg("--version").output();
    if !version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("HTTP2")) {
        return skip(Need::Curl, "curl with HTTP/2 is not installed");
    }
    let service = Service::start();
    let pets = format!("http://{}/v1/pets", service.address);
    for _ in 0..40 {
        let output = Command::new("curl")
            .args(["--silent", "--http2-prior-knowledge", "--data", "{}", &pets])
            .output()
            .expect("curl runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.contains(r#""code":"unauthorized""#),
            "curl ended with {} and said `{said}`",
            output.status
        );
    }
}
