//! Tests creations that have an idempotency key.

use super::{AnyStore, new_pet, walk};
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{NewPet, Pet, PetStatus};
use petstore_store::{Creation, IDEMPOTENCY_KEYS_KEPT, KeyId, Once};
use std::collections::BTreeSet;
use tokio::task::{JoinSet, yield_now};

pub(crate) fn once(key_id: u64, key: &str, at: DateTime<Utc>) -> Once {
    Once {
        key_id: KeyId::from_random(key_id),
        key: key.to_owned().try_into().expect("a key"),
        at,
    }
}

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

fn rex() -> NewPet {
    new_pet("Rex", Some(PetStatus::Sold))
}

/// Creates a pet. Tries again while another server uses the key.
pub(crate) async fn create(store: &AnyStore, pet: NewPet, once: Once) -> Creation {
    loop {
        match store.create_pet_once(pet.clone(), once.clone()).await {
            Ok(Creation::InFlight) => yield_now().await,
            created => return created.expect("a result"),
        }
    }
}

#[track_caller]
fn added(creation: Creation) -> Pet {
    match creation {
        Creation::Added(pet) => pet,
        other => panic!("not added: {other:?}"),
    }
}

pub(crate) async fn a_repeated_creation_returns_the_first_pet(store: AnyStore) {
    let pets = [
        rex(),
        new_pet("", None),
        new_pet("\0 \u{1F415}", Some(PetStatus::Pending)),
    ];
    for (number, pet) in pets.into_iter().enumerate() {
        let once = once(1, &format!("key {number}"), noon());
        let first = added(create(&store, pet.clone(), once.clone()).await);
        assert_eq!(
            store.pet(first.id).await.expect("a result"),
            Some(first.clone())
        );
        for _ in 0..3 {
            let again = create(&store, pet.clone(), once.clone()).await;
            assert_eq!(again, Creation::Repeated(first.clone()));
        }
        assert_eq!(walk(&store, None, 10).await.len(), number + 1);
    }
}

pub(crate) async fn an_idempotency_key_cannot_be_used_for_another_value(store: AnyStore) {
    let once = once(1, "a", noon());
    let first = added(create(&store, rex(), once.clone()).await);
    let others = [
        new_pet("Tom", rex().status),
        new_pet("Rex", None),
        new_pet("Rex", Some(PetStatus::Pending)),
        NewPet {
            category_id: 8,
            ..rex()
        },
    ];
    for other in others {
        assert_eq!(
            create(&store, other, once.clone()).await,
            Creation::KeyReused
        );
    }
    // The rejections did not change the key.
    assert_eq!(
        create(&store, rex(), once).await,
        Creation::Repeated(first.clone())
    );
    assert_eq!(walk(&store, None, 10).await, [first]);
}

pub(crate) async fn an_idempotency_key_belongs_to_one_api_key_and_is_case_sensitive(
    store: AnyStore,
) {
    let printable: String = (' '..='~').collect();
    let keys = [
        "a",
        "A",
        "a ",
        " a",
        "\"a\"",
        "%",
        "_",
        "\\",
        &printable,
        &"x".repeat(255),
    ];
    let mut ids = BTreeSet::new();
    for key_id in [1, 2] {
        for key in keys {
            let pet = added(create(&store, rex(), once(key_id, key, noon())).await);
            assert!(ids.insert(pet.id), "{key_id} {key}");
        }
    }
    for key_id in [1, 2] {
        for key in keys {
            let again = create(&store, rex(), once(key_id, key, noon())).await;
            assert!(matches!(again, Creation::Repeated(pet) if ids.remove(&pet.id)));
        }
    }
}

pub(crate) async fn an_idempotency_key_can_be_used_again_after_its_expiry(store: AnyStore) {
    let at = |after: TimeDelta| once(1, "a", noon() + after);
    let instant = TimeDelta::microseconds(1);
    let first = added(create(&store, rex(), at(TimeDelta::zero())).await);
    let last = create(&store, rex(), at(IDEMPOTENCY_KEYS_KEPT - instant)).await;
    // A repeated creation does not extend the lifetime of the key.
    assert_eq!(last, Creation::Repeated(first.clone()));
    let tom = new_pet("Tom", None);
    let second = added(create(&store, tom.clone(), at(IDEMPOTENCY_KEYS_KEPT)).await);
    assert_ne!(second.id, first.id);
    let again = create(&store, tom, at(IDEMPOTENCY_KEYS_KEPT * 2 - instant)).await;
    assert_eq!(again, Creation::Repeated(second.clone()));
    assert_eq!(walk(&store, None, 10).await, [first, second]);
}

pub(crate) async fn a_clock_that_is_set_back_loses_no_key_and_duplicates_no_pet(store: AnyStore) {
    let year = TimeDelta::days(365);
    let first = added(create(&store, rex(), once(1, "a", noon())).await);
    for at in [noon() - TimeDelta::hours(1), noon() - year, noon()] {
        let deleted = store.forget_idempotency_keys(at, 10).await;
        assert_eq!(deleted.expect("a result"), 0, "{at}");
        let again = create(&store, rex(), once(1, "a", at)).await;
        assert_eq!(again, Creation::Repeated(first.clone()), "{at}");
        let other = create(&store, new_pet("Tom", None), once(1, "a", at)).await;
        assert_eq!(other, Creation::KeyReused, "{at}");
    }
}

pub(crate) async fn only_expired_idempotency_keys_are_deleted_and_at_most_as_many_as_the_limit(
    store: AnyStore,
) {
    let minutes = |minutes| noon() + TimeDelta::minutes(minutes);
    for number in 0..10 {
        let once = once(1, &number.to_string(), minutes(number));
        added(create(&store, rex(), once).await);
    }
    // The keys 0 to 6 are too old.
    let now = minutes(6) + IDEMPOTENCY_KEYS_KEPT;
    for expected in [3, 3, 1, 0] {
        let deleted = store.forget_idempotency_keys(now, 3).await;
        assert_eq!(deleted.expect("a result"), expected);
    }
    for number in 0..10 {
        let once = once(1, &number.to_string(), minutes(9));
        let created = create(&store, rex(), once).await;
        assert_eq!(
            matches!(created, Creation::Added(_)),
            number < 7,
            "{number}"
        );
    }
    // Deleting a key does not delete its pet.
    assert_eq!(walk(&store, None, 100).await.len(), 17);
}

pub(crate) async fn concurrent_creations_with_one_key_add_one_pet(store: AnyStore) {
    for key in ["a", "b", "c"] {
        let mut creates = JoinSet::new();
        for number in 0..60 {
            let store = store.clone();
            // Creations of two values with a shared key, between others with free keys.
            let name = ["Rex", "Tom"][number % 2];
            creates.spawn(async move {
                let free = once(2, &format!("{key} {number}"), noon());
                let (created, _other) = tokio::join!(
                    create(&store, new_pet(name, None), once(1, key, noon())),
                    create(&store, new_pet(name, None), free)
                );
                (name, created)
            });
        }
        let created = creates.join_all().await;
        let mut pets = created.iter().filter_map(|(_, created)| match created {
            Creation::Added(pet) => Some(pet),
            _ => None,
        });
        let first = pets.next().expect("one adds");
        assert_eq!(pets.next(), None, "{key}");
        for (name, created) in &created {
            match created {
                Creation::Added(pet) | Creation::Repeated(pet) => {
                    assert_eq!((pet, *name), (first, first.name.as_str()));
                }
                other => assert!(*name != first.name, "{other:?}"),
            }
        }
    }
    assert_eq!(walk(&store, None, 100).await.len(), 3 * 61);
}

pub(crate) async fn a_retry_after_a_cancelled_call_finds_the_pet(store: AnyStore) {
    let mut met = BTreeSet::new();
    for number in 0..20 {
        let once = once(1, &number.to_string(), noon());
        let (other, asked) = (store.clone(), once.clone());
        let left = tokio::spawn(async move { other.create_pet_once(rex(), asked).await });
        for _ in 0..number % 4 {
            yield_now().await;
        }
        left.abort();
        match create(&store, rex(), once).await {
            Creation::Added(pet) | Creation::Repeated(pet) => assert!(met.insert(pet.id)),
            other => panic!("{other:?}"),
        }
    }
    let ids: BTreeSet<_> = walk(&store, None, 100)
        .await
        .iter()
        .map(|pet| pet.id)
        .collect();
    assert_eq!(ids, met);
}
