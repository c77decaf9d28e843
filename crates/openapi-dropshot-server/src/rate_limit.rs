//! Limits the rate of requests of each key, by GCRA (the "virtual scheduling" of ITU-T
//! I.371): a key is one number, the moment at which its allowance will be whole
//! again.

use crate::config::{Rate, RateLimit};
use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Locks, so that requests with different keys seldom meet at one.
const SHARDS: usize = 16;
/// Keys of a shard before it is looked through for idle ones.
const FIRST_SWEEP: usize = 64;

/// The allowance of every key, and what is left of it.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    /// Nanoseconds in which one request becomes free again.
    interval: u64,
    burst: u32,
    window: Duration,
    shards: [Mutex<Shard<K>>; SHARDS],
    hasher: RandomState,
}

#[derive(Debug)]
struct Shard<K> {
    /// When the allowance of a key is whole again, in nanoseconds of the clock.
    whole_at: HashMap<K, u64>,
    sweep_at: usize,
}

/// What a key has left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Quota {
    /// Whether the request is within the allowance.
    pub(crate) passed: bool,
    /// Requests that may follow at once.
    pub(crate) remaining: u32,
    /// Until the allowance is whole again, or, for a request that did not pass,
    /// until one would.
    pub(crate) reset: Duration,
}

impl<K: Copy + Eq + Hash> RateLimiter<K> {
    /// None where there is no limit.
    pub(crate) fn new(limit: &RateLimit) -> Option<Self> {
        let Rate::PerSecond(rate) = limit.rate_limit_per_second else {
            return None;
        };
        let burst = limit.rate_limit_burst.get();
        let shard = || {
            Mutex::new(Shard {
                whole_at: HashMap::new(),
                sweep_at: FIRST_SWEEP,
            })
        };
        let interval = 1_000_000_000 / u64::from(rate.get());
        Some(RateLimiter {
            interval: interval.max(1),
            burst,
            window: Duration::from_nanos(interval.saturating_mul(burst.into())),
            shards: std::array::from_fn(|_| shard()),
            hasher: RandomState::new(),
        })
    }

    /// Requests of a window, and the window: the time in which a spent
    /// allowance is whole again, at least one second. A shorter one cannot be
    /// reported in whole seconds: a client that reads `q=20;w=1` for 20 requests in a tenth
    /// of a second would send ten times too few.
    pub(crate) fn policy(&self) -> (u64, Duration) {
        const SECOND: Duration = Duration::from_secs(1);
        let burst = u64::from(self.burst);
        if self.window >= SECOND {
            return (burst, self.window);
        }
        (burst.max(nanos(SECOND) / self.interval), SECOND)
    }

    /// Counts a request that comes `now`, a time of a clock that never goes
    /// back.
    pub(crate) fn count(&self, key: &K, now: Duration) -> Quota {
        let now = nanos(now);
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        // What a panic can leave behind here is a number that is right.
        let mut shard = self.shards[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = shard.whole_at.get_mut(key);
        let whole_at = before.as_deref().map_or(now, |&whole_at| whole_at.max(now));
        let next = whole_at.saturating_add(self.interval);
        let last = now.saturating_add(nanos(self.window));
        if next > last {
            return Quota {
                passed: false,
                remaining: 0,
                reset: Duration::from_nanos(next - last),
            };
        }
        match before {
            Some(whole_at) => *whole_at = next,
            None => shard.insert(*key, next, now),
        }
        Quota {
            passed: true,
            remaining: u32::try_from((last - next) / self.interval).unwrap_or(u32::MAX),
            reset: Duration::from_nanos(next - now),
        }
    }

    #[cfg(test)]
    fn remembered(&self) -> usize {
        let keys = |shard: &Mutex<Shard<K>>| shard.lock().map_or(0, |shard| shard.whole_at.len());
        self.shards.iter().map(keys).sum()
    }
}

impl<K: Copy + Eq + Hash> Shard<K> {
    /// A key whose allowance is whole is as good as one never seen, and is
    /// removed: the map is bounded by the keys of one window.
    fn insert(&mut self, key: K, whole_at: u64, now: u64) {
        if self.whole_at.len() >= self.sweep_at {
            self.whole_at.retain(|_, whole_at| *whole_at > now);
            self.whole_at.shrink_to(FIRST_SWEEP);
            self.sweep_at = FIRST_SWEEP.max(2 * self.whole_at.len());
        }
        self.whole_at.insert(key, whole_at);
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(rate: &str, burst: &str) -> RateLimiter<u64> {
        RateLimiter::new(&RateLimit {
            rate_limit_per_second: rate.parse().expect("a rate"),
            rate_limit_burst: burst.parse().expect("a number"),
        })
        .expect("a limit")
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn without_a_rate_there_is_no_limit() {
        assert!(RateLimiter::<u64>::new(&RateLimit::default()).is_none());
    }

    #[test]
    fn a_burst_passes_and_the_next_request_waits_for_its_interval() {
        let limiter = limiter("2", "3");
        assert_eq!(limiter.policy(), (3, ms(1500)));
        for (remaining, reset) in [(2, 500), (1, 1000), (0, 1500)] {
            let quota = limiter.count(&(1), ms(0));
            assert_eq!(
                (quota.passed, quota.remaining, quota.reset),
                (true, remaining, ms(reset))
            );
        }
        for (now, reset) in [(0, 500), (100, 400), (499, 1)] {
            let quota = limiter.count(&(1), ms(now));
            assert_eq!((quota.passed, quota.reset), (false, ms(reset)), "{now}");
        }
        assert!(limiter.count(&(1), ms(500)).passed);
        assert!(!limiter.count(&(1), ms(501)).passed);
        assert!(limiter.count(&(2), ms(501)).passed, "another key");
    }

    #[test]
    fn an_allowance_that_is_whole_within_a_second_is_told_by_the_second() {
        assert_eq!(limiter("200", "20").policy(), (200, ms(1000)));
        assert_eq!(limiter("20", "20").policy(), (20, ms(1000)));
    }

    #[test]
    fn in_the_long_run_the_rate_counts() {
        let limiter = limiter("10", "5");
        let passed = (0..10_000)
            .filter(|&now| limiter.count(&(1), ms(now)).passed)
            .count();
        assert_eq!(passed, 5 + 99);
        assert_eq!(limiter.count(&(1), ms(60_000)).remaining, 4);
    }

    #[test]
    fn idle_keys_are_forgotten() {
        let limiter = limiter("1000", "1");
        for number in 0..100_000 {
            assert!(limiter.count(&(number), ms(number)).passed);
        }
        let bound = SHARDS * FIRST_SWEEP;
        assert!(limiter.remembered() <= bound, "{}", limiter.remembered());
    }

    #[test]
    fn the_largest_settings_do_not_overflow() {
        let limiter = limiter("1", "4294967295");
        let quota = limiter.count(&(1), ms(0));
        assert_eq!((quota.passed, quota.remaining), (true, u32::MAX - 1));
    }
}
