//! Delays the requests of a client for as long as the service requested.

use crate::{lock::lock, platform::Instant};
use std::{sync::Mutex, time::Duration};

/// The time before which a client should not send requests. A rate limit applies to an API key, so this time applies to
/// all calls of the client.
#[derive(Default)]
pub(crate) struct Throttle(Mutex<Option<Instant>>);

impl Throttle {
    /// Delays all requests until this time has passed.
    pub(crate) fn slow_down(&self, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else {
            return;
        };
        let mut not_before = lock(&self.0);
        *not_before = Some(not_before.map_or(until, |earlier| earlier.max(until)));
    }

    /// Ends the delay.
    pub(crate) fn end(&self) {
        *lock(&self.0) = None;
    }

    /// Returns how long a request still has to wait.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        let until = *lock(&self.0);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}
