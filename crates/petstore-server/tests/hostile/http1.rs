//! Tests requests that break the rules of HTTP/1.1, and `HEAD`.

use crate::{
    alone,
    attacked::Attacked,
    process::Service,
    raw::{RawResponse, Request},
};
use std::{collections::BTreeMap, thread};

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

/// Sends a head unchanged, with the key of the service.
fn ask(service: &Service, line: &str, fields: &[&str]) -> RawResponse {
    let mut connection = service.connect();
    let key = format!("Authorization: Bearer {}", service.key);
    let head = [&[line, key.as_str()], fields, &["", ""]].concat();
    connection.write(head.join("\r\n"));
    connection.response()
}

/// See RFC 9112, section 3.2.
#[test]
fn a_request_without_a_valid_host_is_rejected_with_400() {
    let service = Service::start();
    let list = "GET /v1/pets HTTP/1.1";
    for fields in [
        &[][..],
        &["Host: a", "Host: b"],
        &["Host: a", "Host: a"],
        &["Host: a b"],
        &["Host: a/b"],
        &["Host: user@a"],
        &["Host: a:port"],
        &["Host: a,b"],
        &["Host: [::1"],
        &["Host: a\\b"],
    ] {
        let response = ask(&service, list, fields);
        let what = format!("{fields:?}: {response:?}");
        assert_eq!(response.status, 400, "{what}");
        assert_eq!(response.json()["code"], "invalid_request", "{what}");
        response.assert_error(400, "invalid_request");
    }
    for fields in [
        &["Host: a"][..],
        &["Host: a:80"],
        &["Host: a:"],
        &["Host: 127.0.0.1"],
        &["Host: [::1]:8080"],
        // The authority of a target without an authority is empty.
        &["Host:"],
    ] {
        let response = ask(&service, list, fields);
        assert_eq!(response.status, 200, "{fields:?}: {response:?}");
    }
    let absolute = "GET http://pets.example/v1/pets HTTP/1.1";
    assert_eq!(ask(&service, absolute, &["Host: other"]).status, 200);
    assert_eq!(ask(&service, absolute, &[]).status, 400);
}

/// Returns the header fields that describe the response, except those that differ between responses.
fn fields(headers: &[(String, String)]) -> BTreeMap<String, String> {
    let changes = ["date", "x-request-id"];
    headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), value.clone()))
        .filter(|(name, _)| !changes.contains(&name.as_str()))
        .collect()
}

/// See RFC 9110, section 9.3.2.
#[test]
fn head_has_the_status_and_the_headers_of_get() {
    let service = Service::start();
    service.add("Rex", None);
    service.add("Tom", Some("available"));
    let order = r#"{"petId":2}"#;
    let order = Request::post("/v1/store/orders", order).key(&service.key);
    assert_eq!(service.send(&order).status, 201);
    let mut connection = service.connect();
    for (target, status) in [
        ("/v1/pets", 200),
        ("/v1/pets?limit=1", 200),
        ("/v1/pets?limit=x", 400),
        ("/v1/pets/1", 200),
        ("/v1/pets/99", 404),
        ("/v1/store/orders", 200),
        ("/v1/store/orders/1", 200),
        ("/v1/nothing", 404),
        ("/v1/openapi.json", 200),
        ("/docs", 200),
    ] {
        for encoding in ["identity", "gzip"] {
            let ask = |method| {
                Request::new(method, target)
                    .key(&service.key)
                    .header("Accept-Encoding", encoding)
                    .bytes()
            };
            connection.write(ask("GET"));
            let get = connection.response();
            connection.write(ask("HEAD"));
            let head = connection.head();
            let what = format!("{target} with {encoding}");
            assert_eq!((get.status, head.0), (status, status), "{what}: {head:?}");
            assert_eq!(fields(&get.headers), fields(&head.1), "{what}");
        }
    }
    connection.write(Request::new("HEAD", "/v1/pets").bytes());
    assert_eq!(connection.head().0, 401, "without a key");
    let other = service.send(&Request::new("DELETE", "/v1/pets").key(&service.key));
    let allow = other.header("allow").expect("of a 405");
    assert!(allow.contains("HEAD"), "{allow}");
}

/// The responses have no content, so the service processes the next request even if the hostile client reads
/// nothing.
#[test]
fn requests_that_arrive_together_on_one_connection_do_not_delay_other_clients() {
    const REQUESTS: usize = 2_000;
    const LEAST: usize = 200;
    let _alone = alone();
    let one_thread = [("TOKIO_WORKER_THREADS", "1")];
    let attacked = Attacked::start(&[], &one_thread);
    let service = &attacked.service;
    let list = "/v1/pets?limit=1";
    let other = Request::get(list).key(&attacked.other_key).bytes();
    let (mut normal, mut hostile) = (service.connect(), service.connect());
    let mut writer = hostile.writer();
    let requests = Request::new("HEAD", list).key(&service.key).bytes();
    thread::scope(|scope| {
        let responses = scope.spawn(move || (0..REQUESTS).map(|_| hostile.head().0).collect());
        let write = scope.spawn(move || writer.write(requests.repeat(REQUESTS)));
        let mut served = 0;
        while !responses.is_finished() {
            normal.write(&other);
            assert_eq!(normal.response().status, 200);
            served += 1;
        }
        write.join().expect("no panic");
        let responses: Vec<u16> = responses.join().expect("no panic");
        assert_eq!(responses, [200; REQUESTS]);
        println!("{served} other requests");
        assert!(served >= LEAST, "{served} other requests");
    });
}

/// See RFC 9112, section 6.1.
#[test]
fn a_transfer_coding_that_is_not_understood_is_rejected() {
    let service = Service::start();
    for coding in [
        "gzip, chunked",
        "chunked, gzip",
        "gzip",
        "chunked, chunked",
        "x",
    ] {
        let mut connection = service.connect();
        let request = Request::new("POST", "/v1/pets")
            .key(&service.key)
            .header("Content-Type", "application/json")
            .header("Transfer-Encoding", coding);
        connection.write(request.bytes());
        connection.write(format!("{:x}\r\n{PET}\r\n0\r\n\r\n", PET.len()));
        let status = connection.head().0;
        assert!([400, 501].contains(&status), "{coding}: {status}");
    }
    assert_eq!(service.pets().len(), 0);
}

/// RFC 9110, section 10.1.1, allows 417, but the contract does not have this status.
#[test]
fn an_unknown_expectation_is_rejected_with_400() {
    let service = Service::start();
    for expect in ["200-maybe", "100-continue, x"] {
        let request = Request::post("/v1/pets", PET).key(&service.key);
        let response = service.send(&request.header("Expect", expect));
        response.assert_error(400, "invalid_request");
    }
    assert_eq!(service.pets().len(), 0);
}
