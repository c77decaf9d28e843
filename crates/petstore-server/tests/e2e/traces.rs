//! Tests the spans that a collector receives from a program with the feature
//! `otlp`.

use crate::{process::Service, raw::Request};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};
use tempfile::TempDir;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A collector that passes on what it receives.
fn collector() -> (String, mpsc::Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let endpoint = format!(
        "http://{}",
        listener.local_addr().expect("it has an address")
    );
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("a connection"));
            let (mut line, mut length) = (String::new(), 0);
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_lowercase();
                if let Some(value) = lower.strip_prefix("content-length: ") {
                    length = value.trim().parse().expect("a length");
                }
                assert!(!lower.starts_with("post ") || lower.starts_with("post /v1/traces "));
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("a body");
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            stream
                .get_mut()
                .write_all(response)
                .expect("it reads the response");
            let sent = sender.send(serde_json::from_slice(&body).expect("JSON"));
            if sent.is_err() {
                break;
            }
        }
    });
    (endpoint, receiver)
}

#[test]
fn spans_of_requests_are_sent_to_the_collector_even_at_the_end() {
    let (endpoint, collected) = collector();
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let mut service = Service::start_in(folder, &["--access-log", "off"], &variables);
    for flags in ["01", "00"] {
        let traceparent = format!("00-{TRACE}-{PARENT}-{flags}");
        service.send(&Request::get("/v1/pets").header("traceparent", &traceparent));
    }
    // The message is neither full nor old; the shutdown sends its spans.
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    let message = collected
        .recv_timeout(Duration::from_secs(10))
        .expect("a message");
    let spans = &message["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(
        spans.as_array().map(Vec::len),
        Some(1),
        "one was not sampled: {message}"
    );
    assert_eq!(spans[0]["traceId"], TRACE, "{message}");
    assert_eq!(spans[0]["parentSpanId"], PARENT, "{message}");
    assert_eq!(spans[0]["name"], "GET /v1/pets", "{message}");
}

#[test]
fn a_rejected_request_that_is_not_logged_is_still_exported_as_a_span() {
    const REQUESTS: usize = 20;
    let (endpoint, collected) = collector();
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let setting = ["--access-log-rejected-per-second", "1"];
    let mut service = Service::start_in(folder, &setting, &variables);
    let mut connection = service.connect();
    connection.write(Request::get("/v1/pets").bytes().repeat(REQUESTS));
    for _ in 0..REQUESTS {
        assert_eq!(connection.response().status, 401);
    }
    drop(connection);
    service.signal(Signal::TERM);
    assert_eq!(service.ended().0.code(), Some(0));
    service.log.wait_for("left_out=");
    let mut spans = 0;
    while spans < REQUESTS {
        let message = collected
            .recv_timeout(Duration::from_secs(10))
            .expect("a message");
        let message = message["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
        let message = message.as_array().expect("spans");
        assert!(
            message.iter().all(|span| span["name"] == "GET /v1/pets"),
            "{message:?}"
        );
        spans += message.len();
    }
    assert_eq!(spans, REQUESTS);
}
