//! Sends requests at times that are set in advance, whether or not earlier requests got a
//! response. A late response delays the requests behind it, and this wait counts as
//! latency. A load that waits for each response would send no requests while the service
//! is blocked, and would not measure the delay ("coordinated omission").

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// How often the schedule checks whether requests are due. The timers of tokio tick once
/// in a millisecond, which would be visible in every latency.
const TICK: Duration = Duration::from_micros(50);

/// The times at which requests are due, at equal distances from `start` to `end`.
pub(crate) struct Schedule {
    start: Instant,
    total: u64,
    between: f64,
    due: Semaphore,
}

impl Schedule {
    pub(crate) fn new(start: Instant, end: Instant, rate: f64) -> Self {
        let seconds = end.duration_since(start).as_secs_f64();
        Self {
            start,
            total: (seconds * rate) as u64,
            between: rate.recip(),
            due: Semaphore::new(0),
        }
    }

    /// Releases requests when they are due. Returns after it released all of them and
    /// told each of `connections` that there are no more.
    pub(crate) fn keep(&self, connections: usize) {
        let mut released = 0;
        while released < self.total {
            thread::sleep(TICK);
            let passed = self.start.elapsed().as_secs_f64();
            let due = ((passed / self.between) as u64 + 1).min(self.total);
            self.due.add_permits((due - released) as usize);
            released = due;
        }
        self.due.add_permits(connections);
    }

    /// Waits for the next request and returns when it was due; `None` after the last one.
    /// `taken` counts the requests that were taken.
    pub(crate) async fn next(&self, taken: &Cell<u64>) -> Option<Instant> {
        // The semaphore is never closed.
        self.due.acquire().await.ok()?.forget();
        let number = taken.replace(taken.get() + 1);
        let after = Duration::from_secs_f64(number as f64 * self.between);
        (number < self.total).then(|| self.start + after)
    }
}
