//! Sends the request of a call until there is a response, or until the retry policy allows no further
//! try.

mod budget;
mod clock;
mod decision;
mod policy;

pub use budget::RetryBudget;
pub use clock::Clock;
pub(crate) use clock::RealClock;
pub(crate) use decision::{Throttle, http_date, retry_after, throttle};
pub use policy::RetryPolicy;

use crate::{
    call::Prepared,
    error::{self, Failure},
    generated::FailedTry,
};
use reqwest::Response;
use std::time::Instant;
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
}

/// Sends a request until there is a response, or until there is no point in sending it again.
pub(crate) async fn send(call: Prepared) -> Result<Response, Failure> {
    let span = (call.client.shared.service.span)(call.operation.id, call.request.method().as_str());
    async move {
        let outcome = tries(call).await;
        let span = tracing::Span::current();
        match &outcome {
            Ok(response) => {
                span.record("status", response.status().as_u16());
                span.record("request_id", error::request_id(response.headers()));
                let record = response.extensions().get::<Record>();
                span.record("retries", record.map(|record| record.retries));
            }
            Err(error) => {
                span.record("status", error.status());
                span.record("request_id", error.request_id());
                span.record("retries", error.retries());
                span.record("error", tracing::field::debug(error.kind()));
            }
        }
        outcome
    }
    .instrument(span)
    .await
}

async fn tries(call: Prepared) -> Result<Response, Failure> {
    let idempotency_key = call.idempotency_key().map(str::to_owned);
    let repeatable = call.request.method().is_idempotent() || idempotency_key.is_some();
    let Prepared {
        client,
        settings,
        mut request,
        operation,
    } = call;
    let shared = &client.shared;
    let clock = &shared.clock;
    let begun = clock.now();
    let left = |now: Instant| settings.timeout.saturating_sub(now - begun);
    let mut record = Record {
        idempotency_key,
        ..Record::default()
    };
    loop {
        let wait = shared.throttle.wait(clock.now());
        // If the wait would exceed the time limit, the request is sent at once and the service decides.
        if !wait.is_zero() && wait < left(clock.now()) {
            clock.sleep(wait).await;
        }
        // A body that is a stream cannot be sent twice.
        let again = request.try_clone();
        let limit = settings.try_timeout.min(left(clock.now()));
        let error = match tokio::time::timeout(limit, client.exchange(request, operation)).await {
            Ok(Ok(mut response)) => {
                shared.budget.earn();
                record.sent = true;
                response.extensions_mut().insert(record);
                return Ok(response);
            }
            Ok(Err(error)) => error,
            Err(_) => Failure::timed_out(operation.id),
        };
        record.sent |= error.was_sent();
        let worthwhile = error.is_retryable() && (repeatable || error.was_not_begun());
        let (true, true, Some(next)) = (
            worthwhile,
            settings.retry.allows_another(record.retries),
            again,
        ) else {
            return Err(error.of_call(&record));
        };
        let jitter = clock.jitter(settings.retry.ceiling(record.retries));
        let pause = error.retry_after().unwrap_or_default() + jitter;
        if pause >= left(clock.now()) || !shared.budget.spend() {
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
        record.retries += 1;
        request = next;
    }
}
