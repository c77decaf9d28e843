//! Tests that a consumer misses no event, even if transactions commit in another order than they begin.

use super::{pet, store};
use crate::postgres_server::shared;
use petstore_models::Event;
use petstore_store::{EventQuery, EventsAfter, Store};
use std::time::Duration;

/// Returns the names of the pets that were added after this position, and the next position.
async fn created(store: &dyn Store, after: EventsAfter) -> (Vec<String>, EventsAfter) {
    let query = EventQuery {
        after,
        types: Vec::new(),
        limit: 100,
    };
    let page = store
        .list_events(query)
        .await
        .expect("a page")
        .expect("a position");
    let name = |event| match event {
        Event::PetCreated(created) => created.data.name,
        other => panic!("{other:?}"),
    };
    let names = page.events.into_iter().map(|event| name(event.event));
    (names.collect(), EventsAfter::Event(page.next))
}

#[tokio::test]
async fn a_consumer_would_miss_an_event_if_positions_came_from_a_sequence() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let (one, two) = (database.client().await, database.client().await);
    let table = "CREATE TABLE naive (position bigint GENERATED ALWAYS AS IDENTITY, name text)";
    one.batch_execute(table).await.expect("a table");
    let add = |name: &str| format!("INSERT INTO naive (name) VALUES ('{name}')");
    let begun = format!("BEGIN; {}", add("slow"));
    one.batch_execute(&begun)
        .await
        .expect("it does not commit yet");
    two.batch_execute(&add("fast")).await.expect("it commits");
    let after = "SELECT position, name FROM naive WHERE position > $1 ORDER BY position";
    let page = two.query(after, &[&0_i64]).await.expect("a page");
    let position: i64 = page[0].get(0);
    assert_eq!((page.len(), page[0].get::<_, &str>(1)), (1, "fast"));
    one.batch_execute("COMMIT").await.expect("committed");
    let page = two.query(after, &[&position]).await.expect("a page");
    assert!(page.is_empty(), "the consumer never gets `slow`");
}

#[tokio::test]
async fn events_are_ordered_by_commits_even_if_a_transaction_commits_late() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    store.create_pet(pet("first")).await.expect("a pet");
    let (names, after) = created(&*store, EventsAfter::Number(0)).await;
    assert_eq!(names, ["first"]);
    // The statement of another server that commits late.
    let slow = database.client().await;
    let begun = "BEGIN;
        UPDATE event_head SET position = position + 1;
        INSERT INTO events SELECT position, sha256('slow'), 'pet.created', 0, 99, 1, '{\"name\":\"slow\",\"categoryId\":1}'
        FROM event_head";
    slow.batch_execute(begun)
        .await
        .expect("it does not commit yet");
    let fast = tokio::spawn({
        let store = store.clone();
        async move { store.create_pet(pet("fast")).await }
    });
    // Waits until the fast transaction waits for the slow one. Then the consumer reads between both commits.
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let look = database.client().await;
    while look
        .query_one(waits, &[])
        .await
        .expect("a row")
        .get::<_, i64>(0)
        == 0
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (names, after) = created(&*store, after).await;
    assert!(names.is_empty(), "{names:?}");
    slow.batch_execute("COMMIT").await.expect("committed");
    fast.await.expect("no panic").expect("a pet");
    let (names, _) = created(&*store, after).await;
    assert_eq!(names, ["slow", "fast"]);
}
