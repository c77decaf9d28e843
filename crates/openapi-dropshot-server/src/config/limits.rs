//! The limits of the service; it rejects what is beyond them.

use super::{ConfigError, Delay, Seconds};
use std::num::NonZeroUsize;

crate::settings! {
    /// The limits of the service; it rejects what is beyond them.
    Limits / LimitsOptions {
        /// Requests that run at the same time; one more is answered with 503 at once
        max_in_flight: NonZeroUsize = "512";
        /// Seconds that a request may run, from when its body was read; then it is answered with 503
        request_deadline_seconds: Seconds = "10";
        /// Bytes of the largest body; a larger one is answered with 413
        body_max_bytes: NonZeroUsize = "1048576";
        /// Seconds in which a body has to arrive; then it is answered with 408
        body_read_seconds: Seconds = "10";
        /// Bytes of all bodies in memory together; where they are used up, a request is answered with 503
        body_budget_bytes: NonZeroUsize = "67108864";
        /// Seconds that the service goes on answering when it is told to stop, while `/readyz` says that it does; until then nobody should send more
        shutdown_delay_seconds: Delay = "0";
        /// Seconds that running requests have to finish after that
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
