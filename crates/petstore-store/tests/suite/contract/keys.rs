//! Tests creating, finding, listing and revoking API keys.

use super::AnyStore;
use chrono::{DateTime, TimeDelta, Utc};
use petstore_store::{
    FoundKey, KeyHash, KeyId, KeyLimits, KeyRate, KeyRecord, KeyScope, NewKey, Revocation,
    StoreError,
};
use std::num::NonZeroU32;
use tokio::task::JoinSet;

/// A key whose id and hash are made from `number`.
pub(crate) fn key(number: u8, created_at: DateTime<Utc>) -> NewKey {
    NewKey {
        id: KeyId::from_random(number.into()),
        name: format!("key \u{1F511}\0 {number}"),
        hash: KeyHash::new([number; 32]),
        created_at,
        limits: KeyLimits::default(),
    }
}

fn record(key: &NewKey, revoked_at: Option<DateTime<Utc>>) -> KeyRecord {
    KeyRecord {
        id: key.id,
        name: key.name.clone(),
        created_at: key.created_at,
        last_used_at: None,
        revoked_at,
        limits: key.limits,
    }
}

/// What the look-up of a key returns.
fn found(key: &NewKey) -> FoundKey {
    FoundKey {
        id: key.id,
        limits: key.limits,
    }
}

pub(crate) fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).expect("a time")
}

pub(crate) async fn a_key_is_found_by_its_hash_until_it_is_revoked(store: AnyStore) {
    assert!(!store.has_keys().await.expect("a result"));
    let (first, second) = (key(1, time(0)), key(2, time(1)));
    for key in [&first, &second] {
        store.create_key(key.clone()).await.expect("a key");
        assert_eq!(
            store.find_key(&key.hash).await.expect("a result"),
            Some(found(key))
        );
    }
    let revoked = store.revoke_key(first.id, time(5)).await;
    assert_eq!(revoked.expect("a result"), Revocation::Revoked);
    assert_eq!(store.find_key(&first.hash).await.expect("a result"), None);
    assert_eq!(
        store.find_key(&second.hash).await.expect("a result"),
        Some(found(&second))
    );
    assert!(store.has_keys().await.expect("a result"));
}

pub(crate) async fn the_limits_of_a_key_are_stored(store: AnyStore) {
    let rates = [
        None,
        Some(KeyRate::Off),
        Some(KeyRate::PerSecond(NonZeroU32::MIN)),
        Some(KeyRate::PerSecond(NonZeroU32::MAX)),
    ];
    // An expired key is found, too: the server checks the expiry with its own clock.
    let expiries = [None, Some(time(1)), Some(time(253_402_300_799_999_999))];
    let scopes = [KeyScope::Read, KeyScope::ReadWrite, KeyScope::Webhooks];
    let mut keys = Vec::new();
    for rate in rates {
        for expires_at in expiries {
            for scope in scopes {
                let number = u8::try_from(keys.len()).expect("few");
                let limits = KeyLimits {
                    expires_at,
                    rate,
                    scope,
                };
                let plain = key(number, time(number.into()));
                keys.push(NewKey { limits, ..plain });
            }
        }
    }
    let (first, others) = keys.split_first().expect("some keys");
    assert!(store.create_first_key(first.clone()).await.expect("a key"));
    for key in others {
        store.create_key(key.clone()).await.expect("a key");
    }
    for key in &keys {
        assert_eq!(
            store.find_key(&key.hash).await.expect("a result"),
            Some(found(key))
        );
    }
    let records: Vec<_> = keys.iter().map(|key| record(key, None)).collect();
    assert_eq!(store.list_keys().await.expect("keys"), records);
}

pub(crate) async fn two_keys_with_the_same_name_work_until_one_is_revoked(store: AnyStore) {
    let (old, new) = (key(1, time(0)), key(2, time(1)));
    let new = NewKey {
        name: old.name.clone(),
        ..new
    };
    for key in [&old, &new] {
        store.create_key(key.clone()).await.expect("a key");
    }
    for key in [&old, &new] {
        let by_hash = store.find_key(&key.hash).await.expect("a result");
        assert_eq!(by_hash, Some(found(key)));
    }
    let revoked = store.revoke_key(old.id, time(2)).await;
    assert_eq!(revoked.expect("a result"), Revocation::Revoked);
    assert_eq!(store.find_key(&old.hash).await.expect("a result"), None);
    let kept = store.find_key(&new.hash).await.expect("a result");
    assert_eq!(kept, Some(found(&new)));
    let records = [record(&old, Some(time(2))), record(&new, None)];
    assert_eq!(store.list_keys().await.expect("keys"), records);
}

pub(crate) async fn an_unknown_key_is_neither_found_nor_revoked(store: AnyStore) {
    store.create_key(key(1, time(0))).await.expect("a key");
    let mut nearly = [1; 32];
    nearly[31] = 0;
    for hash in [[0; 32], [255; 32], nearly] {
        assert_eq!(
            store.find_key(&KeyHash::new(hash)).await.expect("a result"),
            None
        );
    }
    let revoked = store.revoke_key(KeyId::from_random(2), time(5)).await;
    assert_eq!(revoked.expect("a result"), Revocation::Unknown);
    assert_eq!(
        store.list_keys().await.expect("keys"),
        [record(&key(1, time(0)), None)]
    );
}

pub(crate) async fn a_key_that_is_revoked_again_keeps_the_time_of_its_first_revocation(
    store: AnyStore,
) {
    let key = key(1, time(0));
    store.create_key(key.clone()).await.expect("a key");
    for expected in [
        Revocation::Revoked,
        Revocation::AlreadyRevoked(time(5)),
        Revocation::AlreadyRevoked(time(5)),
    ] {
        let at = if expected == Revocation::Revoked {
            time(5)
        } else {
            time(9)
        };
        assert_eq!(
            store.revoke_key(key.id, at).await.expect("a result"),
            expected
        );
    }
    assert_eq!(
        store.list_keys().await.expect("keys"),
        [record(&key, Some(time(5)))]
    );
}

pub(crate) async fn keys_are_listed_oldest_first_including_revoked_keys(store: AnyStore) {
    let keys = [
        key(1, time(30)),
        key(2, time(10)),
        key(3, time(20)),
        key(4, time(20)),
    ];
    for key in &keys {
        store.create_key(key.clone()).await.expect("a key");
    }
    store
        .revoke_key(keys[2].id, time(40))
        .await
        .expect("revoked");
    let [newest, oldest, revoked, tied] = &keys;
    assert_eq!(
        store.list_keys().await.expect("keys"),
        [
            record(oldest, None),
            record(revoked, Some(time(40))),
            record(tied, None),
            record(newest, None)
        ]
    );
}

pub(crate) async fn a_second_key_with_the_same_id_or_hash_is_rejected(store: AnyStore) {
    let first = key(1, time(0));
    store.create_key(first.clone()).await.expect("a key");
    let same_id = NewKey {
        id: first.id,
        ..key(2, time(1))
    };
    let same_hash = NewKey {
        hash: first.hash,
        ..key(3, time(1))
    };
    store.revoke_key(first.id, time(2)).await.expect("revoked");
    for taken in [same_id, same_hash] {
        let rejected = store.create_key(taken).await;
        assert!(
            matches!(rejected, Err(StoreError::KeyExists)),
            "{rejected:?}"
        );
    }
    assert_eq!(
        store.list_keys().await.expect("keys"),
        [record(&first, Some(time(2)))]
    );
}

pub(crate) async fn concurrent_creations_of_a_first_key_add_one_key(store: AnyStore) {
    let mut creates = JoinSet::new();
    for number in 0..20 {
        let store = store.clone();
        creates.spawn(async move {
            store
                .create_first_key(key(number, time(0)))
                .await
                .expect("a result")
        });
    }
    let made = creates
        .join_all()
        .await
        .into_iter()
        .filter(|made| *made)
        .count();
    assert_eq!((made, store.list_keys().await.expect("keys").len()), (1, 1));
}

pub(crate) async fn a_first_key_is_not_added_if_any_key_exists(store: AnyStore) {
    let first = key(1, time(0));
    assert!(
        store
            .create_first_key(first.clone())
            .await
            .expect("a result")
    );
    store.revoke_key(first.id, time(1)).await.expect("revoked");
    assert!(
        !store
            .create_first_key(key(2, time(2)))
            .await
            .expect("a result")
    );
    // Adding the same key again is not an error here, and changes nothing.
    assert!(
        !store
            .create_first_key(first.clone())
            .await
            .expect("a result")
    );
    assert_eq!(
        store.list_keys().await.expect("keys"),
        [record(&first, Some(time(1)))]
    );
}

pub(crate) async fn times_are_stored_in_microseconds(store: AnyStore) {
    let times = [
        time(-1),
        time(1_795_132_800_123_456),
        time(253_402_300_799_999_999),
    ];
    for (number, at) in (1..).zip(times) {
        // Fractions of a microsecond are removed.
        let key = key(number, at + TimeDelta::nanoseconds(999));
        store.create_key(key.clone()).await.expect("a key");
        let keys = store.list_keys().await.expect("the keys");
        let found = keys.into_iter().find(|listed| listed.id == key.id);
        assert_eq!(found.expect("the key").created_at, at);
    }
}
