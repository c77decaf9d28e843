//! How often a call is tried, and how long it pauses before it is tried again.

use std::time::Duration;

/// How often a call is tried, and how long it pauses between two tries.
///
/// The pause is random, from nothing to a ceiling that doubles each time ("full
/// jitter"): clients that failed together do not come back together. Where the
/// service says how long to wait (`Retry-After`, `RateLimit`), the pause begins
/// after that.
///
/// What is tried again at all is not a matter of the policy: see
/// [`Error::is_retryable`](crate::Error::is_retryable), and the section "When it
/// fails" of the crate.
///
/// ```
/// use petstore_client::{Client, RetryPolicy};
/// use std::time::Duration;
///
/// let stubborn = RetryPolicy::new().max_tries(10).longest_pause(Duration::from_secs(30));
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .retry(stubborn)
///     .timeout(Duration::from_secs(300))
///     .build()?;
/// # let _ = client;
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a policy does nothing before a client or a call is given it"]
pub struct RetryPolicy {
    max_tries: u32,
    first_pause: Duration,
    longest_pause: Duration,
}

impl RetryPolicy {
    /// Six tries, with a ceiling of 200 milliseconds for the first pause and of
    /// 10 seconds for any: about three seconds in all, which a restart of the
    /// service takes.
    ///
    /// ```
    /// assert_eq!(petstore_client::RetryPolicy::new(), petstore_client::RetryPolicy::default());
    /// ```
    pub fn new() -> Self {
        RetryPolicy {
            max_tries: 6,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(10),
        }
    }

    /// One try.
    ///
    /// ```
    /// use petstore_client::RetryPolicy;
    ///
    /// assert_eq!(RetryPolicy::never(), RetryPolicy::new().max_tries(1));
    /// ```
    pub fn never() -> Self {
        RetryPolicy::new().max_tries(1)
    }

    /// How often a call is tried at most, the first time included; 0 is taken
    /// as 1.
    ///
    /// ```
    /// let twice = petstore_client::RetryPolicy::new().max_tries(2);
    /// # let _ = twice;
    /// ```
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.max_tries = tries.max(1);
        self
    }

    /// The ceiling of the first pause; each later one has twice the ceiling.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let gentle = petstore_client::RetryPolicy::new().first_pause(Duration::from_secs(1));
    /// # let _ = gentle;
    /// ```
    pub fn first_pause(mut self, ceiling: Duration) -> Self {
        self.first_pause = ceiling;
        self
    }

    /// The ceiling of all pauses. What the service asks for may be longer; it is
    /// waited for if the call's time allows it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let brisk = petstore_client::RetryPolicy::new().longest_pause(Duration::from_secs(1));
    /// # let _ = brisk;
    /// ```
    pub fn longest_pause(mut self, ceiling: Duration) -> Self {
        self.longest_pause = ceiling;
        self
    }

    /// Whether a call may be tried again that was repeated so often already.
    pub(crate) fn allows_another(&self, retries: u32) -> bool {
        retries.saturating_add(1) < self.max_tries
    }

    /// The ceiling of the pause after so many repetitions.
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
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_doubles_and_has_an_end() {
        let policy = RetryPolicy::new();
        let ceilings: Vec<u128> = (0..8)
            .map(|retries| policy.ceiling(retries).as_millis())
            .collect();
        assert_eq!(
            ceilings,
            [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]
        );
        assert_eq!(policy.ceiling(u32::MAX), Duration::from_secs(10));
    }

    #[test]
    fn the_first_try_counts_as_one() {
        let policy = RetryPolicy::new().max_tries(3);
        assert!(policy.allows_another(1));
        assert!(!policy.allows_another(2));
        assert!(!RetryPolicy::never().allows_another(0));
        assert_eq!(policy.max_tries(0), RetryPolicy::never());
    }
}
