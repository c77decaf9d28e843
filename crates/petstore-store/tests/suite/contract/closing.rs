//! Tests of the store as a whole: its health check, its statistics, and closing
//! it.

use super::{AnyStore, create, new_pet};
use crate::fixtures::new_order;
use chrono::Utc;
use petstore_models::OrderStatus;
use petstore_store::{KeyHash, KeyId, Outcome, PetQuery, StoreError};

pub(crate) async fn a_working_store_passes_the_health_check(store: AnyStore) {
    store.check().await.expect("it works");
}

pub(crate) async fn writes_are_counted(store: AnyStore) {
    let before = store.stats();
    for _ in 0..3 {
        create(&store, "Rex", None).await;
    }
    let after = store.stats();
    assert_eq!((after.writes - before.writes, after.queued), (3, 0));
    assert!(
        (1..=3).contains(&(after.batches - before.batches)),
        "{after:?}"
    );
}

pub(crate) async fn connections_are_counted_while_the_store_is_open(store: AnyStore) {
    let pet = create(&store, "Rex", None).await;
    store.pet(pet.id).await.expect("it can be read");
    let pool = store.pool();
    assert_eq!((pool.used, pool.waits), (0, 0), "{pool:?}");
    assert!((1..=pool.limit).contains(&pool.idle), "{pool:?}");
    store.close().await.expect("it closes");
    let pool = store.pool();
    assert_eq!((pool.used, pool.idle), (0, 0), "{pool:?}");
}

pub(crate) async fn a_closed_store_rejects_every_call(store: AnyStore) {
    create(&store, "Rex", None).await;
    store.close().await.expect("it closes");
    let hash = KeyHash::new([0; 32]);
    let rejections = [
        store.create_pet(new_pet("Tom", None)).await.map(drop),
        store.pet(1).await.map(drop),
        store.webhook_position().await.map(drop),
        store.forget_deliveries(Utc::now(), 1).await.map(drop),
        store.list_pets(PetQuery::first(1)).await.map(drop),
        store.create_order(new_order(1), Utc::now()).await.map(drop),
        store
            .update_order(1, OrderStatus::Approved, Utc::now())
            .await
            .map(drop),
        store.order(1).await.map(drop),
        store.find_key(&hash).await.map(drop),
        store.has_keys().await.map(drop),
        store.list_keys().await.map(drop),
        store
            .revoke_key(KeyId::from_random(0), Utc::now())
            .await
            .map(drop),
        store.check().await,
    ];
    for rejection in rejections {
        let closed = matches!(
            rejection,
            Err(StoreError::Unavailable {
                outcome: Outcome::NotApplied,
                ..
            })
        );
        assert!(closed, "{rejection:?}");
    }
    store.close().await.expect("nothing is left to do");
}
