//! Tests orders that several servers place at the same time, and an order whose
//! pet, key or row cannot be written.

use super::{outcome, pet, store};
use crate::{
    fixtures::new_order,
    postgres_server::{Database, shared},
};
use chrono::DateTime;
use futures::future::join_all;
use petstore_models::{NewPet, Order, OrderStatus, PetStatus};
use petstore_store::{
    Creation, KeyId, NotOrdered, NotUpdated, Once, OrderQuery, Outcome, Store, StoreError,
};
use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::sleep;

fn once(key: &str) -> Once {
    Once {
        key_id: KeyId::from_random(1),
        key: key.to_owned().try_into().expect("a key"),
        at: DateTime::UNIX_EPOCH,
    }
}

async fn available(store: &Arc<dyn Store>) -> i64 {
    let pet = NewPet {
        status: Some(PetStatus::Available),
        ..pet("Rex")
    };
    store.create_pet(pet).await.expect("a pet").id
}

/// Places an order. Tries again while another server uses the key.
async fn order_once(
    store: &Arc<dyn Store>,
    pet_id: i64,
    key: &str,
) -> Result<Creation<Order, NotOrdered>, StoreError> {
    loop {
        match store.create_order_once(new_order(pet_id), once(key)).await {
            Ok(Creation::InFlight) => sleep(Duration::from_millis(1)).await,
            created => return created,
        }
    }
}

async fn orders_of(store: &Arc<dyn Store>, pet_id: i64) -> Vec<Order> {
    let query = OrderQuery {
        before: None,
        status: None,
        pet_id: Some(pet_id),
        limit: 100,
    };
    store.list_orders(query).await.expect("a page").orders
}

async fn three(database: &Database<'_>) -> [Arc<dyn Store>; 3] {
    [
        store(database).await,
        store(database).await,
        store(database).await,
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_orders_with_one_key_on_several_servers_place_one_order_and_replay_its_response()
{
    let Some(cluster) = shared().await else {
        return;
    };
    let stores = three(&cluster.database().await).await;
    for round in 0..60 {
        let pet_id = available(&stores[0]).await;
        let key = format!("round {round}");
        let asked = stores.iter().map(|store| order_once(store, pet_id, &key));
        // No client gets "not available", because all of them place the same order.
        let mut added = 0;
        for created in join_all(asked).await {
            match created.expect("a result") {
                Creation::Added(_) => added += 1,
                Creation::Repeated(_) => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(added, 1);
        assert_eq!(orders_of(&stores[1], pet_id).await.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_server_succeeds_if_several_servers_cancel_the_same_order() {
    let Some(cluster) = shared().await else {
        return;
    };
    let stores = three(&cluster.database().await).await;
    for _ in 0..60 {
        let pet_id = available(&stores[0]).await;
        let at = DateTime::UNIX_EPOCH;
        let placed = stores[0].create_order(new_order(pet_id), at).await;
        let id = placed.expect("a result").expect("an order").id;
        let ends = stores
            .iter()
            .map(|store| store.update_order(id, OrderStatus::Cancelled, at));
        let again = stores
            .iter()
            .map(|store| store.create_order(new_order(pet_id), at));
        let (ends, again) = tokio::join!(join_all(ends), join_all(again));
        let ended: Vec<_> = ends
            .into_iter()
            .filter_map(|end| end.expect("a result").err())
            .collect();
        let from = OrderStatus::Cancelled;
        assert_eq!(ended, [NotUpdated::NoStep { from }; 2]);
        let again = again
            .into_iter()
            .filter_map(|one| one.expect("a result").ok())
            .count();
        assert!(again <= 1, "{again} orders are open for one pet");
        assert_eq!(orders_of(&stores[1], pet_id).await.len(), 1 + again);
    }
}

#[tokio::test]
async fn an_order_for_a_locked_pet_succeeds_after_a_rollback_and_is_rejected_after_a_commit() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let pet_id = available(&store).await;
    let watch = database.client().await;
    for (end, status) in [("ROLLBACK", None), ("COMMIT", Some(PetStatus::Sold))] {
        let db = database.client().await;
        let change = format!("BEGIN; UPDATE pets SET status = 'sold' WHERE id = {pet_id}");
        db.batch_execute(&change).await.expect("locked");
        let locked = watch.query_one("SELECT clock_timestamp()", &[]).await;
        let locked: SystemTime = locked.expect("a time").get(0);
        let other = Arc::clone(&store);
        let asked = tokio::spawn(async move {
            other
                .create_order(new_order(pet_id), DateTime::UNIX_EPOCH)
                .await
        });
        let tried =
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%INTO orders%' AND query_start > $1
            AND datname = current_database() AND pid <> pg_backend_pid()";
        while watch
            .query(tried, &[&locked])
            .await
            .expect("a result")
            .is_empty()
        {
            sleep(Duration::from_millis(2)).await;
        }
        db.batch_execute(end).await.expect("over");
        let result = asked.await.expect("no panic").expect("a result");
        match status {
            None => {
                let id = result.expect("the pet is free").id;
                let cancelled =
                    store.update_order(id, OrderStatus::Cancelled, DateTime::UNIX_EPOCH);
                cancelled.await.expect("a result").expect("a step");
            }
            Some(_) => assert_eq!(result, Err(NotOrdered::NotAvailable(status))),
        }
    }
}

/// If the orders waited for their locks, they would wait one after the other.
#[tokio::test]
async fn writes_do_not_wait_for_orders_with_locked_rows() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let at = DateTime::UNIX_EPOCH;
    let mut pets = Vec::new();
    for _ in 0..24 {
        pets.push(available(&store).await);
    }
    let free = available(&store).await;
    let mut orders = Vec::new();
    for pet_id in &pets[..2] {
        let placed = store.create_order(new_order(*pet_id), at).await;
        orders.push(placed.expect("a result").expect("an order").id);
    }
    let db = database.client().await;
    let lock = format!(
        "BEGIN; SELECT FROM orders WHERE id = {} FOR UPDATE; SELECT FROM pets WHERE id BETWEEN {} AND {} FOR UPDATE",
        orders[0], pets[1], pets[23],
    );
    db.batch_execute(&lock).await.expect("locked");

    let new = |pet_id: &i64| store.create_order(new_order(*pet_id), at);
    let cancel = |id: &i64| store.update_order(*id, OrderStatus::Cancelled, at);
    let mut locked = pin!(async {
        tokio::join!(
            join_all(pets[2..23].iter().map(new)),
            join_all(orders.iter().map(cancel)),
            store.create_order_once(new_order(pets[23]), once("a")),
        )
    });
    // All orders are queued before the first one runs.
    let placed = tokio::select! {
        biased;
        ended = &mut locked => panic!("the rows are locked: {ended:?}"),
        placed = new(&free) => placed,
    };
    placed.expect("a result").expect("the pet is free");
    db.batch_execute("ROLLBACK").await.expect("over");
    let (placed, cancelled, once_placed) = locked.await;
    for placed in placed {
        placed.expect("a result").expect("an order");
    }
    for cancelled in cancelled {
        let status = cancelled.expect("a result").expect("an order").status;
        assert_eq!(status, OrderStatus::Cancelled);
    }
    let Ok(Creation::Added(order)) = once_placed else {
        panic!("{once_placed:?}")
    };
    let repeated = order_once(&store, pets[23], "a").await;
    assert_eq!(repeated.expect("a result"), Creation::Repeated(order));
    for pet_id in &pets {
        assert_eq!(orders_of(&store, *pet_id).await.len(), 1);
    }
}

#[tokio::test]
async fn a_pet_and_its_order_change_together_or_not_at_all() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let pet_id = available(&store).await;
    let db = database.client().await;
    let function = "CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'for the test'; END $$";
    db.batch_execute(function).await.expect("a function");
    let status = async || {
        store
            .pet(pet_id)
            .await
            .expect("a result")
            .and_then(|pet| pet.status)
    };
    for table in ["orders", "idempotency_keys"] {
        let trigger = format!(
            "CREATE TRIGGER no_order BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION reject()"
        );
        db.batch_execute(&trigger).await.expect("a trigger");
        let rejected = order_once(&store, pet_id, "a").await;
        assert!(
            matches!(rejected, Err(StoreError::Internal { .. })),
            "{rejected:?}"
        );
        assert_eq!(status().await, Some(PetStatus::Available));
        assert!(orders_of(&store, pet_id).await.is_empty());
        db.batch_execute(&format!("DROP TRIGGER no_order ON {table}"))
            .await
            .expect("dropped");
    }
    let Ok(Creation::Added(placed)) = order_once(&store, pet_id, "a").await else {
        panic!("nothing is in the way")
    };
    let trigger =
        "CREATE TRIGGER no_pet BEFORE UPDATE ON pets FOR EACH ROW EXECUTE FUNCTION reject()";
    db.batch_execute(trigger).await.expect("a trigger");
    let rejected = store
        .update_order(placed.id, OrderStatus::Cancelled, DateTime::UNIX_EPOCH)
        .await;
    assert!(
        matches!(rejected, Err(StoreError::Internal { .. })),
        "{rejected:?}"
    );
    assert_eq!(status().await, Some(PetStatus::Pending));
    assert_eq!(orders_of(&store, pet_id).await, [placed]);
}

/// After a failover, a store must leave a server that no longer accepts writes, even if it only
/// writes orders.
#[tokio::test]
async fn a_connection_to_a_read_only_server_is_replaced() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let pet_id = available(&store).await;
    let at = DateTime::UNIX_EPOCH;
    let placed = store.create_order(new_order(pet_id), at).await;
    let id = placed.expect("a result").expect("an order").id;
    // The server rejects writes on connections that are open now, but not on new ones.
    let db = database.client().await;
    let only_read = "CREATE FUNCTION only_read() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF pg_backend_pid() IN (SELECT pid FROM old) THEN
            RAISE 'for the test' USING ERRCODE = 'read_only_sql_transaction';
        END IF; RETURN NEW; END $$;
        CREATE TABLE old AS SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
        CREATE TRIGGER only_read BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION only_read()";
    db.batch_execute(only_read).await.expect("a trigger");
    // Each of the two lanes may fail once.
    let mut rejected = 0;
    let updated = loop {
        let updated = store.update_order(id, OrderStatus::Approved, at).await;
        match outcome(&updated) {
            Some(Outcome::NotApplied) if rejected < 2 => rejected += 1,
            _ => break updated,
        }
    };
    let updated = updated.expect("a result").expect("a step");
    assert_eq!(updated.status, OrderStatus::Approved);
    assert!(rejected > 0, "the connections are new");
}
