//! The clock and the random numbers for pauses between two tries. Tests can replace them.

use crate::platform::{self, Instant};
use std::{future::Future, pin::Pin, time::Duration};

/// The clock of a client, and its source of random pauses between two tries.
///
/// In a browser, `Instant` comes from the crate `web-time`, because the type of the standard library panics there.
///
/// Use [`ClientBuilder::clock`](crate::ClientBuilder::clock) to set another clock, for tests that should neither wait nor
/// depend on random numbers:
///
/// ```
/// use openapi_dropshot_client::{Client, Clock};
/// use std::{future::Future, pin::Pin, time::{Duration, Instant}};
///
/// /// Pauses take no time, and each has its greatest length.
/// struct Hasty;
///
/// impl Clock for Hasty {
///     fn now(&self) -> Instant {
///         Instant::now()
///     }
///
///     fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         Box::pin(std::future::ready(()))
///     }
///
///     fn jitter(&self, most: Duration) -> Duration {
///         most
///     }
/// }
///
/// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").clock(Hasty).build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
pub trait Clock: Send + Sync + 'static {
    /// Returns the time for pauses and deadlines. It never goes back.
    fn now(&self) -> Instant;

    /// Completes after this time.
    fn sleep(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Returns a random time from zero to `most`.
    fn jitter(&self, most: Duration) -> Duration;
}

pub(crate) struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Instant {
        platform::now()
    }

    fn sleep(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(platform::sleep(time))
    }

    fn jitter(&self, most: Duration) -> Duration {
        // The last 32 bits of a version 4 UUID are random, and the crate is already a dependency.
        let random = uuid::Uuid::new_v4().as_u64_pair().1 as u32;
        part(most, random)
    }
}

/// Scales the time by the ratio of the number to the largest number. `Duration::mul_f64` panics if the result is rounded
/// beyond the longest time.
fn part(most: Duration, number: u32) -> Duration {
    let part = most.as_secs_f64() * (f64::from(number) / f64::from(u32::MAX));
    Duration::try_from_secs_f64(part).map_or(most, |part| part.min(most))
}

#[cfg(test)]
mod tests;
