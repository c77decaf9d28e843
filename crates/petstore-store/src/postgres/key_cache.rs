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
mod tests {
    use super::*;
    use crate::{KeyId, KeyLimits};

    fn key() -> FoundKey {
        FoundKey {
            id: KeyId::from_random(1),
            limits: KeyLimits::default(),
        }
    }

    #[test]
    fn a_key_is_kept_for_half_a_second_after_its_look_up_began() {
        let (cache, hash) = (KeyCache::default(), KeyHash::new([1; 32]));
        let look_up = cache.find(&hash).expect_err("nothing is cached");
        cache.add(look_up, hash, key());
        assert_eq!(cache.find(&hash).ok(), Some(key()));
        assert!(cache.find(&KeyHash::new([2; 32])).is_err());
        let Some(began) = look_up.began.checked_sub(KEPT) else {
            return;
        };
        cache.add(LookUp { began, ..look_up }, hash, key());
        assert!(cache.find(&hash).is_err());
    }

    #[test]
    fn a_revocation_forgets_keys_and_look_ups_that_began_before_its_end() {
        let (cache, hash) = (KeyCache::default(), KeyHash::new([1; 32]));
        let before = cache.find(&hash).expect_err("nothing is cached");
        cache.add(before, hash, key());
        cache.forget_all();
        assert!(cache.find(&hash).is_err());
        cache.add(before, hash, key());
        let during = cache
            .find(&hash)
            .expect_err("it began before the revocation");
        cache.forget_all();
        cache.add(during, hash, key());
        let after = cache
            .find(&hash)
            .expect_err("it began during the revocation");
        cache.add(after, hash, key());
        assert!(cache.find(&hash).is_ok());
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = KeyCache::default();
        for number in 0..10_000_u32 {
            let mut hash = [0; 32];
            hash[..4].copy_from_slice(&number.to_le_bytes());
            let hash = KeyHash::new(hash);
            if let Err(look_up) = cache.find(&hash) {
                cache.add(look_up, hash, key());
            }
            assert!(cache.0.lock().keys.len() <= KEYS);
        }
    }
}
