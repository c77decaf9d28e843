//! Tests the headers that say how long to wait.

use super::*;
use http::HeaderValue;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let pairs = pairs.iter().map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    pairs.collect()
}

fn seconds(status: u16, pairs: &[(&'static str, &'static str)]) -> Option<u64> {
    let status = StatusCode::from_u16(status).expect("the test has valid statuses");
    retry_after(status, &headers(pairs)).map(|wait| wait.as_secs())
}

#[test]
fn retry_after_is_read_in_seconds_and_as_a_date() {
    let now = ("date", "Sat, 21 Nov 2026 10:00:00 GMT");
    let date = |value| [now, ("retry-after", value)];
    assert_eq!(seconds(503, &[("retry-after", "7")]), Some(7));
    assert_eq!(
        seconds(429, &date("Sat, 21 Nov 2026 10:02:00 GMT")),
        Some(120)
    );
    assert_eq!(
        seconds(503, &date("Sat, 21 Nov 2026 09:59:00 GMT")),
        Some(0)
    );
    for nonsense in ["soon", "-1", "1.5", ""] {
        assert_eq!(seconds(503, &date(nonsense)), None, "{nonsense}");
    }
}

#[test]
fn the_pause_after_a_429_without_retry_after_is_the_reset_time_of_the_ratelimit_header() {
    let limit = ("ratelimit", "\"default\";r=0;t=3");
    assert_eq!(seconds(429, &[limit]), Some(3));
    assert_eq!(seconds(429, &[limit, ("retry-after", "1")]), Some(1));
    assert_eq!(seconds(502, &[limit]), None);
}

#[test]
fn the_pause_after_the_last_allowed_request_is_computed_from_the_ratelimit_headers() {
    let policy = ("ratelimit-policy", "\"default\";q=10;w=5");
    let pause = |pairs: &[(&'static str, &'static str)]| {
        rate_limit_pause(StatusCode::OK, &headers(pairs)).map(|wait| wait.as_millis())
    };
    assert_eq!(pause(&[("ratelimit", "\"default\";r=1;t=5"), policy]), None);
    assert_eq!(
        pause(&[("ratelimit", "\"default\";r=0;t=5"), policy]),
        Some(500)
    );
    assert_eq!(pause(&[("ratelimit", "\"default\";r=0;t=5")]), Some(5_000));
    for nonsense in ["", "\"default\"", "r=0;t=5", "\"default\";r=x;t=5"] {
        assert_eq!(pause(&[("ratelimit", nonsense)]), None, "{nonsense}");
    }
}
