//! Tests what the log must contain for a request, and what it must never contain.

use crate::{
    process::Service,
    raw::{RawResponse, Request},
    scrape::Watched,
};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    thread,
    time::{Duration, Instant},
};

const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Returns the log line of a request, in JSON.
fn line_of(service: &Service, response: &RawResponse) -> Value {
    let id = response.header("x-request-id").expect("an id");
    let line = service.log.wait_for(id);
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_request_is_logged_in_one_line_with_its_caller_and_route() {
    let service = Service::start();
    let response = service.get("/v1/pets/4711");
    let line = service
        .log
        .wait_for(response.header("x-request-id").expect("an id"));
    for part in [
        "INFO petstore_server::access",
        "method=\"GET\"",
        "route=\"/v1/pets/{petId}\"",
        "operation=\"getPet\"",
        "status=404",
        "duration_us=",
        "code=\"not_found\"",
        "key_id=\"k_",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("4711"), "{line}");
}

#[test]
fn neither_keys_nor_bodies_nor_addresses_are_logged() {
    for format in ["text", "json"] {
        nothing_secret_is_logged(format);
    }
}

fn nothing_secret_is_logged(format: &str) {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    // If the service does not print a key, everything on stderr is the log.
    let arguments = ["--log", "trace", "--log-format", format];
    let service = Service::start_in(folder, &arguments, &[("JOURNAL_STREAM", "8:1")]);
    let key = crate::process::run_ok(service.folder.path(), &["key", "create", "a"]);
    let key = key.trim_end();
    service.send(
        &Request::post(
            "/v1/pets?secretquery=1",
            r#"{"name":"secretname","categoryId":7}"#,
        )
        .key(key),
    );
    service.send(&Request::post("/v1/pets", r#"{"name":"secretname"}"#).key(key));
    service.send(&Request::get(&format!("/v1/{key}?secretquery=2")).key(key));
    service.send(&Request::new(key, "/v1/pets"));
    service.send(
        &Request::get("/v1/pets/1")
            .key(key)
            .header("X-Note", "secretheader"),
    );
    service.send(
        &Request::get("/v1/pets")
            .key(key)
            .header("traceparent", "00-secrettrace-1-01"),
    );
    let mistyped = format!("{}x", &key[..key.len() - 1]);
    let last = service.send(&Request::get("/v1/pets").key(&mistyped));
    service
        .log
        .wait_for(last.header("x-request-id").expect("an id"));
    let log = service.log.text();
    for secret in [
        key,
        &mistyped,
        "secretname",
        "secretquery",
        "secretheader",
        "secrettrace",
    ] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn requests_with_an_undecodable_path_or_an_unknown_method_are_logged() {
    let service = Service::start_with(&["--log-format", "json"]);
    for (request, method, status) in [
        (Request::get("/v1/secret/%ff"), "GET", 400),
        (Request::new("PURGE", "/v1/pets"), "PURGE", 405),
    ] {
        let line = line_of(&service, &service.send(&request));
        assert_eq!(line["target"], "petstore_server::access", "{line}");
        assert_eq!(line["method"], method, "{line}");
        assert_eq!(line["status"], status, "{line}");
        assert!(line["duration_us"].is_u64(), "{line}");
    }
    assert!(!service.log.text().contains("secret"));
}

#[test]
fn the_path_of_a_request_is_logged_only_if_no_route_matches() {
    let service = Service::start_with(&["--log-format", "json"]);
    let line = |target: &str| line_of(&service, &service.get(target));
    let found = line("/v1/cats/7?name=secret");
    assert_eq!(found["path"], "/v1/cats/7", "{found}");
    let long = line(&format!("/v1/{}", "x/".repeat(2000)));
    let path = long["path"].as_str().expect("a path");
    assert!(path.len() < 210 && path.ends_with("x/..."), "{path}");
    let key = line(&format!("/v1/{}", service.key));
    let path = key["path"].as_str().expect("a path");
    assert_eq!(path, format!("/v1/{}...", &service.key[..24]));
    for target in ["/v1/pets/4711", "/v1/pets", "/docs"] {
        assert!(line(target).get("path").is_none(), "{target}");
    }
    assert!(
        !service.log.text().contains("secret"),
        "{}",
        service.log.text()
    );
}

#[test]
fn the_log_line_has_the_client_address_from_a_trusted_proxy() {
    let asked = |arguments: &[&str], name: &str, value: &str| {
        let service = Service::start_with(&[arguments, &["--log-format", "json"]].concat());
        let request = Request::get("/v1/pets")
            .key(&service.key)
            .header(name, value);
        let line = line_of(&service, &service.send(&request));
        line["client"].as_str().expect("an address").to_owned()
    };
    let list = "198.51.100.1, 203.0.113.9, 10.1.2.3";
    let trusted = ["--trusted-proxies", "127.0.0.1,10.0.0.0/8"];
    assert_eq!(asked(&[], "X-Forwarded-For", list), "127.0.0.1");
    assert_eq!(asked(&trusted, "X-Forwarded-For", list), "203.0.113.9");
    assert_eq!(asked(&trusted, "Forwarded", "for=203.0.113.9"), "127.0.0.1");
    let forwarded = [&trusted[..], &["--client-address-header", "forwarded"]].concat();
    let elements = "for=198.51.100.1, for=\"[2001:db8::17]:4711\";proto=https";
    assert_eq!(asked(&forwarded, "Forwarded", elements), "2001:db8::17");
    assert_eq!(asked(&forwarded, "X-Forwarded-For", list), "127.0.0.1");
}

#[test]
fn a_request_whose_client_disconnects_is_logged() {
    let service = Service::start();
    let request = Request::post("/v1/pets", "{}")
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let mut connection = service.connect();
    connection.write(&request[..request.len() - 2]);
    assert_eq!(connection.head().0, 100);
    drop(connection);
    let line = service.log.wait_for("operation=\"createPet\"");
    assert!(
        line.contains("status=400") || line.contains("the client disconnected"),
        "{line}"
    );
    assert!(service.pets().is_empty());
}

#[test]
fn a_json_log_has_one_object_per_line_and_one_member_per_field() {
    let service = Service::start_with(&["--log-format", "json"]);
    let line = line_of(&service, &service.get("/v1/pets/4711"));
    for (member, expected) in [
        ("level", "INFO"),
        ("target", "petstore_server::access"),
        ("message", "request completed"),
        ("method", "GET"),
        ("route", "/v1/pets/{petId}"),
        ("operation", "getPet"),
        ("code", "not_found"),
    ] {
        assert_eq!(line[member], expected, "{line}");
    }
    assert_eq!(line["status"], 404, "{line}");
    assert!(line["duration_us"].is_u64(), "{line}");
    assert!(
        line["key_id"]
            .as_str()
            .is_some_and(|id| id.starts_with("k_")),
        "{line}"
    );
    let time = line["timestamp"].as_str().unwrap_or_default();
    assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{line}");

    // Unknown values are omitted, not replaced by made-up ones.
    let line = line_of(&service, &service.send(&Request::get("/v1/nothing")));
    for member in ["route", "operation", "key_id", "trace_id"] {
        assert_eq!(line.get(member), None, "{line}");
    }
}

#[test]
fn the_log_line_of_a_request_contains_its_trace_id() {
    let service = Service::start_with(&["--log-format", "json"]);
    let get = |traceparent| {
        let request = Request::get("/v1/pets").key(&service.key);
        line_of(
            &service,
            &service.send(&request.header("traceparent", traceparent)),
        )
    };
    let line = get(TRACEPARENT);
    assert_eq!(
        line["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736",
        "{line}"
    );
    assert_eq!(line["parent_id"], "00f067aa0ba902b7", "{line}");
    let line = get("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01");
    assert_eq!(
        line.get("trace_id"),
        None,
        "an invalid one is ignored: {line}"
    );

    let service = Service::start();
    let request = Request::get("/v1/pets")
        .key(&service.key)
        .header("traceparent", TRACEPARENT);
    let response = service.send(&request);
    let line = service
        .log
        .wait_for(response.header("x-request-id").expect("an id"));
    assert!(
        line.contains("trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\""),
        "{line}"
    );
}

#[test]
fn the_log_line_of_a_request_can_be_switched_off() {
    let mut service = Service::start_with(&["--access-log", "off"]);
    let response = service.get("/v1/pets");
    assert_eq!(response.status, 200);
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    let log = service.log.text();
    assert!(
        !log.contains(response.header("x-request-id").expect("an id")),
        "{log}"
    );
}

#[test]
fn no_log_line_is_lost_at_shutdown() {
    let mut service = Service::start_with(&["--log-format", "json"]);
    let ids: Vec<String> = (0..200)
        .map(|_| {
            let response = service.get("/v1/pets");
            response.header("x-request-id").expect("an id").to_owned()
        })
        .collect();
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    service.log.wait_for("\"message\":\"stopped\"");
    let log = service.log.text();
    for id in ids {
        assert_eq!(log.matches(&id).count(), 1, "{id}");
    }
}

#[test]
fn an_unknown_log_format_is_reported() {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    let error = crate::process::run_failing(folder.path(), &["serve", "--log-format", "xml"], 2);
    assert!(error.contains("[possible values: text, json]"), "{error}");
}

/// Returns the log lines, in JSON, that have this target.
fn lines_with(service: &Service, target: &str) -> Vec<Value> {
    let log = service.log.text();
    // The last line may still be incomplete.
    let lines = log
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
    lines
        .filter(|line: &Value| line["target"] == target)
        .collect()
}

/// Returns how many requests ended with this status: those with a line of their own, and those that
/// are only counted.
fn logged_and_left_out(service: &Service, status: u16) -> (usize, u64) {
    let logged = lines_with(service, "petstore_server::access");
    let sampled = lines_with(service, "petstore_server::access::sampled");
    let has_status = |line: &&Value| line["status"] == status;
    let left_out = sampled.iter().filter(has_status).map(|line| {
        assert_eq!(line["level"], "INFO", "{line}");
        line["left_out"].as_u64().expect("a number")
    });
    (logged.iter().filter(has_status).count(), left_out.sum())
}

/// Sends requests without a key, one hundred at a time on one connection.
fn flood(service: &Service, requests: usize) {
    let request = Request::get("/v1/pets").bytes();
    let mut connection = service.connect();
    for _ in 0..requests / 100 {
        connection.write(request.repeat(100));
        for _ in 0..100 {
            assert_eq!(connection.response().status, 401);
        }
    }
}

#[test]
fn a_flood_of_rejections_is_logged_in_part_and_counted_completely() {
    const FLOOD: usize = 2000;
    let setting = ["--access-log-rejected-per-second", "5"];
    let watched = Watched::start_with(&[&setting[..], &["--log-format", "json"]].concat());
    let service = &watched.service;
    let begin = Instant::now();
    flood(service, FLOOD);
    // Other requests are logged, however many requests were rejected before.
    for _ in 0..20 {
        line_of(service, &service.get("/v1/pets"));
    }
    let line = line_of(service, &service.get("/v1/pets/4711"));
    assert_eq!(line["code"], "not_found", "{line}");
    let counted = || {
        let (logged, left_out) = logged_and_left_out(service, 401);
        logged + usize::try_from(left_out).expect("less than the flood")
    };
    while counted() < FLOOD {
        assert!(begin.elapsed() < Duration::from_secs(20), "{}", counted());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(counted(), FLOOD);
    let (logged, _) = logged_and_left_out(service, 401);
    let seconds = usize::try_from(begin.elapsed().as_secs()).expect("a few");
    assert!(logged <= 5 * (seconds + 2), "{logged} in {seconds} s");
    let sampled = lines_with(service, "petstore_server::access::sampled");
    assert!(
        sampled.iter().all(|line| line["code"] == "unauthorized"),
        "{sampled:?}"
    );
    let code = [("code", "unauthorized")];
    let scrape = watched.scrape();
    scrape.assert("petstore_errors_total", &code, FLOOD as f64);
}

#[test]
fn omitted_log_lines_of_a_flood_are_also_counted_at_shutdown() {
    let mut service = Service::start_with(&["--log-format", "json"]);
    flood(&service, 1000);
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    service.log.wait_for("\"message\":\"stopped\"");
    let (logged, left_out) = logged_and_left_out(&service, 401);
    assert_eq!(logged as u64 + left_out, 1000);
    assert!(logged < 1000, "the default has a limit");
}

#[test]
fn without_a_limit_each_rejection_is_logged() {
    let setting = ["--access-log-rejected-per-second", "off"];
    let mut service = Service::start_with(&[&setting[..], &["--log-format", "json"]].concat());
    flood(&service, 500);
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    service.log.wait_for("\"message\":\"stopped\"");
    assert_eq!(logged_and_left_out(&service, 401), (500, 0));
}

#[test]
fn a_method_that_is_too_long_is_not_logged() {
    for format in ["text", "json"] {
        let service = Service::start_with(&["--log-format", format]);
        let response = service.send(&Request::new(&"A".repeat(30_000), "/v1/pets"));
        assert_eq!(response.status, 405);
        let id = response.header("x-request-id").expect("an id");
        let line = service.log.wait_for(id);
        assert!(line.len() < 2000, "{} bytes", line.len());
        assert!(line.contains("_OTHER") && !line.contains("AAA"), "{line}");
        assert!(line.contains("405"), "{line}");
    }
}
