//! A clock for tests. Its pauses take no time, and it records their lengths.

use crate::generated::Clock;
use std::{
    future::{Future, ready},
    pin::Pin,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// A clock whose pauses take no time. Each random pause has the maximum length.
#[derive(Clone)]
pub(crate) struct Passing {
    begin: Instant,
    pauses: Arc<Mutex<Vec<Duration>>>,
}

impl Passing {
    pub(crate) fn new() -> Self {
        Passing {
            begin: Instant::now(),
            pauses: Arc::default(),
        }
    }

    /// Returns the pauses so far, in milliseconds.
    pub(crate) fn pauses(&self) -> Vec<u128> {
        let pauses = self.pauses.lock().expect("no test panics with the lock");
        pauses.iter().map(Duration::as_millis).collect()
    }
}

impl Clock for Passing {
    fn now(&self) -> Instant {
        let pauses = self.pauses.lock().expect("no test panics with the lock");
        self.begin + pauses.iter().sum::<Duration>()
    }

    fn sleep(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.pauses
            .lock()
            .expect("no test panics with the lock")
            .push(time);
        Box::pin(ready(()))
    }

    fn jitter(&self, most: Duration) -> Duration {
        most
    }
}
