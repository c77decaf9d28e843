//! Delays the requests of a client for as long as the service requested.

use crate::platform::Instant;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The time before which a client should not send requests. A rate limit applies to an API key, so this time applies to
/// all calls of the client.
#[derive(Default)]
pub(crate) struct Throttle {
    not_before: Mutex<Option<Instant>>,
}

impl Throttle {
    /// Delays all requests until this time has passed.
    pub(crate) fn slow_down(&self, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else {
            return;
        };
        let mut not_before = self.lock();
        *not_before = Some(not_before.map_or(until, |earlier| earlier.max(until)));
    }

    /// Ends the delay.
    pub(crate) fn end(&self) {
        *self.lock() = None;
    }

    /// Returns how long a request still has to wait.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        let mut not_before = self.lock();
        match *not_before {
            Some(until) if until > now => until - now,
            _ => {
                *not_before = None;
                Duration::ZERO
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        // The time is consistent even if a thread panicked while it held the lock.
        self.not_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
