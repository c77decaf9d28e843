//! Caches the keys that were looked up, for half a second: a look-up is a round trip, and often takes
//! as long as the query of the request. A key that this process revokes is removed at once.

use crate::{FoundKey, KeyHash};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The time after which a key is looked up again, so that a key that another process revokes is
/// invalid within a second.
const KEPT: Duration = Duration::from_millis(500);
/// The greatest number of keys in the cache. When it is full, the next key empties it.
const KEYS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct KeyCache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    /// Each key with the time at which its look-up began.
    keys: HashMap<KeyHash, (FoundKey, Instant)>,
    /// The number of calls of [`forget_all`](KeyCache::forget_all).
    revocations: u64,
}

/// A look-up that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookUp {
    began: Instant,
    revocations: u64,
}

impl KeyCache {
    /// Returns the key with this hash. If it is not cached, begins its look-up.
    pub(super) fn find(&self, hash: &KeyHash) -> Result<FoundKey, LookUp> {
        let began = Instant::now();
        let cached = self.0.lock();
        match cached.keys.get(hash) {
            Some((found, at)) if began.saturating_duration_since(*at) < KEPT => Ok(*found),
            _ => Err(LookUp {
                began,
                revocations: cached.revocations,
            }),
        }
    }

    /// Adds a key that was found, unless a revocation has begun or ended since the look-up began.
    pub(super) fn add(&self, look_up: LookUp, hash: KeyHash, found: FoundKey) {
        let mut cached = self.0.lock();
        if cached.revocations != look_up.revocations {
            return;
        }
        if cached.keys.len() >= KEYS {
            cached.keys.clear();
        }
        cached.keys.insert(hash, (found, look_up.began));
    }

    /// Removes all keys. Call this before and after a revocation, so that the result of a look-up that
    /// began before the end of the revocation is not kept.
    pub(super) fn forget_all(&self) {
        let mut cached = self.0.lock();
        cached.revocations += 1;
        cached.keys.clear();
    }
}

#[cfg(test)]
mod tests;
