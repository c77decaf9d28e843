//! Tests a database server that is killed under load and restarted.

use super::{outcome, pet, store};
use crate::postgres_server::own;
use petstore_store::{Outcome, PetQuery, Store, StoreError};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;

const ROUNDS: usize = 3;

/// Counts the results of the clients of one store.
#[derive(Default)]
struct Seen {
    over: AtomicBool,
    returned: AtomicUsize,
    rejected: AtomicUsize,
}

impl Seen {
    /// Waits until a counter has grown by this much.
    async fn more(counter: &AtomicUsize, much: usize) {
        let before = counter.load(Ordering::Relaxed);
        while counter.load(Ordering::Relaxed) < before + much {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Creates pets with unique names until the test ends. Returns the created pets, and
/// the names of the pets whose outcome is unknown.
async fn client(
    store: Arc<dyn Store>,
    seen: Arc<Seen>,
    number: usize,
) -> (Vec<(String, i64)>, Vec<String>) {
    let (mut stored, mut open) = (Vec::new(), Vec::new());
    for turn in 0.. {
        if seen.over.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("{number}/{turn}");
        let created = store.create_pet(pet(&name)).await;
        let counter = if created.is_ok() {
            &seen.returned
        } else {
            &seen.rejected
        };
        counter.fetch_add(1, Ordering::Relaxed);
        match (outcome(&created), created) {
            (_, Ok(created)) => stored.push((name, created.id)),
            (Some(Outcome::Unknown), _) => open.push(name),
            (Some(Outcome::NotApplied), _) => tokio::time::sleep(Duration::from_millis(5)).await,
            (None, Err(error)) => panic!("a crash is no such error: {error:?}"),
        }
    }
    (stored, open)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killing_the_server_under_load_loses_and_duplicates_no_created_pet() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let store = store(&cluster.database().await).await;
    let seen = Arc::<Seen>::default();
    let mut clients = JoinSet::new();
    for number in 0..16 {
        clients.spawn(client(Arc::clone(&store), Arc::clone(&seen), number));
    }
    for _ in 0..ROUNDS {
        Seen::more(&seen.returned, 200).await;
        cluster.kill();
        Seen::more(&seen.rejected, 50).await;
        let read = store.pet(1).await;
        assert!(
            matches!(
                read,
                Err(StoreError::Unavailable {
                    outcome: Outcome::NotApplied,
                    ..
                })
            ),
            "{read:?}"
        );
        store.check().await.expect_err("not ready");
        cluster.start().await;
        // The store recovers without a restart. The read connections may be opened a
        // moment after the write connections.
        Seen::more(&seen.returned, 50).await;
        while store.check().await.is_err() {
            Seen::more(&seen.returned, 1).await;
        }
    }
    seen.over.store(true, Ordering::Relaxed);

    let mut there = BTreeMap::new();
    let all = store
        .list_pets(PetQuery::first(usize::MAX))
        .await
        .expect("a page");
    for pet in all.pets {
        assert!(
            there.insert(pet.name, pet.id).is_none(),
            "a pet is there twice"
        );
    }
    let (mut returned, mut unknown) = (0, 0);
    for (stored, open) in clients.join_all().await {
        returned += stored.len();
        unknown += open.len();
        for (name, id) in stored {
            // The page does not contain a pet that was created after the page was read.
            let found = there.remove(&name);
            let found = if found.is_some() {
                found
            } else {
                store.pet(id).await.expect("a result").map(|pet| pet.id)
            };
            assert_eq!(found, Some(id), "the pet {name} is lost");
        }
        for name in open {
            there.remove(&name);
        }
    }
    assert!(
        there.is_empty(),
        "pets that nobody asked for, or that were rejected: {there:?}"
    );
    println!("{ROUNDS} crashes: {returned} pets created, {unknown} unknown, 0 lost, 0 doubled");
}

#[tokio::test]
async fn a_read_that_fails_on_a_closed_connection_is_repeated_on_another_connection() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let created = store.create_pet(pet("Rex")).await.expect("a pet");
    let db = database.client().await;
    for _ in 0..20 {
        assert_eq!(
            store.pet(created.id).await.expect("a result"),
            Some(created.clone())
        );
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'";
        db.execute(end, &[]).await.expect("all sessions are ended");
    }
}
