//! Tests several processes that use one file: the service and the command line.
//! Two stores in one process share nothing that two processes would
//! not share, so most tests use two stores.

use super::{Place, open, pet, place};
use chrono::DateTime;
use petstore_store::{KeyHash, KeyId, NewKey, Outcome, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

fn key(number: u8) -> NewKey {
    NewKey {
        id: KeyId::from_random(number.into()),
        name: "test".to_owned(),
        hash: KeyHash::new([number; 32]),
        created_at: DateTime::UNIX_EPOCH,
        limits: petstore_store::KeyLimits::default(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_stores_can_open_a_new_file_at_once() {
    for round in 0..10 {
        let place = place();
        let mut starts = JoinSet::new();
        for number in 0..4 {
            let path = place.path.clone();
            starts.spawn(async move {
                let store = open(&path)
                    .await
                    .unwrap_or_else(|error| panic!("round {round}: {error:?}"));
                let made = store.create_first_key(key(number)).await.expect("a result");
                store.create_pet(pet("Rex")).await.expect("a pet");
                store.close().await.expect("closed");
                made
            });
        }
        let made = starts
            .join_all()
            .await
            .into_iter()
            .filter(|made| *made)
            .count();
        assert_eq!(made, 1);
        let store = open(&place.path).await.expect("the store");
        assert!(store.pet(4).await.expect("a result").is_some());
    }
}

#[tokio::test]
async fn a_key_that_another_process_creates_or_revokes_has_effect_at_once() {
    let place = Place::with_pets(0).await;
    let service = open(&place.path).await.expect("the service's store");
    let command = open(&place.path).await.expect("the command line's store");
    let key = key(1);
    assert!(
        service
            .find_key(&key.hash)
            .await
            .expect("a result")
            .is_none()
    );
    command.create_key(key.clone()).await.expect("a key");
    assert!(
        service
            .find_key(&key.hash)
            .await
            .expect("a result")
            .is_some()
    );
    command
        .revoke_key(key.id, DateTime::UNIX_EPOCH)
        .await
        .expect("a result");
    assert!(
        service
            .find_key(&key.hash)
            .await
            .expect("a result")
            .is_none()
    );
    command.close().await.expect("closed");
    service.check().await.expect("the service continues");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_writes_of_several_processes_interleave() {
    let place = Place::with_pets(0).await;
    let mut writers = JoinSet::new();
    for _ in 0..3 {
        let store = open(&place.path).await.expect("the store");
        writers.spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..50 {
                ids.push(store.create_pet(pet("Rex")).await.expect("a pet").id);
            }
            ids
        });
    }
    let mut ids = writers.join_all().await.concat();
    ids.sort_unstable();
    assert_eq!(ids, (1..=150).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_write_fails_while_the_database_is_locked_and_succeeds_after_the_lock_is_released() {
    let place = Place::with_pets(1).await;
    let store = open(&place.path).await.expect("the store");
    let mut other = Connection::open(&place.path).expect("the database");
    let lock = other
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .expect("the lock");
    let error = store.create_pet(pet("Tom")).await.expect_err("locked");
    assert!(
        matches!(
            error,
            StoreError::Unavailable {
                outcome: Outcome::NotApplied,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(store.pet(1).await.expect("reads continue").is_some());
    drop(lock);
    assert_eq!(store.create_pet(pet("Tom")).await.expect("a pet").id, 2);
}

#[tokio::test]
async fn a_store_can_be_opened_while_another_process_writes() {
    let place = Place::with_pets(1).await;
    let mut other = Connection::open(&place.path).expect("the database");
    let lock = other
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .expect("the lock");
    let store = open(&place.path).await.expect("the store");
    assert!(store.pet(1).await.expect("a result").is_some());
    drop(lock);
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_a_store_waits_for_another_opening_in_progress() {
    let place = Place::only_marked().await;
    let mut other = Connection::open(&place.path).expect("the database");
    let lock = other
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .expect("the lock");
    let path = place.path.clone();
    let opening = tokio::spawn(async move { open(&path).await });
    // An opening that does not wait would have failed after this time.
    let held = Instant::now();
    while held.elapsed() < Duration::from_millis(200) {
        assert!(!opening.is_finished(), "it did not wait");
        tokio::task::yield_now().await;
    }
    drop(lock);
    let store = opening.await.expect("no panic").expect("the store");
    assert_eq!(store.create_pet(pet("Rex")).await.expect("a pet").id, 1);
}
