//! Tests that statements find their rows by an index. A read is planned only once for each connection,
//! possibly while its table is so small that scanning it is cheaper.

use super::{key, pet, store};
use crate::{
    contract::once::once,
    fixtures::new_order,
    postgres_server::{own, shared},
};
use chrono::{DateTime, Utc};
use futures::future::join_all;
use openapi_dropshot_webhooks::{Claim, Finished, Next, Sent};
use petstore_models::{DeliveryStatus, EventType, OrderStatus, PetStatus};
use petstore_store::{
    DeliveryQuery, EndpointChange, EndpointId, EventQuery, EventsAfter, KeyHash, NewEndpoint,
    NewMessage, OrderQuery, PetQuery, Redeliver, Store,
};
use std::time::{Duration, Instant};

/// So few rows that the server would scan them.
const FEW: i64 = 20;
const PETS: i64 = 2_000;
/// The number of scans that the server must have counted before the test checks how many rows they read.
const SCANS: i64 = 20;
/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a page for each combination of the filters.
async fn read_pages(store: &dyn Store) {
    for status in [None, Some(PetStatus::Available)] {
        // All fields are named, so that a new filter is not forgotten here.
        let query = PetQuery {
            after: None,
            status,
            limit: 2,
        };
        store.list_pets(query).await.expect("a page");
    }
    for status in [None, Some(OrderStatus::Placed)] {
        for pet_id in [None, Some(1)] {
            let query = OrderQuery {
                before: None,
                status,
                pet_id,
                limit: 2,
            };
            store.list_orders(query).await.expect("a page");
        }
    }
}

/// Runs each statement on the tables that grow.
async fn run_all(store: &dyn Store) {
    let now = Utc::now();
    read_pages(store).await;
    store.pet(1).await.expect("a pet");
    store.order(1).await.expect("an order");
    store.create_pet(pet("Rex")).await.expect("a pet");
    let first = once(1, "pet", now);
    store
        .create_pet_once(pet("Rex"), first)
        .await
        .expect("a pet");
    let placed = store.create_order(new_order(1), now).await;
    let placed = placed.expect("a result").expect("an order");
    let second = once(1, "order", now);
    let ordered = store.create_order_once(new_order(2), second).await;
    ordered.expect("an order");
    let updated = store.update_order(placed.id, OrderStatus::Approved, now);
    updated.await.expect("a result").expect("an order");
    let forgotten = store.forget_idempotency_keys(now, 10).await;
    forgotten.expect("nothing is old");
    for types in [vec![], vec![EventType::OrderUpdated]] {
        let query = EventQuery {
            after: EventsAfter::Number(0),
            types,
            limit: 2,
        };
        let page = store.list_events(query).await.expect("a page");
        page.expect("the beginning");
    }
    let forgotten = store.forget_events(DateTime::UNIX_EPOCH, 10).await;
    forgotten.expect("nothing is old");
    store
        .find_key(&KeyHash::new([1; 32]))
        .await
        .expect("no key");
    store.check().await.expect("it works");
}

/// Runs each statement of webhooks. The endpoint 1 exists already and has deliveries.
async fn run_webhooks(store: &dyn Store) {
    let (now, own) = (Utc::now(), key(1).id);
    let (first, second) = (EndpointId::from_random(1), EndpointId::from_random(2));
    let new = NewEndpoint {
        id: second,
        key: own,
        url: "https://example.com".to_owned(),
        types: Vec::new(),
        description: None,
        master_id: String::new(),
        at: now,
    };
    store.create_endpoint(new, 9).await.expect("an endpoint");
    store
        .list_endpoints(Some(own))
        .await
        .expect("the endpoints");
    store.endpoint(own, second).await.expect("an endpoint");
    let url = "https://example.com".to_owned();
    let enable = store.change_endpoint(own, second, EndpointChange::Enable { url, seen: now }, now);
    enable.await.expect("an endpoint");
    let from = store.webhook_position().await.expect("the position");
    let message = NewMessage {
        id: String::new(),
        kind: "pet.created".to_owned(),
        payload: Vec::new(),
    };
    let made = store.add_deliveries(from, i64::MAX, vec![(i64::MAX, message.clone())], now);
    assert_eq!(made.await.expect("a result"), 2);
    let test = store.add_delivery(second, message, now);
    test.await.expect("a delivery");
    let claim = Claim {
        now,
        lease_until: now,
        limit: 5,
        per_endpoint: 2,
        failing: false,
        busy: Vec::new(),
    };
    let claimed = store.claim_deliveries(claim).await;
    let claimed = claimed.expect("the deliveries");
    assert_eq!(claimed.len(), 4);
    let (due, _) = &claimed[0];
    let finished = Finished {
        id: due.id,
        endpoint: due.endpoint.clone(),
        lease_until: now,
        at: now,
        sent: Sent::default(),
        next: Next::GivenUp,
        disable: None,
    };
    let finished = store.finish_delivery(finished, None);
    finished.await.expect("it is stored");
    for status in [None, Some(DeliveryStatus::Waiting)] {
        let query = DeliveryQuery {
            endpoint: first,
            before: None,
            status,
            limit: 2,
        };
        store.list_deliveries(query).await.expect("a page");
    }
    let since = Redeliver::Since {
        since: DateTime::UNIX_EPOCH,
        until: now,
    };
    for which in [Redeliver::One(due.id), since] {
        store.redeliver(first, which, now).await.expect("a number");
    }
    store.webhook_stats().await.expect("the numbers");
    let forgotten = store.forget_deliveries(DateTime::UNIX_EPOCH, 10).await;
    forgotten.expect("nothing is old");
    assert!(store.delete_endpoint(own, second).await.expect("a result"));
}

/// Returns the plans in the log of a server. The statement is the first line of each plan.
fn plans(log: &str) -> Vec<String> {
    let mut plans: Vec<String> = Vec::new();
    for line in log.lines() {
        match (line.strip_prefix('\t'), plans.last_mut()) {
            (Some(line), Some(plan)) => plan.extend([line, "\n"]),
            _ if line.ends_with("plan:") => plans.push(String::new()),
            _ => {}
        }
    }
    plans
}

#[tokio::test]
async fn each_statement_finds_its_rows_by_an_index() {
    let explain = [
        "shared_preload_libraries=auto_explain",
        "auto_explain.log_min_duration=0",
    ];
    let Some(cluster) = own(&explain).await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let db = database.client().await;
    let rows = "INSERT INTO pets (name, category_id, status)
             SELECT 'Rex', number, 'available' FROM generate_series(1, 20000) AS number;
         INSERT INTO orders (pet_id, status, placed_at, updated_at)
             SELECT number, 'delivered', 0, 0 FROM generate_series(1, 20000) AS number;
         INSERT INTO idempotency_keys (key_id, key, fingerprint, made_id, created_at)
             SELECT 'k', number, decode(repeat('01', 32), 'hex'), number, 9000000000000000 FROM generate_series(1, 20000) AS number;
         INSERT INTO events SELECT number, decode(repeat('01', 16), 'hex'), 'pet.status_changed', 0, 1, 1, '{\"status\":\"sold\"}'
             FROM generate_series(1, 20000) AS number;
         UPDATE event_head SET position = 20000;
         INSERT INTO webhook_endpoints (id, key_id, slot, url, types, status, generation, master_id, created_at, updated_at, from_position)
             VALUES ('we_100000000000', 'k_100000000000', 1, 'https://example.com', '', 'enabled', 1, '', 0, 0, 0);
         INSERT INTO webhook_deliveries (endpoint_id, message_id, type, payload, created_at, status, tries, due_at)
             SELECT 'we_100000000000', number, 'pet.created', '', number,
                 CASE WHEN number % 500 = 0 THEN 'waiting' WHEN number % 500 = 1 THEN 'given_up' ELSE 'delivered' END, 0, number
             FROM generate_series(1, 20000) AS number;
         ANALYZE";
    db.batch_execute(rows).await.expect("rows");
    store.create_key(key(1)).await.expect("a key");
    let before = cluster.log().len();
    run_all(&*store).await;
    run_webhooks(&*store).await;
    let plans = plans(&cluster.log()[before..]);
    assert!(plans.len() > 30, "{plans:#?}");
    for plan in plans {
        for table in [
            "pets",
            "orders",
            "idempotency_keys",
            "events",
            "webhook_deliveries",
        ] {
            // This statement only checks whether there is a row, so it may scan.
            let is_first_row = plan.contains("EXISTS (SELECT 1 FROM pets)");
            let scan = format!("Seq Scan on {table} ");
            assert!(is_first_row || !plan.contains(&scan), "{plan}");
        }
        // A claim of deliveries has a filter, because it checks the locked rows again.
        let is_page = plan.contains(" LIMIT $") && !plan.contains("FOR UPDATE");
        let mut filters = plan.lines().filter(|line| line.contains("Filter: "));
        assert!(
            !is_page || filters.all(|line| !line.contains(" = ") && !line.contains("ROW(")),
            "no index has the rows of this page:\n{plan}"
        );
    }
}

#[tokio::test]
async fn a_page_query_that_was_planned_for_a_small_table_uses_an_index() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    let db = database.client().await;
    join_all((0..FEW).map(|_| store.create_pet(pet("Rex")))).await;
    db.batch_execute("ANALYZE pets").await.expect("statistics");
    join_all((0..20).map(|_| read_pages(&*store))).await;
    join_all((0..PETS).map(|_| store.create_pet(pet("Rex")))).await;
    // The server updates its statistics with a delay.
    let begin = Instant::now();
    let rows = loop {
        read_pages(&*store).await;
        let counts =
            "SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0), coalesce(seq_tup_read, 0)
             FROM pg_stat_user_tables WHERE relname = 'pets' AND n_live_tup > 0";
        let counted = db.query_opt(counts, &[]).await.expect("the counts");
        if let Some(counted) = counted.filter(|counted| counted.get::<_, i64>(0) > SCANS) {
            break counted.get::<_, i64>(1);
        }
        assert!(begin.elapsed() < PATIENCE, "no scan is counted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(rows, 0, "rows were read without an index");
}
