//! Delays the requests of a client after the service said that the rate limit is used up. The limit belongs to the API
//! key, so the delay applies to all calls of the client.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The moment before which no request should be sent.
#[derive(Default)]
pub(crate) struct Throttle {
    not_before: Mutex<Option<Instant>>,
}

impl Throttle {
    /// Delays all requests by this time from now on.
    pub(crate) fn slow_down(&self, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else {
            return;
        };
        let mut not_before = self.lock();
        *not_before = Some(not_before.map_or(until, |earlier| earlier.max(until)));
    }

    /// How long a request still has to wait.
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        // A moment is consistent, even if a thread panicked while it held the lock.
        self.not_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
