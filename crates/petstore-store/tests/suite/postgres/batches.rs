//! Tests creations that arrive at the same time.

use super::{key, pet, store};
use crate::postgres_server::shared;
use futures::future::join_all;
use petstore_store::{PetQuery, StoreError};
use std::collections::BTreeSet;

#[tokio::test]
async fn concurrent_creations_share_a_commit_and_keep_their_ids() {
    let Some(cluster) = shared().await else {
        return;
    };
    let store = store(&cluster.database().await).await;
    let created = join_all((0..200).map(|number| store.create_pet(pet(number.to_string())))).await;
    assert!(store.stats().batches < 20, "{:?}", store.stats());
    assert_eq!(store.stats().writes, 200);
    for (number, created) in created.into_iter().enumerate() {
        let created = created.expect("a pet");
        assert_eq!(created.name, number.to_string());
        assert_eq!(
            store.pet(created.id).await.expect("a result"),
            Some(created)
        );
    }
}

#[tokio::test]
async fn a_rejected_creation_does_not_fail_the_others_of_its_batch() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let rule = "ALTER TABLE pets ADD CONSTRAINT no_poison CHECK (name <> 'poison')";
    database
        .client()
        .await
        .batch_execute(rule)
        .await
        .expect("a rule");

    let names: Vec<String> = (0..50)
        .map(|n| {
            if n == 17 {
                "poison".to_owned()
            } else {
                n.to_string()
            }
        })
        .collect();
    let (created, key_created) = tokio::join!(
        join_all(names.iter().map(|name| store.create_pet(pet(name)))),
        store.create_key(key(1))
    );
    key_created.expect("a key");
    let mut ids = BTreeSet::new();
    for (name, created) in names.iter().zip(created) {
        match created {
            Ok(created) => assert!(created.name == *name && ids.insert(created.id)),
            Err(error) => assert!(
                name == "poison" && matches!(error, StoreError::Internal { .. }),
                "{error:?}"
            ),
        }
    }
    let all = store.list_pets(PetQuery::first(100)).await.expect("a page");
    assert_eq!(
        all.pets.iter().map(|pet| pet.id).collect::<BTreeSet<_>>(),
        ids
    );
    assert_eq!(all.pets.len(), 49);
}

#[tokio::test]
async fn closing_the_store_finishes_the_writes_in_the_queue() {
    let Some(cluster) = shared().await else {
        return;
    };
    let store = store(&cluster.database().await).await;
    let creates = join_all((0..300).map(|number| store.create_pet(pet(number.to_string()))));
    let (created, closed) = tokio::join!(creates, store.close());
    closed.expect("it closes");
    assert!(
        created.iter().all(Result::is_ok),
        "handed over before the close"
    );
}
