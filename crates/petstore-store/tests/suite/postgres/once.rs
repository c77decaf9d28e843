//! Tests creations with an idempotency key on several servers.

use super::{outcome, pet, store};
use crate::postgres_server::{own, shared};
use chrono::DateTime;
use futures::future::join_all;
use petstore_models::{NewPet, Pet};
use petstore_store::{Creation, KeyId, Once, Outcome, PetQuery, Store, StoreError};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

fn once(key: &str) -> Once {
    Once {
        key_id: KeyId::from_random(1),
        key: key.to_owned().try_into().expect("a key"),
        at: DateTime::UNIX_EPOCH,
    }
}

/// Creates a pet. Tries again while another server uses the key.
async fn create(store: &Arc<dyn Store>, pet: NewPet, key: &str) -> Result<Creation, StoreError> {
    loop {
        match store.create_pet_once(pet.clone(), once(key)).await {
            Ok(Creation::InFlight) => sleep(Duration::from_millis(2)).await,
            created => return created,
        }
    }
}

async fn all(store: &Arc<dyn Store>) -> Vec<Pet> {
    let query = PetQuery::first(1000);
    store.list_pets(query).await.expect("a page").pets
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_creations_with_one_key_on_several_servers_create_one_pet_and_replay_its_response()
 {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let stores = [
        store(&database).await,
        store(&database).await,
        store(&database).await,
    ];
    for round in 0..30 {
        let key = format!("round {round}");
        let created = join_all(stores.iter().map(|store| create(store, pet(&key), &key))).await;
        let created: Vec<_> = created
            .into_iter()
            .map(|one| one.expect("a result"))
            .collect();
        let added: Vec<_> = created
            .iter()
            .filter_map(|one| match one {
                Creation::Added(pet) => Some(pet.clone()),
                _ => None,
            })
            .collect();
        let [first] = <[Pet; 1]>::try_from(added).expect("one of them adds");
        for one in created {
            assert!(
                [
                    Creation::Added(first.clone()),
                    Creation::Repeated(first.clone())
                ]
                .contains(&one)
            );
        }
    }
    assert_eq!(all(&stores[0]).await.len(), 30);
}

#[tokio::test]
async fn a_running_transaction_with_the_same_key_does_not_delay_other_creations() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let first = create(&store, pet("Rex"), "a").await.expect("a result");
    // Another server has a running transaction with this key.
    let db = database.client().await;
    let locks = "SELECT objid::bigint + (classid::bigint << 32) AS lock FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert!(
        db.query(locks, &[]).await.expect("the locks").is_empty(),
        "a lock ends with its transaction"
    );
    let key_id = KeyId::from_random(1);
    // The number of the lock is computed like in the store: the first eight bytes of the hash.
    let lock = format!(
        "SELECT pg_advisory_xact_lock(('x' || left(encode(sha256(convert_to(E'{key_id}\\na', 'UTF8')), 'hex'), 16))::bit(64)::bigint)"
    );
    db.batch_execute(&format!("BEGIN; {lock}"))
        .await
        .expect("locked");
    let (same, other, without) = tokio::join!(
        store.create_pet_once(pet("Rex"), once("a")),
        store.create_pet_once(pet("Tom"), once("b")),
        store.create_pet(pet("Zoe")),
    );
    assert_eq!(same.expect("a result"), Creation::InFlight);
    assert!(matches!(other, Ok(Creation::Added(_))), "{other:?}");
    without.expect("a pet");
    db.batch_execute("COMMIT").await.expect("over");
    let Creation::Added(first) = first else {
        panic!("{first:?}")
    };
    let again = create(&store, pet("Rex"), "a").await.expect("a result");
    assert_eq!(again, Creation::Repeated(first));
    assert_eq!(all(&store).await.len(), 3);
}

#[tokio::test]
async fn concurrent_creations_with_keys_share_a_commit() {
    let Some(cluster) = shared().await else {
        return;
    };
    let store = store(&cluster.database().await).await;
    let names: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let created = join_all(
        names
            .iter()
            .map(|name| store.create_pet_once(pet(name), once(name))),
    )
    .await;
    assert!(store.stats().batches < 20, "{:?}", store.stats());
    for (name, created) in names.iter().zip(created) {
        assert!(
            matches!(&created, Ok(Creation::Added(pet)) if pet.name == *name),
            "{created:?}"
        );
    }
    assert_eq!(all(&store).await.len(), 200);
}

#[tokio::test]
async fn a_rejected_creation_with_a_key_fails_alone_and_its_key_can_be_used_again() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let db = database.client().await;
    db.batch_execute("ALTER TABLE pets ADD CONSTRAINT no_poison CHECK (name <> 'poison')")
        .await
        .expect("a rule");
    let names: Vec<String> = (0..50)
        .map(|number| match number {
            17 => "poison".to_owned(),
            _ => number.to_string(),
        })
        .collect();
    let created = join_all(
        names
            .iter()
            .map(|name| store.create_pet_once(pet(name), once(name))),
    )
    .await;
    for (name, created) in names.iter().zip(created) {
        match created {
            Ok(Creation::Added(pet)) => assert_eq!(pet.name, *name),
            Err(StoreError::Internal { .. }) => assert_eq!(name, "poison"),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(all(&store).await.len(), 49);
    db.batch_execute("ALTER TABLE pets DROP CONSTRAINT no_poison")
        .await
        .expect("no rule");
    let again = create(&store, pet("poison"), "poison").await;
    assert!(matches!(again, Ok(Creation::Added(_))), "{again:?}");
}

/// If a commit stopped waiting for its replica, it is visible, but may be missing on the
/// replica. A repeated creation must not report success until the replica has it.
#[tokio::test]
async fn a_repeated_creation_waits_for_the_replica_if_the_first_commit_did_not() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let db = database.client().await;
    create(&store, pet("first"), "first")
        .await
        .expect("no replica is asked for yet");
    cluster
        .execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let set =
        "SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'";
    while db.query(set, &[]).await.expect("a result").is_empty() {
        sleep(Duration::from_millis(5)).await;
    }

    for _ in 0..2 {
        let cut_off = async {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
            while db.query(end, &[]).await.expect("a result").is_empty() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        let (created, ()) = tokio::join!(create(&store, pet("second"), "second"), cut_off);
        assert_eq!(outcome(&created), Some(Outcome::Unknown), "{created:?}");
        assert_eq!(all(&store).await.len(), 2, "it was committed all the same");
    }

    cluster
        .execute("ALTER SYSTEM RESET synchronous_standby_names")
        .await;
    cluster.execute("SELECT pg_reload_conf()").await;
    let created = create(&store, pet("second"), "second")
        .await
        .expect("a result");
    assert!(matches!(created, Creation::Repeated(_)), "{created:?}");
    assert_eq!(all(&store).await.len(), 2);
}
