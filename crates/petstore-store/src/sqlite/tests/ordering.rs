//! Tests orders and their pets within one batch, including failures to write one of
//! the two.

use super::*;
use crate::{Creation, IdempotencyKey, NotOrdered, NotUpdated, Once};
use petstore_models::{Order, OrderStatus, PetStatus};

impl Fixture {
    fn order(&self, pet_id: i64) -> JoinHandle<Result<Result<Order, NotOrdered>, StoreError>> {
        let store = Arc::clone(&self.store);
        let at = DateTime::UNIX_EPOCH;
        tokio::spawn(async move { store.create_order(fixtures::new_order(pet_id), at).await })
    }

    fn order_once(
        &self,
        pet_id: i64,
    ) -> JoinHandle<Result<Creation<Order, NotOrdered>, StoreError>> {
        let store = Arc::clone(&self.store);
        let once = Once {
            key_id: KeyId::from_random(1),
            key: IdempotencyKey::try_from("a".to_owned()).expect("a key"),
            at: DateTime::UNIX_EPOCH,
        };
        tokio::spawn(async move {
            store
                .create_order_once(fixtures::new_order(pet_id), once)
                .await
        })
    }

    fn update(
        &self,
        id: i64,
        to: OrderStatus,
    ) -> JoinHandle<Result<Result<Order, NotUpdated>, StoreError>> {
        let store = Arc::clone(&self.store);
        tokio::spawn(async move { store.update_order(id, to, DateTime::UNIX_EPOCH).await })
    }

    async fn available(&self) -> i64 {
        let pet = NewPet {
            status: Some(PetStatus::Available),
            ..pet("Rex")
        };
        self.store.create_pet(pet).await.expect("a pet").id
    }

    async fn statuses(&self, pet_id: i64) -> (Option<PetStatus>, Option<OrderStatus>) {
        let pet = self.store.pet(pet_id).await.expect("a result");
        let order = self.store.order(1).await.expect("a result");
        (
            pet.and_then(|pet| pet.status),
            order.map(|order| order.status),
        )
    }
}

#[tokio::test]
async fn all_transitions_of_an_order_can_be_in_one_batch() {
    let fixture = in_a_file();
    let pet = fixture.available().await;
    let gate = fixture.gate().await;
    let first = fixture.order_once(pet);
    fixture.until_queued(1).await;
    let second = fixture.order(pet);
    fixture.until_queued(2).await;
    let again = fixture.order_once(pet);
    fixture.until_queued(3).await;
    let early = fixture.update(1, OrderStatus::Delivered);
    fixture.until_queued(4).await;
    let approved = fixture.update(1, OrderStatus::Approved);
    fixture.until_queued(5).await;
    let delivered = fixture.update(1, OrderStatus::Delivered);
    fixture.until_queued(6).await;
    gate.open().await;
    let Ok(Ok(Creation::Added(first))) = first.await else {
        panic!("the first is placed")
    };
    let second = second.await.expect("no panic").expect("a result");
    let taken = NotOrdered::NotAvailable(Some(PetStatus::Pending));
    assert_eq!(second, Err(taken));
    let again = again.await.expect("no panic").expect("a result");
    assert_eq!(again, Creation::Repeated(first));
    let early = early.await.expect("no panic").expect("a result");
    let from = OrderStatus::Placed;
    assert_eq!(early, Err(NotUpdated::NoStep { from }));
    for step in [approved, delivered] {
        step.await
            .expect("no panic")
            .expect("a result")
            .expect("a step");
    }
    let end = (Some(PetStatus::Sold), Some(OrderStatus::Delivered));
    assert_eq!(fixture.statuses(pet).await, end);
    // Batches: the pet, the gate, and all writes above.
    assert_eq!(fixture.store.stats().batches, 3);
}

#[tokio::test]
async fn a_pet_and_its_order_change_together_or_not_at_all() {
    let fixture = in_a_file();
    let pet = fixture.available().await;
    let reject = |name: &str, change: &str| {
        format!(
            "CREATE TRIGGER {name} BEFORE {change} BEGIN SELECT RAISE(ABORT, 'for the test'); END"
        )
    };
    let free = (Some(PetStatus::Available), None);
    // The pet is reserved first: if a later step fails, this must be rolled back.
    for change in ["INSERT ON orders", "INSERT ON idempotency_keys"] {
        fixture
            .execute(&reject("no_order", change))
            .await
            .expect("a trigger");
        let rejected = fixture.order_once(pet).await.expect("no panic");
        assert!(rejected.is_err(), "{rejected:?}");
        assert_eq!(fixture.statuses(pet).await, free);
        fixture
            .execute("DROP TRIGGER no_order")
            .await
            .expect("dropped");
    }
    let placed = fixture.order_once(pet).await.expect("no panic");
    assert!(matches!(placed, Ok(Creation::Added(_))), "{placed:?}");
    // The order is changed first.
    let open = (Some(PetStatus::Pending), Some(OrderStatus::Placed));
    fixture
        .execute(&reject("no_pet", "UPDATE ON pets"))
        .await
        .expect("a trigger");
    let rejected = fixture
        .update(1, OrderStatus::Cancelled)
        .await
        .expect("no panic");
    assert!(rejected.is_err(), "{rejected:?}");
    assert_eq!(fixture.statuses(pet).await, open);
    fixture
        .execute("DROP TRIGGER no_pet")
        .await
        .expect("dropped");
    let cancelled = fixture
        .update(1, OrderStatus::Cancelled)
        .await
        .expect("no panic");
    cancelled.expect("a result").expect("a step");
    let ended = (Some(PetStatus::Available), Some(OrderStatus::Cancelled));
    assert_eq!(fixture.statuses(pet).await, ended);
}

#[tokio::test]
async fn an_unknown_status_of_an_order_is_an_error() {
    let fixture = in_a_file();
    let pet = fixture.available().await;
    let placed = fixture
        .order(pet)
        .await
        .expect("no panic")
        .expect("a result");
    let id = placed.expect("an order").id;
    fixture
        .execute("UPDATE orders SET status = 'lost'")
        .await
        .expect("written");
    let found = fixture.store.order(id).await;
    assert!(
        matches!(found, Err(StoreError::Corrupt { .. })),
        "{found:?}"
    );
    let updated = fixture
        .update(id, OrderStatus::Cancelled)
        .await
        .expect("no panic");
    assert!(
        matches!(updated, Err(StoreError::Corrupt { .. })),
        "{updated:?}"
    );
}
