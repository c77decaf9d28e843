//! Tests of the feed: each change has its events, and a consumer that follows the pages gets each event once.

use super::{AnyStore, create, once};
use crate::fixtures::new_order;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use openapi_dropshot_types::feed::FeedCursor;
use petstore_models::{Event, EventType, Order, OrderStatus, PetStatus};
use petstore_store::{Creation, CursorLost, EventPage, EventQuery, EventsAfter, StoredEvent};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ALL: &[EventType] = &[];

async fn list(
    store: &AnyStore,
    after: EventsAfter,
    types: &[EventType],
    limit: usize,
) -> Result<EventPage, CursorLost> {
    let query = EventQuery {
        after,
        types: types.to_vec(),
        limit,
    };
    store.list_events(query).await.expect("a page")
}

/// Returns all events after this position, page by page.
async fn follow(
    store: &AnyStore,
    after: EventsAfter,
    types: &[EventType],
    limit: usize,
) -> Vec<StoredEvent> {
    let (mut after, mut met) = (after, Vec::new());
    loop {
        let page = list(store, after, types, limit).await.expect("a page");
        assert!(page.events.len() <= limit);
        met.extend(page.events);
        after = EventsAfter::Event(page.next);
        if !page.more {
            return met;
        }
    }
}

/// The position after the newest event.
async fn now(store: &AnyStore) -> FeedCursor {
    let page = list(store, EventsAfter::Newest, ALL, 1).await;
    let page = page.expect("a page");
    assert_eq!((page.events.len(), page.more), (0, false));
    page.next
}

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

async fn order(store: &AnyStore, pet: i64) -> Order {
    let placed = store.create_order(new_order(pet), at(1)).await;
    placed.expect("a result").expect("an order")
}

pub(crate) async fn each_change_has_its_events_in_order_with_the_new_version(store: AnyStore) {
    let name = "\u{0}\"Zoë\\ \u{1f408}";
    let pet = create(&store, name, Some(PetStatus::Available)).await;
    let other = once::create(
        &store,
        super::new_pet("Tom", None),
        once::once(1, "a", at(0)),
    );
    let Creation::Added(other) = other.await else {
        panic!("the key is new");
    };
    let placed = order(&store, pet.id).await;
    let mut orders = Vec::new();
    for (minute, to) in [(5, OrderStatus::Approved), (3, OrderStatus::Cancelled)] {
        let updated = store.update_order(placed.id, to, at(minute)).await;
        orders.push(updated.expect("a result").expect("a step"));
    }
    let again = store
        .create_order_once(new_order(pet.id), once::once(1, "b", at(9)))
        .await;
    let Ok(Creation::Added(again)) = again else {
        panic!("{again:?}");
    };
    let [approved, cancelled] = <[Order; 2]>::try_from(orders).expect("two");
    assert_eq!(
        (placed.version, approved.version, cancelled.version),
        (Some(1), Some(2), Some(3))
    );
    assert_eq!((pet.version, other.version), (Some(1), Some(1)));
    let found = store.pet(pet.id).await.expect("a result").expect("the pet");
    assert_eq!(
        found.version,
        Some(4),
        "reserved, available and reserved again"
    );

    let events = follow(&store, EventsAfter::Number(0), ALL, 100).await;
    let expected = [
        ("pet.created", 1, json!(pet)),
        ("pet.created", 1, json!(other)),
        ("order.placed", 1, json!(placed)),
        (
            "pet.status_changed",
            2,
            json!({ "id": pet.id, "status": "pending" }),
        ),
        ("order.updated", 2, json!(approved)),
        ("order.updated", 3, json!(cancelled)),
        (
            "pet.status_changed",
            3,
            json!({ "id": pet.id, "status": "available" }),
        ),
        ("order.placed", 1, json!(again)),
        (
            "pet.status_changed",
            4,
            json!({ "id": pet.id, "status": "pending" }),
        ),
    ];
    let written: Vec<Value> = events.iter().map(|event| json!(event.event)).collect();
    for (number, (kind, version, data)) in expected.into_iter().enumerate() {
        let (event, written) = (&events[number], &written[number]);
        assert_eq!(event.kind.as_str(), kind);
        let expected = json!({
            "id": event.id, "timestamp": written["timestamp"], "version": version,
            "cursor": event.position.encode(), "type": kind, "data": data,
        });
        assert_eq!(*written, expected);
    }
    assert_eq!(events.len(), 9);
    // The clock was set back, but the time of the order did not go back.
    let times: Vec<_> = written[1..]
        .iter()
        .map(|event| &event["timestamp"])
        .collect();
    let expected =
        [0, 1, 1, 5, 5, 5, 9, 9].map(|minutes| json!(petstore_models::DateTime::from(at(minutes))));
    assert_eq!(times, expected.iter().collect::<Vec<_>>());
    let ids: BTreeSet<_> = events.iter().map(|event| &event.id).collect();
    assert_eq!(ids.len(), events.len());
}

pub(crate) async fn a_change_that_is_rejected_or_repeated_has_no_event(store: AnyStore) {
    let pet = create(&store, "Rex", Some(PetStatus::Available)).await;
    let first = once::once(1, "order", at(0));
    let placed = store
        .create_order_once(new_order(pet.id), first.clone())
        .await;
    let Ok(Creation::Added(placed)) = placed else {
        panic!("{placed:?}");
    };
    once::create(
        &store,
        super::new_pet("Tom", None),
        once::once(1, "pet", at(0)),
    )
    .await;
    let before = now(&store).await;
    let repeated = store.create_order_once(new_order(pet.id), first).await;
    assert!(
        matches!(repeated, Ok(Creation::Repeated(_))),
        "{repeated:?}"
    );
    for name in ["Tom", "Tim"] {
        let key = once::once(1, "pet", at(0));
        let repeated = once::create(&store, super::new_pet(name, None), key).await;
        assert!(!matches!(repeated, Creation::Added(_)), "{repeated:?}");
    }
    let rejected = [
        store
            .create_order(new_order(pet.id), at(0))
            .await
            .is_ok_and(|result| result.is_err()),
        store
            .create_order(new_order(99), at(0))
            .await
            .is_ok_and(|result| result.is_err()),
        store
            .update_order(placed.id, OrderStatus::Delivered, at(0))
            .await
            .is_ok_and(|result| result.is_err()),
    ];
    assert_eq!(rejected, [true; 3]);
    assert_eq!(now(&store).await, before);
}

pub(crate) async fn pages_of_any_size_contain_each_event_exactly_once(store: AnyStore) {
    for number in 0..7 {
        create(&store, number.to_string(), None).await;
    }
    // Longer than a page may be.
    create(&store, "x".repeat(300 << 10), None).await;
    create(&store, "last", None).await;
    let all = follow(&store, EventsAfter::Number(0), ALL, 100).await;
    assert_eq!(all.len(), 9);
    for limit in [1, 2, 3, 9, 10] {
        assert_eq!(
            follow(&store, EventsAfter::Number(0), ALL, limit).await,
            all,
            "{limit}"
        );
    }
    for (number, event) in all.iter().enumerate() {
        let rest = follow(&store, EventsAfter::Event(event.position), ALL, 4).await;
        assert_eq!(rest, all[number + 1..]);
    }
}

pub(crate) async fn an_empty_page_of_some_types_advances_the_position(store: AnyStore) {
    let before = now(&store).await;
    create(&store, "Rex", None).await;
    let orders = [EventType::OrderPlaced, EventType::OrderUpdated];
    let page = list(&store, EventsAfter::Event(before), &orders, 10).await;
    let page = page.expect("a page");
    assert_eq!((page.events.len(), page.more), (0, false));
    assert_eq!(page.next, now(&store).await);
    let pet = create(&store, "Tom", Some(PetStatus::Available)).await;
    let placed = order(&store, pet.id).await;
    let met = follow(&store, EventsAfter::Event(page.next), &orders, 1).await;
    let met: Vec<_> = met.into_iter().map(|event| event.event).collect();
    assert!(
        matches!(met.as_slice(), [Event::OrderPlaced(event)] if event.data == placed),
        "{met:?}"
    );
}

pub(crate) async fn a_cursor_from_another_history_is_rejected_as_reset(store: AnyStore) {
    create(&store, "Rex", None).await;
    create(&store, "Tom", None).await;
    let last = now(&store).await;
    let others = [
        FeedCursor {
            incarnation: last.incarnation ^ 1,
            ..last
        },
        FeedCursor {
            position: last.position + 1,
            ..last
        },
        FeedCursor {
            position: -1,
            ..last
        },
        FeedCursor {
            check: last.check ^ 1,
            ..last
        },
        FeedCursor {
            position: 0,
            ..last
        },
    ];
    for other in others {
        let lost = list(&store, EventsAfter::Event(other), ALL, 10).await;
        assert_eq!(lost, Err(CursorLost::Reset), "{other:?}");
    }
}

pub(crate) async fn old_events_are_deleted_first_and_positions_are_never_reused(store: AnyStore) {
    let forget = async |minutes, limit| {
        let forgotten = store.forget_events(at(minutes), limit).await;
        forgotten.expect("a result")
    };
    for (number, minute) in [1, 2, 9, 3].into_iter().enumerate() {
        let key = once::once(1, &number.to_string(), at(minute));
        once::create(&store, super::new_pet("Rex", None), key).await;
    }
    let all = follow(&store, EventsAfter::Number(0), ALL, 100).await;
    assert_eq!(forget(1, 10).await, 0);
    assert_eq!(forget(5, 1).await, 1);
    // The third event is kept, and so is the fourth, although it is old.
    assert_eq!(forget(5, 10).await, 1);
    assert_eq!(forget(5, 10).await, 0);
    assert_eq!(
        follow(&store, EventsAfter::Number(0), ALL, 1).await,
        all[2..]
    );
    let after = |number: usize| EventsAfter::Event(all[number].position);
    assert_eq!(
        list(&store, after(0), ALL, 9).await,
        Err(CursorLost::Expired)
    );
    // A consumer at the last deleted event misses nothing.
    assert_eq!(follow(&store, after(1), ALL, 9).await, all[2..]);
    let mut other = all[1].position;
    other.check ^= 1;
    let lost = list(&store, EventsAfter::Event(other), ALL, 9).await;
    assert_eq!(lost, Err(CursorLost::Reset));
    assert_eq!(forget(99, 10).await, 2);
    assert_eq!(now(&store).await, all[3].position);
    assert_eq!(follow(&store, after(3), ALL, 9).await, []);
    create(&store, "Tom", None).await;
    let met = follow(&store, EventsAfter::Number(0), ALL, 9).await;
    assert_eq!(met.len(), 1);
    assert_eq!(met[0].position.position, all[3].position.position + 1);
}

pub(crate) async fn a_new_incarnation_begins_after_changes_without_events(store: AnyStore) {
    let pet = create(&store, "Rex", Some(PetStatus::Available)).await;
    let before = now(&store).await;
    store.record_events(true).await.expect("it is on already");
    assert_eq!(now(&store).await, before);
    store
        .record_events(false)
        .await
        .expect("it is switched off");
    assert!(!store.records_events());
    create(&store, "Tom", None).await;
    let placed = order(&store, pet.id).await;
    let updated = store
        .update_order(placed.id, OrderStatus::Approved, at(2))
        .await;
    assert_eq!(updated.expect("a result").expect("a step").version, Some(2));
    let key = once::once(1, "a", at(0));
    once::create(&store, super::new_pet("Tim", None), key).await;
    assert_eq!(now(&store).await, before);
    store.record_events(true).await.expect("it is switched on");
    assert!(store.records_events());
    let lost = list(&store, EventsAfter::Event(before), ALL, 10).await;
    assert_eq!(lost, Err(CursorLost::Reset));
    let after = now(&store).await;
    create(&store, "Kim", None).await;
    let met = follow(&store, EventsAfter::Event(after), ALL, 10).await;
    assert_eq!(met.len(), 1);
}

/// Some of these writes share a batch, and some have the same pet.
pub(crate) async fn concurrent_writers_lose_no_event(store: AnyStore) {
    let pet = create(&store, "Rex", Some(PetStatus::Available)).await;
    let begin = now(&store).await;
    let consumer = async {
        let (mut after, mut met) = (EventsAfter::Event(begin), Vec::new());
        while met.len() < 8 * 20 + 2 {
            let page = list(&store, after, ALL, 7).await.expect("a page");
            after = EventsAfter::Event(page.next);
            met.extend(page.events);
            // On SQLite, a read never waits, so this task must yield.
            tokio::task::yield_now().await;
        }
        met
    };
    let writer = async |number: usize| {
        for _ in 0..20 {
            create(&store, number.to_string(), None).await;
        }
        let order = store.create_order(new_order(pet.id), at(1)).await;
        order.expect("a result").is_ok()
    };
    let writers = join_all((0..8).map(writer));
    let (met, placed) = futures::join!(consumer, writers);
    assert_eq!(placed.iter().filter(|is_placed| **is_placed).count(), 1);
    assert_eq!(now(&store).await, met[met.len() - 1].position);
    let positions: Vec<_> = met.iter().map(|event| event.position.position).collect();
    let expected: Vec<_> = (begin.position + 1..).take(met.len()).collect();
    assert_eq!(positions, expected);
    let created = met.iter().filter_map(|event| match &event.event {
        Event::PetCreated(created) => Some(created.data.id),
        _ => None,
    });
    assert_eq!(created.collect::<BTreeSet<_>>().len(), 8 * 20);
}

pub(crate) async fn a_page_after_an_event_number_begins_with_the_next_event_that_still_exists(
    store: AnyStore,
) {
    for minute in 1..=4 {
        let pet = super::new_pet(minute.to_string(), None);
        let added = once::create(&store, pet, once::once(1, &minute.to_string(), at(minute)));
        assert!(matches!(added.await, Creation::Added(_)));
    }
    let all = follow(&store, EventsAfter::Number(0), ALL, 9).await;
    let number = |place: usize| EventsAfter::Number(all[place].position.position);
    assert_eq!(follow(&store, EventsAfter::Number(0), ALL, 2).await, all);
    assert_eq!(follow(&store, number(1), ALL, 9).await, all[2..]);
    assert_eq!(follow(&store, number(3), ALL, 9).await, []);
    let next = list(&store, number(3), ALL, 9).await.expect("a page").next;
    assert_eq!(next, all[3].position);
    let forgotten = store.forget_events(at(3), 9).await;
    assert_eq!(forgotten.expect("a result"), 2);
    for after in [EventsAfter::Number(0), number(0), number(1)] {
        assert_eq!(follow(&store, after, ALL, 9).await, all[2..]);
    }
    let forgotten = store.forget_events(at(9), 9).await;
    assert_eq!(forgotten.expect("a result"), 2);
    let page = list(&store, number(0), ALL, 9).await.expect("a page");
    assert_eq!((page.events.len(), page.next), (0, all[3].position));
}
