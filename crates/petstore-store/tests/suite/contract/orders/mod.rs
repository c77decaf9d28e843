//! Tests orders and their effect on pets. `clients` tests sequences of calls and
//! concurrent calls, and `repeated` tests idempotency keys.

pub(crate) mod clients;
mod model;
pub(crate) mod repeated;

use super::{AnyStore, create, once};
use crate::fixtures::new_order;
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{Order, OrderStatus, Pet, PetStatus};
use petstore_store::{Creation, NotOrdered, NotUpdated, OrderQuery, StoreError};
use repeated::order_once;
use tokio::task::JoinSet;

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

fn minutes(minutes: i64) -> DateTime<Utc> {
    noon() + TimeDelta::minutes(minutes)
}

async fn available(store: &AnyStore) -> Pet {
    create(store, "Rex", Some(PetStatus::Available)).await
}

async fn status_of(store: &AnyStore, pet_id: i64) -> Option<PetStatus> {
    let pet = store.pet(pet_id).await.expect("a result");
    pet.expect("the pet").status
}

async fn order_at(store: &AnyStore, pet_id: i64, at: DateTime<Utc>) -> Result<Order, NotOrdered> {
    let asked = store.create_order(new_order(pet_id), at).await;
    asked.expect("a result")
}

async fn order(store: &AnyStore, pet_id: i64) -> Order {
    order_at(store, pet_id, noon()).await.expect("an order")
}

async fn update(
    store: &AnyStore,
    id: i64,
    to: OrderStatus,
    at: DateTime<Utc>,
) -> Result<Order, NotUpdated> {
    store.update_order(id, to, at).await.expect("a result")
}

/// All orders that match, page by page.
async fn walk_orders(store: &AnyStore, mut query: OrderQuery) -> Vec<Order> {
    let mut met = Vec::new();
    loop {
        let page = store.list_orders(query).await.expect("a page");
        assert!(page.orders.len() <= query.limit);
        query.before = page.orders.last().map(|order| order.id);
        met.extend(page.orders);
        if !page.more {
            return met;
        }
    }
}

fn all(limit: usize) -> OrderQuery {
    OrderQuery {
        before: None,
        status: None,
        pet_id: None,
        limit,
    }
}

fn ids(orders: &[Order]) -> Vec<i64> {
    orders.iter().map(|order| order.id).collect()
}

pub(crate) async fn a_placed_order_is_returned_and_reserves_its_pet(store: AnyStore) {
    let pet = available(&store).await;
    let at = noon() + TimeDelta::nanoseconds(123_456_789);
    let placed = order_at(&store, pet.id, at).await.expect("an order");
    let text = serde_json::to_value(&placed).expect("JSON");
    let time = "2026-11-21T12:00:00.123456Z";
    assert_eq!(
        text,
        serde_json::json!({"id": 1, "petId": pet.id, "status": "placed", "placedAt": time, "updatedAt": time, "version": 1})
    );
    let found = store.order(placed.id).await.expect("a result");
    assert_eq!(found, Some(placed));
    assert_eq!(status_of(&store, pet.id).await, Some(PetStatus::Pending));
    assert_eq!(store.order(2).await.expect("a result"), None);
}

pub(crate) async fn only_a_pet_that_is_available_can_be_ordered(store: AnyStore) {
    assert_eq!(order_at(&store, 7, noon()).await, Err(NotOrdered::NoPet));
    for status in [None, Some(PetStatus::Pending), Some(PetStatus::Sold)] {
        let pet = create(&store, "Tom", status).await;
        let rejected = order_at(&store, pet.id, noon()).await;
        assert_eq!(rejected, Err(NotOrdered::NotAvailable(status)));
        assert_eq!(status_of(&store, pet.id).await, status);
    }
    assert!(walk_orders(&store, all(10)).await.is_empty());
    let pet = available(&store).await;
    order(&store, pet.id).await;
    let again = order_at(&store, pet.id, noon()).await;
    let taken = NotOrdered::NotAvailable(Some(PetStatus::Pending));
    assert_eq!(again, Err(taken));
    assert_eq!(walk_orders(&store, all(10)).await.len(), 1);
}

/// An order in this status, with its pet.
async fn order_in(store: &AnyStore, status: OrderStatus) -> Order {
    let pet = available(store).await;
    let mut found = order(store, pet.id).await;
    let way: &[OrderStatus] = match status {
        OrderStatus::Placed => &[],
        OrderStatus::Approved => &[OrderStatus::Approved],
        OrderStatus::Delivered => &[OrderStatus::Approved, OrderStatus::Delivered],
        OrderStatus::Cancelled => &[OrderStatus::Cancelled],
    };
    for to in way {
        found = update(store, found.id, *to, noon()).await.expect("a step");
    }
    assert_eq!(found.status, status);
    found
}

/// The allowed transitions. They are written by hand, and not taken from the code under test.
const STEPS: [(OrderStatus, OrderStatus, PetStatus); 4] = [
    (
        OrderStatus::Placed,
        OrderStatus::Approved,
        PetStatus::Pending,
    ),
    (
        OrderStatus::Placed,
        OrderStatus::Cancelled,
        PetStatus::Available,
    ),
    (
        OrderStatus::Approved,
        OrderStatus::Delivered,
        PetStatus::Sold,
    ),
    (
        OrderStatus::Approved,
        OrderStatus::Cancelled,
        PetStatus::Available,
    ),
];

pub(crate) async fn allowed_transitions_change_order_and_pet_and_others_change_nothing(
    store: AnyStore,
) {
    for from in OrderStatus::ALL.iter().copied() {
        for to in OrderStatus::ALL.iter().copied() {
            let before = order_in(&store, from).await;
            let pet_before = status_of(&store, before.pet_id).await;
            let step = STEPS.iter().find(|step| (step.0, step.1) == (from, to));
            let result = update(&store, before.id, to, minutes(1)).await;
            let (expected, pet) = match step {
                Some((_, _, pet)) => {
                    let after = Order {
                        status: to,
                        updated_at: minutes(1).into(),
                        version: before.version.map(|version| version + 1),
                        ..before.clone()
                    };
                    (Ok(after), Some(*pet))
                }
                None => (Err(NotUpdated::NoStep { from }), pet_before),
            };
            assert_eq!(result, expected, "{from} {to}");
            let left = store.order(before.id).await.expect("a result");
            assert_eq!(
                left,
                Some(expected.unwrap_or(before.clone())),
                "{from} {to}"
            );
            assert_eq!(status_of(&store, before.pet_id).await, pet, "{from} {to}");
        }
    }
    let unknown = update(&store, 1000, OrderStatus::Approved, noon()).await;
    assert_eq!(unknown, Err(NotUpdated::NoOrder));
}

pub(crate) async fn the_update_time_of_an_order_never_goes_back(store: AnyStore) {
    let placed = order(&store, available(&store).await.id).await;
    let before = update(&store, placed.id, OrderStatus::Approved, minutes(-1)).await;
    assert_eq!(before.expect("a step").updated_at, placed.updated_at);
    let years = noon() + TimeDelta::days(365 * 9000);
    let beyond = store
        .update_order(placed.id, OrderStatus::Delivered, years)
        .await;
    assert!(
        matches!(beyond, Err(StoreError::Internal { .. })),
        "{beyond:?}"
    );
    assert_eq!(
        status_of(&store, placed.pet_id).await,
        Some(PetStatus::Pending)
    );
}

pub(crate) async fn pages_of_orders_begin_with_the_newest_and_keep_their_filters(store: AnyStore) {
    let pets = [available(&store).await.id, available(&store).await.id];
    for round in 0..12 {
        let placed = order(&store, pets[round % 2]).await;
        update(&store, placed.id, OrderStatus::Cancelled, noon())
            .await
            .expect("a step");
    }
    let open = order(&store, pets[0]).await;
    for limit in [1, 2, 5, 6, 12, 100] {
        let met = walk_orders(&store, all(limit)).await;
        assert_eq!(ids(&met), (1..=13).rev().collect::<Vec<_>>());
        for (status, pet_id) in [
            (Some(OrderStatus::Cancelled), None),
            (Some(OrderStatus::Placed), None),
            (Some(OrderStatus::Delivered), None),
            (None, Some(pets[0])),
            (None, Some(pets[1])),
            (Some(OrderStatus::Cancelled), Some(pets[0])),
            (Some(OrderStatus::Placed), Some(pets[0])),
            (Some(OrderStatus::Placed), Some(pets[1])),
            (None, Some(7)),
        ] {
            let query = OrderQuery {
                status,
                pet_id,
                ..all(limit)
            };
            let expected: Vec<_> = met
                .iter()
                .filter(|order| status.is_none_or(|status| order.status == status))
                .filter(|order| pet_id.is_none_or(|pet| order.pet_id == pet))
                .cloned()
                .collect();
            assert_eq!(walk_orders(&store, query).await, expected, "{query:?}");
        }
    }
    for (before, expected) in [(i64::MIN, 0), (0, 0), (1, 0), (2, 1), (i64::MAX, 13)] {
        let query = OrderQuery {
            before: Some(before),
            ..all(100)
        };
        assert_eq!(walk_orders(&store, query).await.len(), expected);
    }
    let none = store.list_orders(all(0)).await.expect("a page");
    assert!(none.orders.is_empty() && none.more);
    assert_eq!(walk_orders(&store, all(100)).await[0], open);
}

pub(crate) async fn paging_returns_every_earlier_order_once_while_others_are_placed(
    store: AnyStore,
) {
    let mut pets = Vec::new();
    for _ in 0..60 {
        pets.push(available(&store).await.id);
    }
    for pet in &pets[..30] {
        order(&store, *pet).await;
    }
    let other = store.clone();
    let later = pets[30..].to_vec();
    let placing = tokio::spawn(async move {
        for pet in later {
            order(&other, pet).await;
        }
    });
    let met = ids(&walk_orders(&store, all(3)).await);
    placing.await.expect("no panic");
    assert!(met.is_sorted_by(|one, next| one > next), "{met:?}");
    for id in 1..=30 {
        assert!(met.contains(&id), "{id}");
    }
}

pub(crate) async fn only_one_of_many_concurrent_orders_for_one_pet_is_placed(store: AnyStore) {
    for round in 0..10 {
        let pet = available(&store).await.id;
        let mut asked = JoinSet::new();
        for number in 0..32 {
            let store = store.clone();
            asked.spawn(async move {
                if number % 2 == 0 {
                    order_at(&store, pet, noon()).await
                } else {
                    let once = once::once(1, &format!("{round} {number}"), noon());
                    match order_once(&store, pet, once).await {
                        Creation::Added(order) => Ok(order),
                        Creation::Refused(reason) => Err(reason),
                        other => panic!("{other:?}"),
                    }
                }
            });
        }
        let (won, lost): (Vec<_>, Vec<_>) =
            asked.join_all().await.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 31));
        let taken = NotOrdered::NotAvailable(Some(PetStatus::Pending));
        assert!(lost.iter().all(|lost| *lost == Err(taken)), "{lost:?}");
        let query = OrderQuery {
            pet_id: Some(pet),
            ..all(10)
        };
        assert_eq!(
            walk_orders(&store, query).await,
            [won[0].clone().expect("it won")]
        );
    }
}

pub(crate) async fn only_one_of_many_concurrent_transitions_of_an_order_succeeds(store: AnyStore) {
    for _ in 0..10 {
        let placed = order_in(&store, OrderStatus::Approved).await;
        let mut asked = JoinSet::new();
        for number in 0..20 {
            let store = store.clone();
            let to = [OrderStatus::Delivered, OrderStatus::Cancelled][number % 2];
            asked.spawn(async move { update(&store, placed.id, to, noon()).await });
        }
        let (won, lost): (Vec<_>, Vec<_>) =
            asked.join_all().await.into_iter().partition(Result::is_ok);
        let [Ok(won)] = won.as_slice() else {
            panic!("{won:?}")
        };
        let end = NotUpdated::NoStep { from: won.status };
        assert!(lost.iter().all(|lost| *lost == Err(end)), "{lost:?}");
        let pet = match won.status {
            OrderStatus::Delivered => PetStatus::Sold,
            _ => PetStatus::Available,
        };
        assert_eq!(status_of(&store, placed.pet_id).await, Some(pet));
    }
}
