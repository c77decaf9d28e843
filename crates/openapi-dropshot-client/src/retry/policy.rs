//! The retry policy: how often a call is tried, and how long it pauses between two tries.

use crate::TryOutcome;
use std::{sync::Arc, time::Duration};

/// How often a call is tried, and how long it pauses between two tries.
///
/// The pause is random, between zero and a maximum that doubles each time ("full jitter"), so that clients that failed at the same
/// time do not retry at the same time. If the service says how long to wait (`Retry-After`, `RateLimit`), the pause starts after that
/// time.
///
/// [`Error::is_retryable`](crate::Error::is_retryable), the table [Retries](crate#retries) of `openapi-dropshot-client`, and the
/// guide of the generated client, if it has one (`guide::retries`), describe which errors are retried.
/// [`classify`](RetryPolicy::classify) changes this.
///
/// ```
/// # use openapi_dropshot_client::{Client, RetryPolicy};
/// use std::time::Duration;
///
/// let stubborn = RetryPolicy::new()
///     .max_tries(10)
///     .first_pause(Duration::from_secs(1))
///     .longest_pause(Duration::from_secs(30));
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .retry(stubborn)
///     .timeout(Duration::from_secs(300))
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a policy has no effect until it is passed to a client or a call"]
pub struct RetryPolicy {
    max_tries: u32,
    first_pause: Duration,
    longest_pause: Duration,
    classifier: Option<Classifier>,
}

#[derive(Clone)]
struct Classifier(Arc<dyn Fn(&TryOutcome<'_>) -> RetryDecision + Send + Sync>);

debug_fields!(Classifier);

/// Classifiers are equal only if they are clones of the same classifier.
impl PartialEq for Classifier {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Classifier {}

/// Whether a request is sent again. The function of [`RetryPolicy::classify`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryDecision {
    /// The policy decides as if it had no classifier.
    Default,
    /// The request is sent again, if the number of tries, the budget and the time limit allow it. Check [`TryOutcome::is_repeatable`]
    /// first, because the service may have carried out the request.
    Retry,
    /// The request is not sent again.
    Stop,
}

impl RetryPolicy {
    /// Creates a policy with six tries. The maximum of the first pause is 200 milliseconds, and of every pause 10 seconds. All pauses
    /// together take about three seconds, which is as long as a restart of a service takes.
    pub fn new() -> Self {
        RetryPolicy {
            max_tries: 6,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(10),
            classifier: None,
        }
    }

    /// Creates a policy with only one try.
    pub fn never() -> Self {
        RetryPolicy::new().max_tries(1)
    }

    /// Sets the maximum number of tries of a call, including the first one; 0 counts as 1.
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.max_tries = tries.max(1);
        self
    }

    /// Sets the maximum of the first pause. The maximum doubles with each later pause.
    pub fn first_pause(mut self, ceiling: Duration) -> Self {
        self.first_pause = ceiling;
        self
    }

    /// Sets the maximum of all pauses. The service may request a longer pause; the client then waits for that time if the time limit
    /// of the call allows it.
    pub fn longest_pause(mut self, ceiling: Duration) -> Self {
        self.longest_pause = ceiling;
        self
    }

    /// Sets a function that decides after each failed try whether the request is sent again.
    ///
    /// ```
    /// # use openapi_dropshot_client::{RetryDecision, RetryPolicy};
    ///
    /// // This service responds with 500 while it restarts.
    /// let policy = RetryPolicy::new().classify(|outcome| {
    ///     match outcome.status_code().map(|status| status.as_u16()) {
    ///         Some(500) if outcome.is_repeatable() => RetryDecision::Retry,
    ///         _ => RetryDecision::Default,
    ///     }
    /// });
    /// ```
    pub fn classify(
        mut self,
        classifier: impl Fn(&TryOutcome<'_>) -> RetryDecision + Send + Sync + 'static,
    ) -> Self {
        self.classifier = Some(Classifier(Arc::new(classifier)));
        self
    }

    /// Returns the decision of the classifier about a failed try.
    pub(crate) fn decide(&self, outcome: &TryOutcome<'_>) -> RetryDecision {
        match &self.classifier {
            Some(classifier) if outcome.result.is_err() => (classifier.0)(outcome),
            _ => RetryDecision::Default,
        }
    }

    /// Whether a call may be tried again after this many retries.
    pub(crate) fn allows_another(&self, retries: u32) -> bool {
        retries.saturating_add(1) < self.max_tries
    }

    /// Returns the maximum of the pause after this many retries.
    pub(crate) fn ceiling(&self, retries: u32) -> Duration {
        let factor = 2_u32.checked_pow(retries).unwrap_or(u32::MAX);
        self.first_pause
            .saturating_mul(factor)
            .min(self.longest_pause)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy::new()
    }
}

#[cfg(test)]
mod tests;
