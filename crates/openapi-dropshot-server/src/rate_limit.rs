//! Limits the rate of requests of each key with GCRA (the "virtual scheduling" of
//! ITU-T I.371). The state of a key is one number: the time at which its full
//! allowance is available again.

use crate::{
    config::{Rate, RateLimit},
    lock::lock,
};
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash},
    sync::Mutex,
    time::Duration,
};

/// Number of locks, so that requests with different keys seldom wait for the same lock.
const SHARDS: usize = 16;
/// When a shard has at least this many keys, idle keys are searched for and removed.
const FIRST_SWEEP: usize = 64;

/// The rate limits, and what is left of the allowance of each key.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    /// The rate of keys that have no rate of their own.
    rate: Rate,
    /// The burst of every key.
    burst: u32,
    shards: [Mutex<Shard<K>>; SHARDS],
    hasher: RandomState,
}

#[derive(Debug)]
struct Shard<K> {
    /// When the allowance of each key is full again, in nanoseconds of the clock.
    whole_at: HashMap<K, u64, RandomState>,
    sweep_at: usize,
}

/// The remaining allowance of a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Quota {
    /// Whether the request is within the rate limit.
    pub(crate) passed: bool,
    /// How many requests may follow immediately.
    pub(crate) remaining: u32,
    /// The time until the allowance is full again. If the request was rejected: the time until a request would
    /// be accepted.
    pub(crate) reset: Duration,
    /// The number of requests of a window, and the length of the window.
    pub(crate) policy: (u64, Duration),
}

impl<K: Copy + Eq + Hash> RateLimiter<K> {
    pub(crate) fn new(limit: &RateLimit) -> Self {
        let shard = || {
            Mutex::new(Shard {
                whole_at: HashMap::default(),
                sweep_at: FIRST_SWEEP,
            })
        };
        RateLimiter {
            rate: limit.rate_limit_per_second,
            burst: limit.rate_limit_burst.get(),
            shards: std::array::from_fn(|_| shard()),
            hasher: RandomState::default(),
        }
    }

    /// Counts a request of a key as `cost` requests, but at most as the burst. `now` is the time of a clock that
    /// never goes back. The key may have a rate of its own. Returns `None` if the key has no limit.
    pub(crate) fn count(
        &self,
        key: &K,
        own_rate: Option<Rate>,
        cost: u32,
        now: Duration,
    ) -> Option<Quota> {
        let Rate::PerSecond(rate) = own_rate.unwrap_or(self.rate) else {
            return None;
        };
        // The nanoseconds after which one more request is allowed.
        let interval = (1_000_000_000 / u64::from(rate.get())).max(1);
        let window = interval.saturating_mul(self.burst.into());
        let policy = policy(interval, self.burst, Duration::from_nanos(window));
        let now = nanos(now);
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        let mut shard = lock(&self.shards[number]);
        let before = shard.whole_at.get_mut(key);
        let whole_at = before.as_deref().map_or(now, |&whole_at| whole_at.max(now));
        let taken = interval.saturating_mul(cost.min(self.burst).into());
        let next = whole_at.saturating_add(taken);
        let last = now.saturating_add(window);
        if next > last {
            return Some(Quota {
                passed: false,
                remaining: 0,
                reset: Duration::from_nanos(next - last),
                policy,
            });
        }
        match before {
            Some(whole_at) => *whole_at = next,
            None => shard.insert(*key, next, now),
        }
        Some(Quota {
            passed: true,
            remaining: u32::try_from((last - next) / interval).unwrap_or(u32::MAX),
            reset: Duration::from_nanos(next - now),
            policy,
        })
    }

    #[cfg(test)]
    fn remembered(&self) -> usize {
        let keys = |shard: &Mutex<Shard<K>>| shard.lock().map_or(0, |shard| shard.whole_at.len());
        self.shards.iter().map(keys).sum()
    }
}

impl<K: Copy + Eq + Hash> Shard<K> {
    /// A key whose allowance is full is equal to a new key, and is removed. Therefore the map only contains the
    /// keys of one window.
    fn insert(&mut self, key: K, whole_at: u64, now: u64) {
        if self.whole_at.len() >= self.sweep_at {
            self.whole_at.retain(|_, whole_at| *whole_at > now);
            self.whole_at.shrink_to(FIRST_SWEEP);
            self.sweep_at = FIRST_SWEEP.max(2 * self.whole_at.len());
        }
        self.whole_at.insert(key, whole_at);
    }
}

/// Returns the number of requests of a window, and the length of the window: the time in which a used-up
/// allowance is full again, at least one second. A shorter window cannot be reported in whole seconds: if 20
/// requests are allowed in a tenth of a second, a client that reads `q=20;w=1` would send ten times fewer
/// requests than allowed.
fn policy(interval: u64, burst: u32, window: Duration) -> (u64, Duration) {
    const SECOND: Duration = Duration::from_secs(1);
    let burst = u64::from(burst);
    if window >= SECOND {
        return (burst, window);
    }
    (burst.max(nanos(SECOND) / interval), SECOND)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
