//! Tests what `/metrics` counts, and which values never become labels.

use crate::{
    raw::{self, Request},
    scrape::Watched,
};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};
use test_support::{Need, skip};

const DURATIONS: &str = "http_server_request_duration_seconds_count";
const ACTIVE: &str = "http_server_active_requests";

fn request<'a>(method: &'a str, route: &'a str, status: &'a str) -> [(&'static str, &'a str); 3] {
    [
        ("http_request_method", method),
        ("http_route", route),
        ("http_response_status_code", status),
    ]
}

#[test]
fn requests_are_counted_by_method_template_and_status() {
    let watched = Watched::start();
    let service = &watched.service;
    service.add("Rex", None);
    for _ in 0..2 {
        assert_eq!(service.pets().len(), 1);
    }
    assert_eq!(service.get("/v1/pets/1").status, 200);
    assert_eq!(service.get("/v1/pets/4711").status, 404);
    assert_eq!(service.get("/v1/secretpath?secretquery=1").status, 404);
    assert_eq!(service.send(&Request::get("/v1/pets")).status, 401);
    assert_eq!(
        service.send(&Request::new("DELETE", "/v1/pets")).status,
        405
    );
    assert_eq!(service.send(&Request::get("/v1/openapi.yaml")).status, 200);
    assert_eq!(service.send(&Request::get("/v1/%ff")).status, 400);
    assert_eq!(service.send(&Request::new("PURGE", "/v1/pets")).status, 405);

    let scrape = watched.scrape();
    for (method, route, status, expected) in [
        ("GET", "/v1/pets", "200", 2.0),
        ("GET", "/v1/pets", "401", 1.0),
        ("POST", "/v1/pets", "201", 1.0),
        ("GET", "/v1/pets/{petId}", "200", 1.0),
        ("GET", "/v1/pets/{petId}", "404", 1.0),
        ("GET", "/v1/openapi.yaml", "200", 1.0),
        ("GET", "unmatched", "404", 1.0),
        ("DELETE", "unmatched", "405", 1.0),
        ("GET", "unmatched", "400", 1.0),
        ("_OTHER", "unmatched", "405", 1.0),
    ] {
        scrape.assert(DURATIONS, &request(method, route, status), expected);
    }
    for (code, expected) in [
        ("not_found", 2.0),
        ("unauthorized", 1.0),
        ("invalid_request", 1.0),
        ("method_not_allowed", 2.0),
        ("overloaded", 0.0),
    ] {
        scrape.assert("petstore_errors_total", &[("code", code)], expected);
    }
    // The writes of the key, of the pet, and of the usage counters, which are written every second.
    let writes = scrape.find("petstore_store_batch_size_sum", &[]);
    assert!(writes.is_some_and(|writes| writes >= 2.0), "{writes:?}");
    let alone = scrape.find("petstore_store_batch_size_bucket", &[("le", "1")]);
    assert!(alone.is_some_and(|alone| alone >= 1.0), "{alone:?}");
    let limit = scrape.find("petstore_store_connections_limit", &[]);
    assert_eq!(scrape.find("petstore_store_connections", &[]), limit);
    scrape.assert("petstore_store_connection_waits_total", &[], 0.0);
    scrape.assert("petstore_store_queued_writes", &[], 0.0);
    scrape.assert("petstore_log_lines_lost_total", &[], 0.0);
    scrape.assert(
        "petstore_build_info",
        &[("version", petstore_server::INFO.version)],
        1.0,
    );
    for secret in ["4711", "secret", &service.key] {
        assert!(!scrape.text.contains(secret), "{secret}: {}", scrape.text);
    }
}

#[test]
fn slow_requests_are_counted_in_a_higher_bucket_than_fast_ones() {
    let watched = Watched::start();
    watched.service.pets();
    let scrape = watched.scrape();
    let bucket = |bound| {
        let labels = [("http_route", "/v1/pets"), ("le", bound)];
        scrape.find("http_server_request_duration_seconds_bucket", &labels)
    };
    assert_eq!(bucket("+Inf"), Some(1.0));
    assert_eq!(bucket("10"), Some(1.0));
    let sum = scrape.find(
        "http_server_request_duration_seconds_sum",
        &[("http_route", "/v1/pets")],
    );
    assert!(
        sum.is_some_and(|seconds| seconds > 0.0 && seconds < 10.0),
        "{sum:?}"
    );
}

#[test]
fn a_request_is_active_while_it_runs() {
    let watched = Watched::start();
    let service = &watched.service;
    let body = r#"{"name":"Rex","categoryId":7}"#;
    let bytes = Request::post("/v1/pets", body)
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let mut connection = service.connect();
    connection.write(&bytes[..bytes.len() - body.len()]);
    assert_eq!(connection.head().0, 100);
    watched
        .scrape()
        .assert(ACTIVE, &[("http_request_method", "POST")], 1.0);
    connection.write(body);
    assert_eq!(connection.response().status, 201);
    let scrape = watched.scrape();
    scrape.assert(ACTIVE, &[], 0.0);
    scrape.assert("petstore_permits_in_use", &[], 0.0);
    scrape.assert("petstore_body_bytes_in_use", &[], 0.0);
    for kind in ["read", "write"] {
        scrape.assert(&format!("petstore_{kind}_permits_in_use"), &[], 0.0);
        scrape.assert(&format!("petstore_{kind}_permits_limit"), &[], 512.0);
    }
    scrape.assert("petstore_permits_limit", &[], 1024.0);
}

#[test]
fn calls_of_a_deprecated_operation_are_counted_by_key_with_the_time_of_the_last_one() {
    let began = chrono::Utc::now().timestamp() as f64;
    let watched = Watched::start();
    let folder = watched.service.folder.path();
    let second = crate::process::run_ok(folder, &["key", "create", "second"]);
    let listed = crate::process::run_ok(folder, &["key", "list"]);
    let ids: Vec<&str> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .collect();
    for _ in 0..2 {
        watched.service.get("/v1/pets/1");
    }
    watched
        .service
        .send(&Request::get("/v1/pets/1").key(second.trim_end()));
    // A request without a valid key has no principal.
    watched.service.send(&Request::get("/v1/pets/1"));
    watched.service.pets();

    let scrape = watched.scrape();
    let counter = "petstore_deprecated_calls_total";
    let last_call = "petstore_deprecated_last_call_timestamp_seconds";
    let now = chrono::Utc::now().timestamp() as f64;
    scrape.assert(counter, &[], 3.0);
    for (key, expected) in ids.iter().zip([2.0, 1.0]) {
        let labels = [("operation", "getPet"), ("key_id", key)];
        scrape.assert(counter, &labels, expected);
        let at = scrape.find(last_call, &labels).expect("a last call");
        assert!((began..=now).contains(&at), "{began} {at} {now}");
    }
}

#[test]
fn unknown_paths_and_keys_add_no_series_to_the_metrics() {
    let watched = Watched::start();
    watched.service.get("/v1/nothing");
    let before = watched.scrape().samples.len();
    for number in 0..50 {
        let path = format!("/v1/made-up-{number}/{number}");
        let key = format!("petstore_{number:040}");
        assert_eq!(
            watched.service.send(&Request::get(&path).key(&key)).status,
            404
        );
    }
    let scrape = watched.scrape();
    assert_eq!(scrape.samples.len(), before, "{}", scrape.text);
}

#[cfg(target_os = "linux")]
#[test]
fn the_metrics_include_those_of_the_process() {
    let scrape = Watched::start().scrape();
    for (name, least) in [
        ("process_resident_memory_bytes", 1e6),
        ("process_open_fds", 5.0),
        ("process_max_fds", 5.0),
        ("process_threads", 2.0),
        ("process_cpu_seconds_total", 0.0),
        ("process_start_time_seconds", 1.6e9),
    ] {
        assert!(
            scrape.find(name, &[]).is_some_and(|value| value >= least),
            "{name}"
        );
    }
}

#[test]
fn promtool_accepts_the_metrics() {
    if !promtool_is_here() {
        return;
    }
    let watched = Watched::start();
    watched.service.get("/v1/pets/1");
    watched.service.send(&Request::get("/v1/pets"));
    let text = raw::send(watched.admin, &Request::get("/metrics")).body;
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool runs");
    let mut stdin = promtool.stdin.take().expect("piped");
    stdin.write_all(&text).expect("promtool reads");
    drop(stdin);
    let output = promtool.wait_with_output().expect("promtool ends");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

/// Whether promtool is installed. If not, records that the test is skipped.
pub(crate) fn promtool_is_here() -> bool {
    let here = Command::new("promtool").arg("--version").output().is_ok();
    if !here {
        skip(Need::Promtool, "promtool is not installed");
    }
    here
}
