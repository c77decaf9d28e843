//! The clock of the server. It can be replaced, so that tests can run on the days around the
//! removal of an operation.

use chrono::{DateTime, Utc};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

/// A fixed point in time.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A source of the time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> DateTime<Utc>;

    /// Returns the time since a fixed point in time. Unlike [`now`](Clock::now), it does not go
    /// back when the clock is set back.
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
