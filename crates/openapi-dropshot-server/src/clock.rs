//! The clock as an argument, so that the removal of an operation can be tested on the days
//! around its date.

use chrono::{DateTime, Utc};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

/// A moment that never moves.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> DateTime<Utc>;

    /// The time since a moment that never moves. Unlike [`now`](Clock::now) it
    /// does not go back when the clock is set back.
    fn elapsed(&self) -> Duration {
        START.elapsed()
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
