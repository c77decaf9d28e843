//! The limits of the service. Requests beyond them are rejected.

use super::{ConfigError, Delay, Seconds};
use std::num::NonZeroUsize;

crate::settings! {
    /// The limits of the service; requests beyond them are rejected.
    Limits / LimitsOptions {
        /// The highest number of requests that run at the same time; further ones are rejected with 503 at once
        max_in_flight: NonZeroUsize = "512";
        /// Seconds that a request may run after its body was read; then it gets 503
        request_deadline_seconds: Seconds = "10";
        /// The largest size of a body, in bytes; a larger one is rejected with 413
        body_max_bytes: NonZeroUsize = "1048576";
        /// Seconds in which a body has to arrive; a slower one is rejected with 408
        body_read_seconds: Seconds = "10";
        /// Total size of all bodies in memory, in bytes; a request beyond it is rejected with 503
        body_budget_bytes: NonZeroUsize = "67108864";
        /// Seconds that the service continues to serve requests after the signal to stop, while `/readyz` responds with 503, so that load balancers stop sending requests
        shutdown_delay_seconds: Delay = "0";
        /// Seconds that running requests have to finish after this delay
        shutdown_grace_seconds: Seconds = "20";
    }
}

impl Limits {
    /// Whether the limits fit each other.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.body_budget_bytes < self.body_max_bytes {
            return Err(ConfigError::Contradiction(
                "`body-budget-bytes` is less than `body-max-bytes`: the largest body would never fit; raise it",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_each_other() {
        assert!(Limits::default().check().is_ok());
    }

    #[test]
    fn a_budget_that_the_largest_body_does_not_fit_is_refused() {
        let limits = Limits {
            body_budget_bytes: NonZeroUsize::MIN,
            ..Limits::default()
        };
        assert!(limits.check().is_err());
    }
}
