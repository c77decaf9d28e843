//! Sends the request of a call until there is a response, or until the retry policy allows no further try.

mod budget;
pub(crate) mod clock;
mod policy;

pub use budget::RetryBudget;
pub use clock::Clock;
pub use policy::{RetryDecision, RetryPolicy};

use crate::{
    FailedLoad,
    call::Settings,
    client::Shared,
    credentials::{self, Provided},
    error::{self, Failure},
    interceptor::{TryOutcome, TryRequest},
    operation::Operation,
    platform::{Instant, timeout},
    prepared::{Prepared, next_try},
    record::{Record, RetryStop},
    transport::{Head, Received},
};
use bytes::Bytes;
use futures_util::future::{BoxFuture, try_join_all};
use http::{Extensions, HeaderValue, StatusCode};
use reqwest::Request;
use std::{pin::pin, time::Duration};
use tracing::Instrument as _;

// The futures are boxed. Otherwise each generated crate would compile them, and everything inside them, again.
impl Prepared {
    /// Sends the request, and sends it again if this is necessary and allowed.
    ///
    /// # Errors
    ///
    /// Returns an error if no response arrives, or if its status is not a success that the document lists.
    pub(crate) fn send(&mut self) -> BoxFuture<'_, Result<Received, Failure>> {
        let operation = self.operation;
        let no_content = self.may_have_no_content;
        let span = (self.client.shared.service.span)(operation, self.request.url());
        let of_call = span.clone();
        let sent = async move {
            let outcome = run_call(self).await;
            record(&of_call, &outcome);
            listed(operation, no_content, outcome?).await
        };
        Box::pin(sent.instrument(span))
    }

    /// Sends the request as `send` does, and reads the body of the response to its end.
    ///
    /// # Errors
    ///
    /// Returns the errors of `send`, or an error if the body is interrupted, takes too long, or is too large.
    pub(crate) fn read(&mut self) -> BoxFuture<'_, Result<(Box<Head>, Bytes), Failure>> {
        Box::pin(async move { Ok(self.send().await?.into_bytes().await?) })
    }
}

/// Returns the response if its status is a success that the document lists.
async fn listed(
    operation: &Operation,
    no_content: bool,
    response: Received,
) -> Result<Received, Failure> {
    let status = response.head.status.as_u16();
    let listed = operation.success;
    if listed.is_empty() || listed.contains(&status) || no_content && status == 204 {
        Ok(response)
    } else {
        Err(Failure::from_response(response).await)
    }
}

/// Records in the span how its call ended.
fn record(span: &tracing::Span, outcome: &Result<Received, Failure>) {
    if span.is_disabled() {
        return;
    }
    let (status, request_id, record) = match outcome {
        Ok(Received { head, .. }) => {
            let status = Some(head.status.as_u16());
            (status, error::request_id(&head.headers), &head.record)
        }
        Err(error) => {
            span.record("error", tracing::field::debug(error.kind()));
            span.record("error.type", error.error_type());
            span.record("otel.status_code", "ERROR");
            (error.status(), error.request_id(), error.record())
        }
    };
    span.record("status", status);
    span.record("request_id", request_id);
    span.record("retries", record.retries);
    span.record("http.response.status_code", status);
    // The semantic conventions define the number only for requests that were sent again.
    if record.retries > 0 {
        span.record("http.request.resend_count", record.retries);
    }
}

/// The keys of a request, in the order of their providers.
type Keys = Vec<HeaderValue>;

/// The state of a call that its tries share.
struct CallState<'a> {
    shared: &'a Shared,
    settings: &'a Settings,
    operation: &'static Operation,
    begun: Instant,
    record: Record,
    is_idempotent: bool,
    /// The providers of the keys that the call sends.
    providers: Vec<&'a Provided>,
    /// The keys that the service has rejected.
    rejected_keys: Keys,
    /// Whether a try may have been carried out, and the idempotency key prevents a second execution.
    is_in_doubt: bool,
    /// The keys of that try. The idempotency key is valid only together with these keys.
    keys_of_doubtful_try: Option<Keys>,
    /// The values that the hooks of the call share.
    context: &'a mut Extensions,
}

/// Makes the tries, and tells the interceptors how the call ended.
async fn run_call(call: &mut Prepared) -> Result<Received, Failure> {
    let mut context = call.settings().context.clone();
    let begun = call.client.shared.clock.now();
    let result = run_tries(call, &mut context).await;
    let interceptors = &call.settings().interceptors;
    if !interceptors.is_empty() {
        let record = match &result {
            Ok(received) => &received.head.record,
            Err(error) => error.record(),
        };
        interceptors.after_call(&TryOutcome {
            operation: call.operation,
            number: record.retries.saturating_add(1),
            method: call.request.method(),
            url: call.request.url(),
            elapsed: (call.client.shared.clock.now()).saturating_duration_since(begun),
            repeatable: call.request.method().is_idempotent() || record.idempotency_key.is_some(),
            context: &context,
            result: result.as_ref(),
        });
    }
    result
}

async fn run_tries(call: &mut Prepared, context: &mut Extensions) -> Result<Received, Failure> {
    let idempotency_key = call.idempotency_key().map(str::to_owned);
    let Prepared {
        client,
        settings,
        request: template,
        accepts_json,
        is_streamed,
        operation,
        ..
    } = call;
    let shared = &*client.shared;
    let settings = settings.as_deref().unwrap_or(&shared.settings);
    let headers = match accepts_json {
        true => &shared.json_headers,
        false => &shared.headers,
    };
    let clock = &*shared.clock;
    let mut now = clock.now();
    let mut state = CallState {
        shared,
        settings,
        operation,
        begun: now,
        is_idempotent: template.method().is_idempotent(),
        record: Record {
            idempotency_key,
            ..Record::default()
        },
        providers: credentials::of_call(
            &shared.credentials,
            shared.service,
            operation,
            [headers, template.headers()],
        ),
        rejected_keys: Keys::new(),
        is_in_doubt: false,
        keys_of_doubtful_try: None,
        context,
    };
    loop {
        let mut wait = shared.throttle.wait(now);
        if !wait.is_zero() {
            // The calls that wait are not all sent at the same time.
            wait = wait.saturating_add(clock.jitter(settings.retry.ceiling(0)));
        }
        // If the wait would exceed the time limit, the request is sent at once, and the service decides.
        let is_early = !wait.is_zero() && wait >= state.left(now);
        if !wait.is_zero() && !is_early {
            clock.sleep(wait).await;
            now = clock.now();
        }
        let (mut request, can_send_again) = next_try(template, headers);
        let mut keys = Keys::new();
        if !state.providers.is_empty() {
            keys = state.add_keys(&mut request, now).await?;
        }
        if !settings.interceptors.is_empty() {
            let prepared = state.before_try(&mut request).await;
            prepared.map_err(|error| error.of_call(&state.record))?;
        }
        state.record.credential = credentials::of_request(shared.service, operation, &request);
        if !state.providers.is_empty() || !settings.interceptors.is_empty() {
            now = clock.now();
        }
        // A body that is a stream has only one try, which may take as long as the call.
        let limit = match can_send_again {
            true => settings.try_timeout.min(state.left(now)),
            false => state.left(now),
        };
        // This future is also large. A function that returned it would copy it.
        let exchange = pin!(client.exchange(
            request,
            template.url(),
            operation,
            *is_streamed,
            is_early,
            settings.max_response_bytes
        ));
        let result = timeout(limit, exchange).await;
        let result = result.unwrap_or_else(|| Err(Failure::timed_out(operation.id)));
        let decision = state.after_try(template, now, &result);
        let error = match result {
            Ok(mut received) => {
                shared.budget.earn();
                state.record.sent = true;
                received.head.record = state.record;
                return Ok(received);
            }
            Err(error) => error,
        };
        state.record.sent |= error.was_sent();
        state.is_in_doubt |= !state.is_idempotent
            && state.record.idempotency_key.is_some()
            && error.may_have_been_carried_out();
        if state.keys_have_changed(&error, &keys).await && can_send_again && !state.is_in_doubt {
            state.record.retries += 1;
            now = clock.now();
            continue;
        }
        let pause = match state.next_pause(decision, &error, can_send_again) {
            Ok(pause) => pause,
            Err(stop) => {
                state.record.stop = stop;
                return Err(error.of_call(&state.record));
            }
        };
        (shared.service.log_retry)(operation, state.number(), &error, pause);
        clock.sleep(pause).await;
        if state.is_in_doubt {
            state.keys_of_doubtful_try = Some(keys);
        }
        state.record.retries += 1;
        now = clock.now();
    }
}

impl CallState<'_> {
    /// Returns the remaining time of the call.
    fn left(&self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.begun);
        self.settings.timeout.saturating_sub(elapsed)
    }

    /// Whether the request may be sent again, even if the service has already carried it out.
    fn is_repeatable(&self) -> bool {
        self.is_idempotent || self.record.idempotency_key.is_some()
    }

    /// Returns the number of the current try; the first one is 1.
    fn number(&self) -> u32 {
        self.record.retries.saturating_add(1)
    }

    /// Adds the keys to the request of a try.
    async fn add_keys(&mut self, request: &mut Request, now: Instant) -> Result<Keys, Failure> {
        let keys = match self.keys_of_doubtful_try.take() {
            Some(keys) => keys,
            None => {
                let loaded = self.load_keys(&self.rejected_keys, self.left(now)).await;
                loaded.map_err(|error| error.of_call(&self.record))?
            }
        };
        for (provided, key) in self.providers.iter().zip(&keys) {
            provided.put(key, request);
        }
        Ok(keys)
    }

    async fn load_keys(&self, rejected: &[HeaderValue], left: Duration) -> Result<Keys, Failure> {
        let shared = self.shared;
        let report = |failure: &FailedLoad<'_>, is_time_to_log: bool| {
            // The interceptors of the call do not count, because a load serves several calls.
            shared.settings.interceptors.after_failed_load(failure);
            if is_time_to_log {
                (shared.service.log_failed_load)(failure);
            }
        };
        let providers = self.providers.iter().enumerate();
        let loading = providers
            .map(|(at, provided)| provided.value(&*shared.clock, rejected.get(at), left, &report));
        let loaded = timeout(left, try_join_all(loading)).await;
        loaded.unwrap_or_else(|| Err(Failure::no_key_in_time()))
    }

    /// Whether the service rejected the keys of a try and the providers have other keys now. Keys that can change are
    /// loaded once more per call. The service does not start a request whose keys it rejects.
    async fn keys_have_changed(&mut self, error: &Failure, used: &Keys) -> bool {
        if used.is_empty()
            || error.status_code() != Some(StatusCode::UNAUTHORIZED)
            || !self.rejected_keys.is_empty()
        {
            return false;
        }
        let left = self.left(self.shared.clock.now());
        let loaded = self.load_keys(used, left).await;
        self.rejected_keys.clone_from(used);
        loaded.is_ok_and(|keys| keys != *used)
    }

    /// Calls the hooks before a try.
    async fn before_try(&mut self, request: &mut Request) -> Result<(), Failure> {
        let operation = self.operation;
        let left = self.left(self.shared.clock.now());
        let mut request = TryRequest {
            request,
            operation,
            service: self.shared.service,
            number: self.number(),
            context: self.context,
        };
        // The future is boxed, so that the future of a call without interceptors stays small.
        let hooks = Box::pin(self.settings.interceptors.before_try(&mut request));
        let result = timeout(left, hooks).await;
        let too_late = || Err("it took longer than the remaining time of the call".into());
        let result = result.unwrap_or_else(too_late);
        result.map_err(|reason| Failure::stopped_by_interceptor(operation.id, reason))
    }

    fn after_try(
        &self,
        template: &Request,
        begun: Instant,
        result: &Result<Received, Failure>,
    ) -> RetryDecision {
        let interceptors = &self.settings.interceptors;
        if result.is_ok() && interceptors.is_empty() {
            return RetryDecision::Default;
        }
        let outcome = TryOutcome {
            operation: self.operation,
            number: self.number(),
            method: template.method(),
            url: template.url(),
            elapsed: self.shared.clock.now().saturating_duration_since(begun),
            repeatable: self.is_repeatable(),
            context: self.context,
            result: result.as_ref(),
        };
        interceptors.after_try(&outcome);
        self.settings.retry.decide(&outcome)
    }

    /// Returns the pause before the next try. If there is no further try, returns the reason, or `None` if the error is not
    /// temporary.
    fn next_pause(
        &self,
        decision: RetryDecision,
        error: &Failure,
        can_send_again: bool,
    ) -> Result<Duration, Option<RetryStop>> {
        let (retry, retries) = (&self.settings.retry, self.record.retries);
        let jitter = self.shared.clock.jitter(retry.ceiling(retries));
        // The service may request any time, even a very long one.
        let requested = error.retry_after().unwrap_or_default();
        let pause = requested.saturating_add(jitter);
        let is_unauthorized = error.status_code() == Some(StatusCode::UNAUTHORIZED);
        let is_repeatable = self.is_repeatable() || error.was_not_begun();
        Err(match decision {
            RetryDecision::Stop => Some(RetryStop::Classifier),
            RetryDecision::Default if is_unauthorized && self.is_in_doubt => {
                Some(RetryStop::ApiKeyRejected)
            }
            RetryDecision::Default if !error.is_retryable() => None,
            RetryDecision::Default if !is_repeatable => Some(RetryStop::NotRepeatable),
            _ if !can_send_again => Some(RetryStop::NotRepeatable),
            _ if !retry.allows_another(retries) => Some(RetryStop::Tries),
            _ if pause >= self.left(self.shared.clock.now()) => Some(RetryStop::Timeout),
            _ if !self.shared.budget.spend() => Some(RetryStop::Budget),
            _ => return Ok(pause),
        })
    }
}
