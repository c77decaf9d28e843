//! A clock that shortens pauses, so that a test does not wait a second whenever a response requests
//! a pause.

use petstore_client::Clock;
use std::{
    future::Future,
    pin::Pin,
    time::{Duration, Instant},
};

/// The factor by which this clock is faster.
const FASTER: u32 = 50;

/// A clock that is fifty times faster than real time.
pub(crate) struct Fast(Instant);

impl Fast {
    pub(crate) fn new() -> Self {
        Fast(Instant::now())
    }
}

impl Clock for Fast {
    fn now(&self) -> Instant {
        self.0 + self.0.elapsed() * FASTER
    }

    fn sleep(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(time / FASTER))
    }

    fn jitter(&self, most: Duration) -> Duration {
        most / 2
    }
}
