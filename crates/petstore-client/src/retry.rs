//! One call, as often as it is sent: tries, the pauses between them, and when
//! to give up. What an answer means is `error`'s.

mod advice;
mod budget;
mod clock;
mod pace;
mod policy;

pub(crate) use advice::{http_date, retry_after};
pub use budget::RetryBudget;
pub use clock::Clock;
pub(crate) use clock::RealClock;
pub(crate) use pace::Pace;
pub use policy::RetryPolicy;

use crate::{Error, call::Prepared, error};
use http::header::CONTENT_TYPE;
use reqwest::{Request, Response};
use std::time::{Duration, Instant};
use tracing::{Instrument as _, field::Empty};

/// What became of a call, beside its answer. Goes with answers and errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// How often it was repeated.
    pub(crate) retries: u32,
    /// Whether the service may have seen any of its tries.
    pub(crate) sent: bool,
    /// The key that made it safe to repeat.
    pub(crate) idempotency_key: Option<String>,
}

/// Sends a request until it is answered, or until there is no point in sending
/// it again.
pub(crate) async fn send(call: Prepared) -> Result<Response, Error> {
    let span = tracing::info_span!(
        "petstore_client",
        operation = call.operation.id,
        method = %call.request.method(),
        status = Empty,
        request_id = Empty,
        retries = Empty,
        error = Empty,
    );
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

async fn tries(call: Prepared) -> Result<Response, Error> {
    let idempotency_key = call.idempotency_key().map(str::to_owned);
    let repeatable = call.request.method().is_idempotent() || idempotency_key.is_some();
    let Prepared {
        client,
        settings,
        mut request,
        operation,
    } = call;
    let clock = client.clock();
    let begun = clock.now();
    let left = |now: Instant| settings.timeout.saturating_sub(now - begun);
    let mut record = Record {
        idempotency_key,
        ..Record::default()
    };
    loop {
        let wait = client.pace().wait(clock.now());
        // Where the time does not allow to wait, the service decides.
        if !wait.is_zero() && wait < left(clock.now()) {
            clock.sleep(wait).await;
        }
        // A body that is a stream cannot be sent twice.
        let again = request.try_clone();
        let limit = settings.try_timeout.min(left(clock.now()));
        let error = match tokio::time::timeout(limit, client.exchange(request, operation)).await {
            Ok(Ok(mut response)) => {
                client.budget().earn();
                record.sent = true;
                response.extensions_mut().insert(record);
                return Ok(response);
            }
            Ok(Err(error)) => error,
            Err(_) => Error::timed_out(operation.id),
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
        if pause >= left(clock.now()) || !client.budget().spend() {
            return Err(error.of_call(&record));
        }
        tracing::debug!(
            operation = operation.id,
            kind = ?error.kind(),
            status = error.status(),
            request_id = error.request_id(),
            pause_ms = pause.as_millis(),
            "try {} failed; trying again", record.retries + 1,
        );
        clock.sleep(pause).await;
        record.retries += 1;
        request = next;
    }
}

/// One exchange: the request is sent, and its answer read to the end, so that
/// an answer that breaks off can be asked for again. Bodies that are no JSON are
/// left to be read as they arrive.
///
/// # Errors
///
/// There is no answer, it broke off, or it is an error.
pub(crate) async fn exchange(
    http: &reqwest::Client,
    request: Request,
    operation_id: &'static str,
    base_url: &str,
    on_answer: impl FnOnce(&Response),
) -> Result<Response, Error> {
    let response = http
        .execute(request)
        .await
        .map_err(|error| Error::not_answered(operation_id, base_url, error))?;
    on_answer(&response);
    if !response.status().is_success() {
        return Err(Error::from_response(response).await);
    }
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !is_json {
        return Ok(response);
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response
        .bytes()
        .await
        .map_err(|error| Error::broken_off(status, &headers, error))?;
    let mut read = http::Response::new(body);
    *read.status_mut() = status;
    *read.headers_mut() = headers;
    Ok(Response::from(read))
}

/// The wait that the limit of the API key asks of the next request.
pub(crate) fn pace_of(response: &Response) -> Option<Duration> {
    advice::pace(response.status(), response.headers())
}
