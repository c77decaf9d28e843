//! Tests how long keys are cached, and when they are removed.

use super::*;
use crate::{KeyId, KeyLimits};

fn key() -> FoundKey {
    FoundKey {
        id: KeyId::from_random(1),
        limits: KeyLimits::default(),
    }
}

#[test]
fn a_key_stays_in_the_cache_for_half_a_second_after_its_look_up_began() {
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
fn a_revocation_removes_cached_keys_and_discards_earlier_look_ups() {
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
