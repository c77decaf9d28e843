//! Tests orders that are placed with an idempotency key.

use super::{all, available, minutes, noon, status_of, update, walk_orders};
use crate::{
    contract::{AnyStore, create, new_pet, once, walk},
    fixtures::new_order,
};
use petstore_models::{Order, OrderStatus, PetStatus};
use petstore_store::{Creation, IDEMPOTENCY_KEYS_KEPT, NotOrdered, Once};

/// Places an order. Tries again while another server uses the key.
pub(super) async fn order_once(
    store: &AnyStore,
    pet_id: i64,
    once: Once,
) -> Creation<Order, NotOrdered> {
    loop {
        let asked = store.create_order_once(new_order(pet_id), once.clone());
        match asked.await.expect("a result") {
            Creation::InFlight => tokio::task::yield_now().await,
            created => return created,
        }
    }
}

pub(crate) async fn a_repeated_order_returns_the_order_as_it_was_placed(store: AnyStore) {
    let pet = available(&store).await.id;
    let key = |at| once::once(1, "a", at);
    let Creation::Added(placed) = order_once(&store, pet, key(noon())).await else {
        panic!("it is new")
    };
    update(&store, placed.id, OrderStatus::Cancelled, minutes(1))
        .await
        .expect("a step");
    // The pet is available again, but the repeated creation still places no order.
    for at in [noon(), minutes(2)] {
        let again = order_once(&store, pet, key(at)).await;
        assert_eq!(again, Creation::Repeated(placed.clone()));
    }
    assert_eq!(status_of(&store, pet).await, Some(PetStatus::Available));
    let later = noon() + IDEMPOTENCY_KEYS_KEPT;
    let new = order_once(&store, pet, key(later)).await;
    assert!(
        matches!(&new, Creation::Added(new) if new.id > placed.id),
        "{new:?}"
    );
}

pub(crate) async fn the_idempotency_key_of_a_rejected_order_can_be_used_again(store: AnyStore) {
    let key = || once::once(1, "a", noon());
    assert_eq!(
        order_once(&store, 1, key()).await,
        Creation::Refused(NotOrdered::NoPet)
    );
    let sold = create(&store, "Tom", Some(PetStatus::Sold)).await;
    let rejected = order_once(&store, sold.id, key()).await;
    let reason = NotOrdered::NotAvailable(Some(PetStatus::Sold));
    assert_eq!(rejected, Creation::Refused(reason));
    assert_eq!(
        store
            .forget_idempotency_keys(minutes(10_000), 10)
            .await
            .expect("a result"),
        0
    );
    let pet = available(&store).await;
    let placed = order_once(&store, pet.id, key()).await;
    assert!(matches!(placed, Creation::Added(_)), "{placed:?}");
}

pub(crate) async fn the_idempotency_key_of_a_pet_cannot_be_used_for_an_order(store: AnyStore) {
    let pet = available(&store).await.id;
    let key = |name| once::once(1, name, noon());
    let rex = || new_pet("Rex", None);
    let first = once::create(&store, rex(), key("a")).await;
    assert_eq!(order_once(&store, pet, key("a")).await, Creation::KeyReused);
    assert_eq!(
        order_once(&store, 1000, key("a")).await,
        Creation::KeyReused
    );
    let placed = order_once(&store, pet, key("b")).await;
    assert!(matches!(placed, Creation::Added(_)), "{placed:?}");
    assert_eq!(
        once::create(&store, rex(), key("b")).await,
        Creation::KeyReused
    );
    let Creation::Added(first) = first else {
        panic!("{first:?}")
    };
    assert_eq!(
        once::create(&store, rex(), key("a")).await,
        Creation::Repeated(first)
    );
    assert_eq!(walk(&store, None, 10).await.len(), 2);
    assert_eq!(walk_orders(&store, all(10)).await.len(), 1);
}
