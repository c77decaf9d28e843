//! Caches the keys that were looked up, for half a second: a look-up is a round trip, and as long
//! as the query of many a request. A key that this process revokes is forgotten at once.

use crate::{FoundKey, KeyHash};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The time after which a key is looked up again, so that a key that another process revokes is
/// invalid within a second.
const KEPT: Duration = Duration::from_millis(500);
/// The most keys in the cache; one more empties it.
const KEYS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct KeyCache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    /// Each key with the time at which its look-up began.
    keys: HashMap<KeyHash, (FoundKey, Instant)>,
    /// Revocations of this process that have begun.
    revocations: u64,
}

/// A look-up that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookUp {
    began: Instant,
    revocations: u64,
}

impl KeyCache {
    /// The key with this hash, or the beginning of its look-up.
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

    /// Adds a key that was found, unless a revocation has begun since the look-up has.
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

    /// Forgets all keys. Call it before a revocation, so that no look-up that begins before the
    /// end of the revocation is kept, and after it.
    pub(super) fn forget_all(&self) {
        let mut cached = self.0.lock();
        cached.revocations += 1;
        cached.keys.clear();
    }
}

#[cfg(test)]
mod tests;
