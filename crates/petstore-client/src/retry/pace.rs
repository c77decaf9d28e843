//! When the next request of a client may go: what one call learns of the limit
//! of its API key concerns the others as well.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The moment before which no request should be sent.
#[derive(Default)]
pub(crate) struct Pace {
    not_before: Mutex<Option<Instant>>,
}

impl Pace {
    /// Nothing should be sent for so long.
    pub(crate) fn slow_down(&self, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else {
            return;
        };
        let mut not_before = self.lock();
        *not_before = Some(not_before.map_or(until, |earlier| earlier.max(until)));
    }

    /// How long a request should still wait.
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
        // A moment is whole, whoever panicked with it.
        self.not_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
