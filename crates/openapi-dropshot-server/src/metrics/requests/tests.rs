//! Tests the metrics of requests.

use super::*;
use crate::{info::TEST, metrics::Metrics, test_contract::OPERATIONS};
use std::time::Duration;

fn metrics() -> Metrics {
    Metrics::with(&TEST, OPERATIONS.len(), &["not_found"])
}

fn ended(method: &Method) -> EndedRequest<'_> {
    EndedRequest {
        message: "request completed",
        request_id: "an-id",
        method,
        route: None,
        operation: None,
        path: None,
        client: None,
        status: Some(404),
        code: Some("not_found"),
        key_id: None,
        took: Duration::from_millis(2),
    }
}

fn count(text: &str, series: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(series));
    line.and_then(|line| line.rsplit(' ').next())
        .unwrap_or_else(|| panic!("no {series} in {text}"))
        .to_owned()
}

#[test]
fn an_unknown_method_is_not_a_label_of_a_metric() {
    let metrics = metrics();
    let method = Method::from_bytes(b"BREW").expect("a token");
    metrics.requests.end(&ended(&method));
    let text = metrics.text().expect("can be written");
    assert!(!text.contains("BREW"), "{text}");
    let series = "http_server_request_duration_seconds_count{http_request_method=\"_OTHER\",\
                  http_response_status_code=\"404\",http_route=\"unmatched\"}";
    assert_eq!(count(&text, series), "1");
    assert_eq!(count(&text, "shop_errors_total{code=\"not_found\"}"), "1");
}

#[test]
fn values_counted_in_a_cached_series_appear_in_the_served_metrics() {
    let metrics = metrics();
    for status in [200, 200, 299] {
        metrics.requests.end(&EndedRequest {
            route: Some("/v1/x"),
            operation: OPERATIONS.first(),
            status: Some(status),
            code: None,
            ..ended(&Method::GET)
        });
    }
    let text = metrics.text().expect("can be written");
    for (status, expected) in [(200, "2"), (299, "1")] {
        let series = format!(
            "http_server_request_duration_seconds_count{{http_request_method=\"GET\",\
             http_response_status_code=\"{status}\",http_route=\"/v1/x\"}}"
        );
        assert_eq!(count(&text, &series), expected);
    }
}

#[test]
fn a_request_is_active_until_it_is_dropped() {
    let metrics = metrics();
    let active = metrics.requests.begin(&Method::GET);
    let gauge = "http_server_active_requests{http_request_method=\"GET\"}";
    assert_eq!(count(&metrics.text().expect("can be written"), gauge), "1");
    drop(active);
    assert_eq!(count(&metrics.text().expect("can be written"), gauge), "0");
}

#[test]
fn keys_beyond_the_limit_of_series_are_counted_together() {
    let metrics = metrics();
    for number in 0..KEYS {
        let key_id = number.to_string();
        assert_eq!(metrics.requests.label(&key_id), key_id);
    }
    assert_eq!(metrics.requests.label("late"), OTHER_KEYS);
    assert_eq!(metrics.requests.label("0"), "0");
}
