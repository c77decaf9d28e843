//! Whether a key asks too often: 429 with `Retry-After`, and the fields by which
//! a client can slow down before that. They are those of
//! draft-ietf-httpapi-ratelimit-headers: structured fields (RFC 9651), `q` the
//! requests of a window of `w` seconds, `r` what is left of them, and `t` the
//! seconds until all of them are there again, or, on a refusal, until one is.

use super::answer::Rejection;
use crate::api::{ErrorCode, Refusal};
use crate::{
    app::App,
    rate_limit::{Quota, RateLimiter},
};
use http::{HeaderMap, HeaderName, HeaderValue, header::RETRY_AFTER};
use petstore_store::KeyId;
use std::time::Duration;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The fields of the answer to a request that was counted.
#[derive(Debug)]
pub(super) struct Fields {
    policy: String,
    limit: String,
}

/// Counts the request; nothing where there is no limit.
pub(super) fn count(app: &App, key: &KeyId) -> Option<(Quota, Fields)> {
    let limiter = app.rate_limiter.as_ref()?;
    let quota = limiter.count(key, app.clock.elapsed());
    Some((quota, Fields::of(limiter, &quota)))
}

/// 429 where the allowance is spent.
pub(super) fn check(quota: &Quota) -> Result<(), Rejection> {
    if quota.passed {
        return Ok(());
    }
    let wait = seconds(quota.reset);
    let unit = if wait == 1 { "second" } else { "seconds" };
    let message = format!("this key asks too often; try again in {wait} {unit}, and then slower");
    Err(
        Rejection::from(Refusal::new(ErrorCode::RateLimited, message))
            .with(RETRY_AFTER, HeaderValue::from(wait)),
    )
}

impl Fields {
    fn of(limiter: &RateLimiter, quota: &Quota) -> Self {
        let (requests, window) = limiter.policy();
        let window = seconds(window);
        let (remaining, reset) = (quota.remaining, seconds(quota.reset));
        Fields {
            policy: format!("\"default\";q={requests};w={window}"),
            limit: format!("\"default\";r={remaining};t={reset}"),
        }
    }

    /// Adds them to an answer.
    pub(super) fn put(&self, headers: &mut HeaderMap) {
        for (name, value) in [(POLICY, &self.policy), (LIMIT, &self.limit)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

/// Rounded up, so that who waits so long has waited long enough.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
