//! Tests each error status that a client can cause: the `Error` body, the headers, and that the
//! service still responds afterwards.

use crate::{
    process::Service,
    raw::{Connection, Request},
};
use petstore_server::OPERATIONS;
use std::{sync::mpsc, thread};

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

/// Checks that the service still responds and that nothing was created.
#[track_caller]
fn still_responds(service: &Service) {
    assert_eq!(service.pets().len(), 0);
}

#[test]
fn an_invalid_request_is_rejected_with_400_and_the_name_of_the_field() {
    let service = Service::start();
    for (response, field) in [
        (service.get("/v1/pets?limit=0"), "`limit`"),
        (service.get("/v1/pets?status=gone"), "`status`"),
        (service.get("/v1/pets/x"), "`petId`"),
        (service.post(r#"{"name":"Rex"}"#), "`categoryId`"),
    ] {
        let message = response.assert_error(400, "invalid_request");
        assert!(message.contains(field), "{message}");
    }
    still_responds(&service);
}

#[test]
fn a_missing_or_wrong_key_gets_401_even_if_the_request_has_other_errors() {
    let service = Service::start();
    let unknown = "petstore_00000000000000000000000000000000000000000002hcngJ";
    let (other, last) = service.key.split_at(service.key.len() - 1);
    let mistyped = format!("{other}{}", if last == "x" { "y" } else { "x" });
    let post = || {
        Request::new("POST", "/v1/pets")
            .header("Content-Type", "text/plain")
            .body("{")
    };
    for request in [
        Request::get("/v1/pets"),
        Request::get("/v1/pets?limit=x"),
        Request::get("/v1/pets/x"),
        post(),
    ] {
        let response = service.send(&request);
        response.assert_error(401, "unauthorized");
        assert_eq!(
            response.header("www-authenticate"),
            Some("Bearer realm=\"petstore\"")
        );
        for key in [unknown, &mistyped, "x"] {
            let response = service.send(&request.clone().key(key));
            let message = response.assert_error(401, "unauthorized");
            assert!(!message.contains(key) || key == "x", "{message}");
            let challenge = response.header("www-authenticate").unwrap_or_default();
            assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
        }
    }
    let basic = Request::get("/v1/pets").header("Authorization", "Basic eDp5");
    service.send(&basic).assert_error(401, "unauthorized");
    still_responds(&service);
}

#[test]
fn the_scheme_of_the_credential_is_case_insensitive() {
    let service = Service::start();
    let request =
        Request::get("/v1/pets").header("authorization", &format!("bEARER {}", service.key));
    assert_eq!(service.send(&request).status, 200);
}

#[test]
fn an_unknown_path_gets_404_even_without_a_key_and_an_unknown_pet_only_with_a_key() {
    let service = Service::start();
    for path in [
        "/v1/",
        "/v2/pets",
        "/pets",
        "/v1/pets/",
        "/v1//pets",
        "/v1/pets/1/toys",
        "/v1/PETS",
    ] {
        service
            .send(&Request::get(path))
            .assert_error(404, "not_found");
    }
    let message = service.get("/v1/pets/5").assert_error(404, "not_found");
    assert!(message.contains('5'), "{message}");
    still_responds(&service);
}

#[test]
fn an_unknown_method_is_rejected_with_405_and_the_allowed_methods() {
    let service = Service::start();
    for (target, path) in [("/v1/pets", "/pets"), ("/v1/pets/1", "/pets/{petId}")] {
        let operations = OPERATIONS.iter().filter(|operation| operation.path == path);
        let mut allowed: Vec<&str> = operations.map(|operation| operation.method).collect();
        assert_eq!(allowed.first(), Some(&"GET"), "{allowed:?}");
        allowed.insert(1, "HEAD");
        // Methods are case-sensitive.
        let methods = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "Get"];
        for method in methods.iter().filter(|method| !allowed.contains(method)) {
            let response = service.send(&Request::new(method, target));
            response.assert_error(405, "method_not_allowed");
            assert_eq!(response.header("allow"), Some(&*allowed.join(", ")));
        }
    }
    still_responds(&service);
}

#[test]
fn a_head_request_has_the_head_of_the_get_response_and_no_body() {
    let service = Service::start();
    service.add("Rex", None);
    let mut connection = service.connect();
    for (target, key) in [
        ("/v1/pets", &*service.key),
        ("/v1/pets/1", &service.key),
        ("/v1/pets/4711", &service.key),
        ("/v1/pets", "unknown"),
    ] {
        let request = |method| Request::new(method, target).key(key).bytes();
        connection.write(request("GET"));
        let get = connection.response();
        connection.write(request("HEAD"));
        // The next bytes are the next response, not the body of this response.
        let (status, headers) = connection.head();
        assert_eq!(status, get.status, "{target}");
        let of_one_response = ["date", "x-request-id"];
        let lasting = |headers: &[(String, String)]| -> Vec<(String, String)> {
            let mut headers = headers.to_vec();
            headers.retain(|(name, _)| !of_one_response.contains(&&**name));
            headers.sort();
            headers
        };
        assert_eq!(lasting(&headers), lasting(&get.headers), "{target}");
    }
    // A path without `GET` does not have `HEAD`, either.
    let target = "/v1/none";
    connection.write(Request::new("HEAD", target).key(&service.key).bytes());
    assert_eq!(connection.head().0, 404);
}

#[test]
fn a_body_that_does_not_arrive_in_time_is_rejected_with_408_and_the_connection_is_closed() {
    let service = Service::start_with(&["--body-read-seconds", "0.2"]);
    let request = Request::post("/v1/pets", PET).key(&service.key).bytes();
    let mut connection = service.connect();
    connection.write(&request[..request.len() - 5]);
    let response = connection.response();
    let message = response.assert_error(408, "request_timeout");
    assert!(message.contains("0.2 seconds"), "{message}");
    assert_eq!(response.header("connection"), Some("close"));
    connection.write(b"later");
    assert!(connection.is_closed());
    still_responds(&service);
}

#[test]
fn a_body_that_is_too_large_is_rejected_with_413_and_the_connection_is_closed() {
    let service = Service::start_with(&["--body-max-bytes", "100"]);
    let closed_with_413 = |connection: &mut Connection| {
        let response = connection.response();
        let message = response.assert_error(413, "payload_too_large");
        assert!(message.contains("100 bytes"), "{message}");
        assert_eq!(response.header("connection"), Some("close"));
        assert!(connection.is_closed());
    };
    let post = || {
        Request::new("POST", "/v1/pets")
            .key(&service.key)
            .header("Content-Type", "application/json")
    };
    // If the length is announced, the body is rejected before any of it is sent.
    let mut connection = service.connect();
    connection.write(post().header("Content-Length", "101").bytes());
    closed_with_413(&mut connection);
    // If the length is not announced, the body is rejected when it becomes too large.
    let mut connection = service.connect();
    connection.write(post().header("Transfer-Encoding", "chunked").bytes());
    connection.write(format!("65\r\n{}\r\n", "x".repeat(101)));
    closed_with_413(&mut connection);
    // The same applies if the operation has no body.
    let mut connection = service.connect();
    connection.write(
        Request::get("/v1/pets")
            .key(&service.key)
            .body("x".repeat(101))
            .bytes(),
    );
    closed_with_413(&mut connection);
    still_responds(&service);
}

#[test]
fn a_body_of_another_media_type_is_rejected_with_415() {
    let service = Service::start();
    let post = || Request::new("POST", "/v1/pets").key(&service.key);
    for request in [
        post().body(PET),
        post().header("Content-Type", "text/plain").body(PET),
        post()
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body("name=Rex"),
        post()
            .header("Content-Type", "application/json; charset=utf-16")
            .body(PET),
        post()
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .body(PET),
    ] {
        let message = service
            .send(&request)
            .assert_error(415, "unsupported_media_type");
        assert!(message.contains("`application/json`"), "{message}");
    }
    still_responds(&service);
    let right = post()
        .header("Content-Type", "Application/JSON; Charset=\"utf-8\"")
        .body(PET);
    assert_eq!(service.send(&right).status, 201);
}

#[test]
fn bodies_that_exceed_the_memory_budget_together_are_rejected_with_503() {
    let bounds = ["--body-max-bytes", "100", "--body-budget-bytes", "100"];
    let service = Service::start_with(&bounds);
    let pet = format!(r#"{{"name":"{}","categoryId":7}}"#, "x".repeat(50));
    let request = Request::post("/v1/pets", pet).key(&service.key).bytes();
    let (most, last) = request.split_at(request.len() - 1);

    // Two bodies are almost complete, and there is not enough memory for both.
    let (sender, responses) = mpsc::channel();
    let mut writers: Vec<Connection> = (0..2)
        .map(|number| {
            let mut connection = service.connect();
            connection.write(most);
            let writer = connection.writer();
            let sender = sender.clone();
            thread::spawn(move || sender.send((number, connection.response())));
            writer
        })
        .collect();
    let (rejected, response) = responses.recv().expect("one is answered");
    response.assert_error(503, "overloaded");
    assert_eq!(response.header("retry-after"), Some("1"));
    writers.remove(1 - rejected).write(last);
    let (_, response) = responses.recv().expect("the other is answered");
    assert_eq!(response.status, 201, "{response:?}");
    assert_eq!(service.post(PET).status, 201, "the room is free again");
}

#[test]
fn a_key_above_its_rate_gets_429_with_retry_after() {
    let limit = ["--rate-limit-per-second", "1", "--rate-limit-burst", "1"];
    let service = Service::start_with(&limit);
    let mut rejected = None;
    // At most one request per second is allowed, so a client that sends requests without a pause is
    // soon rejected.
    while rejected.is_none() {
        rejected = Some(service.get("/v1/pets")).filter(|response| response.status != 200);
    }
    let response = rejected.expect("rejected");
    response.assert_error(429, "rate_limited");
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(
        response.header("ratelimit-policy"),
        Some("\"default\";q=1;w=1")
    );
    assert_eq!(response.header("ratelimit"), Some("\"default\";r=0;t=1"));
    // A request without a key is rejected before the rate limit is checked.
    let stranger = service.send(&Request::get("/v1/pets"));
    stranger.assert_error(401, "unauthorized");
    while service.get("/v1/pets").status != 200 {}
}

#[test]
fn a_path_that_cannot_be_decoded_and_an_unknown_method_have_the_error_body() {
    let service = Service::start();
    let (not_text, relative) = (
        "a segment of the path is not UTF-8",
        "the path has a segment `.` or `..`",
    );
    for (target, expected) in [
        ("/v1/pets/%ff", not_text),
        ("/v1/../pets", relative),
        ("/v1/./pets", relative),
        ("/v1/pets/%2e%2E", relative),
    ] {
        let response = service.send(&Request::get(target).key(&service.key));
        let message = response.assert_error(400, "invalid_request");
        assert_eq!(message, expected);
        assert!(response.header("x-request-id").is_some());
    }
    let response = service.send(&Request::new("PURGE", "/v1/pets").key(&service.key));
    response.assert_error(405, "method_not_allowed");
    assert_eq!(response.header("allow"), Some("GET, HEAD, POST"));
    still_responds(&service);
}
