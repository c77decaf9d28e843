//! Tests several servers on one database.

use super::{key, pet, store};
use crate::postgres_server::shared;
use chrono::Utc;
use futures::future::join_all;
use petstore_store::{Revocation, open};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

#[tokio::test]
async fn a_pet_that_one_server_adds_is_visible_to_the_others_at_once() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let (one, two) = (store(&database).await, store(&database).await);
    for _ in 0..20 {
        let created = one.create_pet(pet("Rex")).await.expect("a pet");
        assert_eq!(two.pet(created.id).await.expect("a result"), Some(created));
    }
}

#[tokio::test]
async fn a_revoked_key_stops_working_at_once_here_and_soon_on_other_servers() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let (one, two) = (store(&database).await, store(&database).await);
    let key = key(1);
    one.create_key(key.clone()).await.expect("a key");
    for store in [&one, &two] {
        assert!(store.find_key(&key.hash).await.expect("a result").is_some());
    }
    assert_eq!(
        one.revoke_key(key.id, Utc::now()).await.expect("a result"),
        Revocation::Revoked
    );
    let revoked = Instant::now();
    assert!(one.find_key(&key.hash).await.expect("a result").is_none());
    while two.find_key(&key.hash).await.expect("a result").is_some() {
        assert!(revoked.elapsed() < Duration::from_secs(20), "still works");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_start_together_on_an_empty_database_create_one_store_with_one_key() {
    let Some(cluster) = shared().await else {
        return;
    };
    for _ in 0..5 {
        let database = cluster.database().await;
        let starts = (1..=4).map(|number| {
            let url = database.url();
            tokio::spawn(async move {
                let store = open(&url).await.expect("a store");
                store.create_pet(pet("Rex")).await.expect("a pet");
                store.create_first_key(key(number)).await.expect("a result")
            })
        });
        let made: Vec<bool> = join_all(starts)
            .await
            .into_iter()
            .map(|start| start.expect("no panic"))
            .collect();
        assert_eq!(made.iter().filter(|made| **made).count(), 1, "{made:?}");
        assert_eq!(
            store(&database)
                .await
                .list_keys()
                .await
                .expect("keys")
                .len(),
            1
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ids_of_several_servers_are_never_the_same() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let stores = [
        store(&database).await,
        store(&database).await,
        store(&database).await,
    ];
    let creates = (0..300).map(|number| stores[number % 3].create_pet(pet(number.to_string())));
    let ids: BTreeSet<i64> = join_all(creates)
        .await
        .into_iter()
        .map(|created| created.expect("a pet").id)
        .collect();
    assert_eq!(ids.len(), 300);
}

/// Otherwise, a load balancer would remove a service that is only busy.
#[tokio::test]
async fn a_health_check_does_not_wait_for_earlier_reads() {
    const READS: usize = 3_000;
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let pet = store.create_pet(pet("Rex")).await.expect("a pet");
    let begun = Arc::new(AtomicUsize::new(0));
    let done = Arc::new(AtomicUsize::new(0));
    let reads: Vec<_> = (0..READS)
        .map(|_| {
            let (store, begun, done) = (store.clone(), begun.clone(), done.clone());
            tokio::spawn(async move {
                begun.fetch_add(1, Ordering::Relaxed);
                store.pet(pet.id).await.expect("a result").expect("a pet");
                done.fetch_add(1, Ordering::Relaxed);
            })
        })
        .collect();
    while begun.load(Ordering::Relaxed) < READS {
        tokio::task::yield_now().await;
    }
    let waiting = READS - done.load(Ordering::Relaxed);
    store.check().await.expect("a store that works");
    let left = READS - done.load(Ordering::Relaxed);
    join_all(reads).await;
    assert_eq!(done.load(Ordering::Relaxed), READS);
    assert!(waiting > READS / 2, "only {waiting} reads wait");
    assert!(left > waiting / 2, "{left} of {waiting} reads are left");
}
