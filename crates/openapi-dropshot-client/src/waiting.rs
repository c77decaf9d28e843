//! Waits until the resource that an operation returns is in one of several states.

use crate::{
    Error, ErrorCode, Response,
    error::{Failure, printable},
    json::json_body,
    operation::Waiter,
    prepared::Prepared,
};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    time::Duration,
};

/// How long to wait by default.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Waits until a resource is in a state that its document names, by fetching it repeatedly. The methods `wait_until_…` of a generated
/// client return it. Use `.await` on it.
///
/// The first request is sent at once, and the next ones after pauses: the first pause takes 100 to 200 milliseconds, the second
/// 200 to 400, and so on, up to 5 to 10 seconds. [`first_pause`](crate::RetryPolicy::first_pause) and
/// [`longest_pause`](crate::RetryPolicy::longest_pause) of the [`RetryPolicy`](crate::RetryPolicy) set these times; each pause
/// takes between half of its maximum and its maximum. The policy is that of the client, or of the
/// [`CallOptions`](crate::CallOptions) that were passed to `with` of the request before `wait_until_…`. The last pause ends at
/// the deadline, and is followed by a last request.
///
/// Each request is a call with the retries and time limits of the client. If it fails in spite of its retries, the wait ends with
/// [`WaitError::Call`].
///
/// ```
/// # #[derive(serde::Deserialize)] struct Loan;
/// # use openapi_dropshot_client::{WaitError, Waiting};
/// # use std::time::Duration;
/// # async fn example(waiting: Waiting<Loan>) -> Result<(), WaitError<Loan>> {
/// // client.wait_until_loan_returned(7)
/// let loan = waiting.timeout(Duration::from_secs(60)).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before it is awaited"]
pub struct Waiting<T, C = String> {
    request: Result<Box<Prepared>, Failure>,
    waiter: &'static Waiter,
    timeout: Duration,
    returned: PhantomData<fn() -> (T, C)>,
}

impl<T, C> Waiting<T, C> {
    pub(crate) fn new(request: Result<Box<Prepared>, Failure>, waiter: &'static Waiter) -> Self {
        Waiting {
            request,
            waiter,
            timeout: TIMEOUT,
            returned: PhantomData,
        }
    }

    /// Sets how long to wait; the default is 5 minutes. The last request is sent at that time. A request that is running then is not
    /// interrupted. With zero, only one request is sent.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

impl<T: DeserializeOwned, C: ErrorCode> Waiting<T, C> {
    async fn wait(self) -> Result<Response<T, C>, WaitError<T, C>> {
        let call = |error: Failure| WaitError::Call(error.typed());
        let mut request = self.request.map_err(call)?;
        let clock = std::sync::Arc::clone(&request.client.shared.clock);
        let begun = clock.now();
        let mut number = 0;
        loop {
            let received = request.read().await.map_err(call)?;
            let response: Response<T, C> = Response::json(received).map_err(call)?;
            let state = state(response.raw_body(), self.waiter.path);
            let is_in = |states: &[&str]| state.as_deref().is_some_and(|it| states.contains(&it));
            if is_in(self.waiter.success) {
                return Ok(response);
            }
            if is_in(self.waiter.failure) {
                return Err(WaitError::Failed {
                    state: state.unwrap_or_default(),
                    response: Box::new(response),
                });
            }
            let elapsed = clock.now().saturating_duration_since(begun);
            let left = self.timeout.saturating_sub(elapsed);
            if left.is_zero() {
                return Err(WaitError::Timeout {
                    state,
                    response: Box::new(response),
                });
            }
            let ceiling = request.settings().retry.ceiling(number);
            let pause = ceiling / 2 + clock.jitter(ceiling / 2);
            // The last pause ends at the deadline, so that the last request shows the state at that time.
            clock.sleep(pause.min(left)).await;
            number = number.saturating_add(1);
        }
    }
}

/// Returns the state in a body, as text.
fn state(body: &[u8], path: &str) -> Option<String> {
    let body: serde_json::Value = json_body(body).ok()?;
    match body.pointer(path)? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    }
}

impl<T, C> IntoFuture for Waiting<T, C>
where
    T: DeserializeOwned + Send + 'static,
    C: ErrorCode,
{
    type Output = Result<Response<T, C>, WaitError<T, C>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.wait())
    }
}

debug_fields!([T, C] Waiting<T, C>, waiter(waiter.name), timeout(timeout));

/// Why the state for which a call [waits](Waiting) was not reached.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum WaitError<T, C = String> {
    /// The resource is in a state from which the expected state cannot be reached.
    #[error(
        "the state is `{}`, from which the expected state cannot be reached",
        printable(state)
    )]
    Failed {
        /// Its state.
        state: String,
        /// The response that contains this state.
        response: Box<Response<T, C>>,
    },
    /// The time is over.
    #[error(
        "the time to wait is over, and the state is still `{}`",
        printable(state.as_deref().unwrap_or_default())
    )]
    Timeout {
        /// The last state, if the response had one.
        state: Option<String>,
        /// The last response.
        response: Box<Response<T, C>>,
    },
    /// A request failed.
    #[error(transparent)]
    Call(#[from] Error<C>),
}

impl<T, C: fmt::Debug> fmt::Debug for WaitError<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitError::Failed { state, .. } => f.debug_tuple("Failed").field(state).finish(),
            WaitError::Timeout { state, .. } => f.debug_tuple("Timeout").field(state).finish(),
            WaitError::Call(error) => f.debug_tuple("Call").field(error).finish(),
        }
    }
}
