//! Reads from a response how long to wait before the next request: `Retry-After` (RFC 9110, section 10.2.3) and
//! `RateLimit` (draft-ietf-httpapi-ratelimit-headers).

use chrono::{DateTime, Utc};
use http::{
    HeaderMap, HeaderName, StatusCode,
    header::{DATE, RETRY_AFTER},
};
use std::time::Duration;

/// See draft-ietf-httpapi-ratelimit-headers.
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Returns how long a response asks to wait before the same request is sent again.
pub(crate) fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    let is_rejection = matches!(status.as_u16(), 429 | 503);
    in_seconds_or_date(headers).or_else(|| {
        let limit = is_rejection.then(|| RateLimit::of(headers))??;
        limit.refill.map(Duration::from_secs)
    })
}

/// Returns how long the next request of the client should wait after this response. The response may be the last one
/// that the rate limit allowed, or one that the rate limit rejected.
pub(crate) fn rate_limit_pause(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status == StatusCode::TOO_MANY_REQUESTS {
        return retry_after(status, headers);
    }
    let limit = RateLimit::of(headers)?;
    if limit.remaining > 0 {
        return None;
    }
    // After this time, all requests are available again; a single request is available earlier.
    let refill = Duration::from_secs(limit.refill?);
    Some(refill / limit.quota.unwrap_or(1).max(1))
}

fn in_seconds_or_date(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = http_date(value)?;
    // The clock of the service is used if the response has a date, because the local clock may be wrong.
    let now = headers
        .get(DATE)
        .and_then(|date| http_date(date.to_str().ok()?))
        .unwrap_or_else(Utc::now);
    // A date in the past means now.
    Some((at - now).to_std().unwrap_or_default())
}

/// Parses an HTTP date (RFC 9110, section 5.6.7). The two obsolete formats are not supported.
pub(crate) fn http_date(value: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc2822(value.trim())
        .ok()
        .map(|date| date.to_utc())
}

/// The remaining requests of a rate limit.
struct RateLimit {
    /// `r`: how many requests are left.
    remaining: u64,
    /// `t`: the seconds until all requests are available again.
    refill: Option<u64>,
    /// `q` of the policy: the total number of requests.
    quota: Option<u32>,
}

impl RateLimit {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &HeaderName| headers.get(name)?.to_str().ok();
        let limit = text(&RATE_LIMIT)?;
        Some(RateLimit {
            remaining: parameter(limit, "r")?,
            refill: parameter(limit, "t"),
            quota: text(&RATE_LIMIT_POLICY)
                .and_then(|policy| parameter(policy, "q"))
                .and_then(|quota| u32::try_from(quota).ok()),
        })
    }
}

/// Returns a parameter of the first item of a list (RFC 9651), if it is a number.
fn parameter(list: &str, name: &str) -> Option<u64> {
    let first = list.split(',').next()?;
    first.split(';').skip(1).find_map(|part| {
        let (key, value) = part.split_once('=')?;
        (key.trim() == name).then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests;
