//! Sends the request of a call until there is a response, or until the retry policy allows no further
//! try.

mod budget;
mod clock;
mod decision;
mod policy;

pub use budget::RetryBudget;
pub use clock::Clock;
pub(crate) use clock::RealClock;
pub(crate) use decision::{RATE_LIMIT, Throttle, http_date, retry_after, throttle};
pub use policy::{RetryDecision, RetryPolicy};

use crate::{
    call::{Prepared, next_try},
    error::{self, Failure},
    generated::{FailedTry, StartedCall},
    interceptor::{TryOutcome, TryRequest},
    platform::{Instant, timeout},
    transport::Received,
};
use http::StatusCode;
use std::pin::pin;
use tracing::Instrument as _;

/// What is known of a call besides its response. It is kept with responses and errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// How often the request was sent again.
    pub(crate) retries: u32,
    /// Whether the service may have seen any of its tries.
    pub(crate) sent: bool,
    /// The key that made the request safe to repeat.
    pub(crate) idempotency_key: Option<String>,
    /// Why the request was not sent again, although that may have helped.
    pub(crate) stop: Option<RetryStop>,
}

/// Why a request was not sent again after an error that may be transient; see
/// [`Error::retry_stop`](crate::Error::retry_stop).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryStop {
    /// It is unknown whether the service carried out the request, and it is not safe to repeat.
    NotRepeatable,
    /// The call has made all tries of its [`RetryPolicy`].
    Tries,
    /// The [`RetryBudget`] of the client is used up, because too many calls fail.
    Budget,
    /// The pause before the next try would have exceeded the time limit of the call.
    Timeout,
    /// The classifier of the [`RetryPolicy`] forbids it.
    Classifier,
    /// The service rejected the API key after an earlier try that it may have carried out. The `Idempotency-Key` of the
    /// request is valid only for the API key of that try: with another one, the request could be carried out twice.
    ApiKeyRejected,
}

/// Sends a request until there is a response, or until there is no point in sending it again.
pub(crate) async fn send(call: &mut Prepared) -> Result<Received, Failure> {
    let span = (call.client.shared.service.span)(&StartedCall {
        operation: call.operation,
        url: call.request.url(),
    });
    // The future of the tries is large, and each function that returns it would copy it.
    if span.is_disabled() {
        return Box::pin(tries(call)).await;
    }
    let recorded = async move {
        let outcome = tries(call).await;
        let span = tracing::Span::current();
        match &outcome {
            Ok(response) => {
                let head = &response.head;
                span.record("status", head.status.as_u16());
                span.record("request_id", error::request_id(&head.headers));
                span.record("retries", head.record.retries);
                span.record("http.response.status_code", head.status.as_u16());
                resent(&span, head.record.retries);
            }
            Err(error) => {
                span.record("status", error.status());
                span.record("request_id", error.request_id());
                span.record("retries", error.retries());
                span.record("error", tracing::field::debug(error.kind()));
                span.record("http.response.status_code", error.status());
                span.record("error.type", error.error_type());
                span.record("otel.status_code", "ERROR");
                resent(&span, error.retries());
            }
        }
        outcome
    };
    Box::pin(recorded.instrument(span)).await
}

/// The conventions have the number only for requests that were sent again.
fn resent(span: &tracing::Span, retries: u32) {
    if retries > 0 {
        span.record("http.request.resend_count", retries);
    }
}

async fn tries(call: &mut Prepared) -> Result<Received, Failure> {
    let idempotency_key = call.idempotency_key().map(str::to_owned);
    let is_idempotent = call.request.method().is_idempotent();
    let repeatable = is_idempotent || idempotency_key.is_some();
    let relies_on_key = !is_idempotent && idempotency_key.is_some();
    let Prepared {
        client,
        settings,
        request: template,
        accepts_json,
        operation,
    } = call;
    let operation = *operation;
    let shared = &client.shared;
    let settings = settings.as_deref().unwrap_or(&shared.settings);
    let headers = if *accepts_json {
        &shared.json_headers
    } else {
        &shared.headers
    };
    let clock = &shared.clock;
    let begun = clock.now();
    let left = |now: Instant| {
        settings
            .timeout
            .saturating_sub(now.saturating_duration_since(begun))
    };
    let mut record = Record {
        idempotency_key,
        ..Record::default()
    };
    let mut now = begun;
    // The value of the header with a key that the service has rejected.
    let mut rejected = None;
    // Whether a try may have been carried out, which the idempotency key does not let happen a second time.
    let mut in_doubt = false;
    // The header with the API key of that try. The idempotency key is valid only for this API key.
    let mut pinned = None;
    loop {
        let wait = shared.throttle.wait(now);
        // If the wait would exceed the time limit, the request is sent at once and the service decides.
        if !wait.is_zero() && wait < left(now) {
            clock.sleep(wait).await;
            now = clock.now();
        }
        let (mut request, can_send_again) = next_try(template, headers);
        let mut key = None;
        if let Some(credentials) = &shared.credentials {
            let (name, value) = match pinned.take() {
                Some(header) => header,
                None => {
                    let loading = credentials.header(&**clock, rejected.as_ref(), left(now));
                    let loaded = timeout(left(now), loading).await;
                    let loaded = loaded.unwrap_or_else(|| Err(Failure::no_key_in_time()));
                    loaded.map_err(|error| error.of_call(&record))?
                }
            };
            // A call can have a key of its own, by `CallOptions::header`.
            if !request.headers().contains_key(&name) {
                request.headers_mut().insert(name.clone(), value.clone());
                key = Some((name, value));
            }
            now = clock.now();
        }
        let number = record.retries.saturating_add(1);
        let allowed = settings.interceptors.before_try(&mut TryRequest {
            request: &mut request,
            operation,
            number,
        });
        if let Err(reason) = allowed {
            return Err(Failure::stopped_by_interceptor(operation.id, reason).of_call(&record));
        }
        if !settings.interceptors.is_empty() {
            now = clock.now();
        }
        let limit = settings.try_timeout.min(left(now));
        let exchange = pin!(client.exchange(request, template.url(), operation));
        let result = timeout(limit, exchange).await;
        let result = result.unwrap_or_else(|| Err(Failure::timed_out(operation.id)));
        let mut decision = RetryDecision::Default;
        if result.is_err() || !settings.interceptors.is_empty() {
            let outcome = TryOutcome {
                operation,
                number,
                method: template.method(),
                url: template.url(),
                elapsed: clock.now().saturating_duration_since(now),
                repeatable,
                result: match &result {
                    Ok(received) => Ok((received.head.status, &received.head.headers)),
                    Err(error) => Err(error),
                },
            };
            settings.interceptors.after_try(&outcome);
            decision = settings.retry.decide(&outcome);
        }
        let error = match result {
            Ok(mut received) => {
                shared.budget.earn();
                record.sent = true;
                received.head.record = record;
                return Ok(received);
            }
            Err(error) => error,
        };
        record.sent |= error.was_sent();
        let is_unauthorized = error.status_code() == Some(StatusCode::UNAUTHORIZED);
        in_doubt |= relies_on_key && error.may_have_been_carried_out();
        // A key that has changed is loaded once. The service has not begun with a request whose key it rejects.
        if let Some(credentials) = &shared.credentials
            && is_unauthorized
            && rejected.is_none()
            && let Some((_, used)) = &key
        {
            let left = left(clock.now());
            let loading = credentials.header(&**clock, Some(used), left);
            let loaded = timeout(left, loading).await;
            let has_another = matches!(loaded, Some(Ok((_, value))) if value != *used);
            rejected = Some(used.clone());
            if has_another && can_send_again && !in_doubt {
                record.retries += 1;
                now = clock.now();
                continue;
            }
        }
        let jitter = clock.jitter(settings.retry.ceiling(record.retries));
        // The service may ask for any time.
        let pause = error.retry_after().unwrap_or_default();
        let pause = pause.saturating_add(jitter);
        let repeatable = repeatable || error.was_not_begun();
        let stop = match decision {
            RetryDecision::Stop => Some(RetryStop::Classifier),
            RetryDecision::Default if is_unauthorized && in_doubt => {
                Some(RetryStop::ApiKeyRejected)
            }
            RetryDecision::Default if !error.is_retryable() => return Err(error.of_call(&record)),
            RetryDecision::Default if !repeatable => Some(RetryStop::NotRepeatable),
            _ if !can_send_again => Some(RetryStop::NotRepeatable),
            _ if !settings.retry.allows_another(record.retries) => Some(RetryStop::Tries),
            _ if pause >= left(clock.now()) => Some(RetryStop::Timeout),
            _ if !shared.budget.spend() => Some(RetryStop::Budget),
            _ => None,
        };
        if stop.is_some() {
            record.stop = stop;
            return Err(error.of_call(&record));
        }
        (shared.service.log_retry)(&FailedTry {
            operation: operation.id,
            kind: error.kind(),
            status: error.status(),
            request_id: error.request_id(),
            pause,
            number: record.retries + 1,
        });
        clock.sleep(pause).await;
        if in_doubt {
            pinned = key;
        }
        record.retries += 1;
        now = clock.now();
    }
}
