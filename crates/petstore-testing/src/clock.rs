//! A clock that runs by itself and that a test can change.

use chrono::{DateTime, TimeDelta, Utc};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The clock of a [`Server`](crate::Server). It starts with the time of the machine, or the time
/// that [`Builder::at`](crate::Builder::at) sets, and runs from there.
///
/// Clones share the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    started: Instant,
    moved: Arc<Mutex<Moved>>,
}

#[derive(Clone, Copy, Debug)]
struct Moved {
    /// The time at the start, plus all later changes.
    origin: DateTime<Utc>,
    /// How far the clock was moved forward. Only this affects code that measures durations: the
    /// rate limit, and the age of an idempotency key.
    forward: Duration,
}

impl Clock {
    pub(crate) fn starting_at(origin: DateTime<Utc>) -> Self {
        let moved = Moved {
            origin,
            forward: Duration::ZERO,
        };
        Clock {
            started: Instant::now(),
            moved: Arc::new(Mutex::new(moved)),
        }
    }

    /// Returns the current time of the service.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        later(self.moved().origin, self.started.elapsed())
    }

    /// Moves the clock forward. The service measures all its time limits with this clock, so, for
    /// example, a rate limit recovers by this time. The clock stops at the last time that can be
    /// represented, in the year 262142.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// let server = petstore_testing::Server::start().await?;
    /// let before = server.clock().now();
    /// server.clock().advance(Duration::from_secs(3600));
    /// assert!((server.clock().now() - before).num_minutes() >= 60);
    /// # Ok(())
    /// # }
    /// ```
    pub fn advance(&self, by: Duration) {
        let mut moved = self.moved();
        moved.origin = later(moved.origin, by);
        moved.forward = moved.forward.saturating_add(by);
    }

    /// Sets the clock, forward or back. Measured durations never go back.
    pub fn set(&self, to: DateTime<Utc>) {
        let step = to - self.now();
        match step.to_std() {
            Ok(forward) => self.advance(forward),
            Err(_) => {
                let mut moved = self.moved();
                let back = moved.origin.checked_add_signed(step);
                moved.origin = back.unwrap_or(DateTime::<Utc>::MIN_UTC);
            }
        }
    }

    fn moved(&self) -> MutexGuard<'_, Moved> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl openapi_dropshot_server::clock::Clock for Clock {
    fn now(&self) -> DateTime<Utc> {
        Clock::now(self)
    }

    fn elapsed(&self) -> Duration {
        let forward = self.moved().forward;
        self.started.elapsed().saturating_add(forward)
    }
}

fn later(time: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(by)
        .ok()
        .and_then(|by| time.checked_add_signed(by))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}
