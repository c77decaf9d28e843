//! Rejects requests with 429 and `Retry-After` if a principal exceeds its rate limit, and reports
//! the rate limit in header fields, so that a client can slow down earlier. The fields are defined
//! in draft-ietf-httpapi-ratelimit-headers. They are structured fields (RFC 9651) in which `q` is
//! the number of requests in a window of `w` seconds, `r` the remaining requests, and `t` the
//! seconds until all requests are available again or, with 429, until one request is available.

use super::error_response::ErrorResponse;
use crate::rate_limit::Quota;
use http::{HeaderMap, HeaderName, HeaderValue, header::RETRY_AFTER};
use openapi_dropshot_types::Condition;
use std::time::Duration;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Rejects the request with 429 if the rate limit is used up.
pub(super) fn check(quota: &Quota) -> Result<(), ErrorResponse> {
    if quota.passed {
        return Ok(());
    }
    let wait = seconds(quota.reset);
    let unit = if wait == 1 { "second" } else { "seconds" };
    let message = format!(
        "this key has sent too many requests; try again in {wait} {unit}, and send requests more slowly"
    );
    Err(ErrorResponse::new(Condition::RateLimited, message)
        .with(RETRY_AFTER, HeaderValue::from(wait)))
}

/// Adds the fields to the response to a counted request.
pub(super) fn put(quota: &Quota, headers: &mut HeaderMap) {
    let (requests, window) = quota.policy;
    let (window, reset) = (seconds(window), seconds(quota.reset));
    let policy = format!("\"default\";q={requests};w={window}");
    let limit = format!("\"default\";r={};t={reset}", quota.remaining);
    for (name, value) in [(POLICY, policy), (LIMIT, limit)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

/// Rounds a time up to whole seconds, so that a client that waits for it has waited long enough.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
