//! Requests at times that were set before, whether or not earlier ones were
//! answered: an answer that is late makes those behind it late as well, and the
//! wait counts. A load that waits for each answer would not ask while the
//! service is stuck, and so would not see it ("coordinated omission").

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// How often it is looked whether requests are due. The timers of tokio tick
/// once in a millisecond, which would be seen in every latency.
const TICK: Duration = Duration::from_micros(50);

/// When requests are due: the same time apart, from `start` to `end`.
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

    /// Lets requests go when they are due; returns when all have been let go,
    /// and each of `connections` told that there are no more.
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

    /// Waits for the next request and says when it was due; `None` after the
    /// last one. `taken` counts those that were taken.
    pub(crate) async fn next(&self, taken: &Cell<u64>) -> Option<Instant> {
        // Closed by nobody.
        self.due.acquire().await.ok()?.forget();
        let number = taken.replace(taken.get() + 1);
        let after = Duration::from_secs_f64(number as f64 * self.between);
        (number < self.total).then(|| self.start + after)
    }
}
