//! Tests the usage counters of deprecated operations: what is counted, what is written when the
//! server stops, and what is logged.

use crate::running::{At, Running, With, logged};
use petstore_store::Store as _;
use std::{sync::atomic::Ordering, time::Duration};

const NOON: &str = "2027-01-01T12:00:00Z";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_counts_are_stored_at_shutdown() {
    let with = With {
        clock: At::new(NOON),
        ..With::default()
    };
    let running = Running::start(with).await;
    for _ in 0..3 {
        assert_eq!(running.get_pet(1).status, 404);
    }
    assert_eq!(running.get("/v1/pets").status, 200);
    // A request without a key has no principal to count it for.
    let stranger = crate::raw::Request::get("/v1/pets/1");
    assert_eq!(running.send(&stranger).status, 401);

    let store = running.store.clone();
    running.server.stop(Duration::from_secs(20)).await;
    let ledger = store.usage().await.expect("the ledger");
    let keys = store.list_keys().await.expect("the keys");
    assert_eq!(ledger.len(), 1, "{ledger:?}");
    let row = &ledger[0];
    assert_eq!((&row.key, &*row.key_name), (&keys[0].id, "first"));
    assert_eq!((&*row.operation, row.calls), ("getPet", 3));
    let noon = NOON.parse().expect("a time");
    assert_eq!((row.first_seen, row.last_seen), (noon, noon));
    assert_eq!(keys[0].last_used_at, Some(noon));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_of_a_deprecated_operation_is_logged_once_per_day() {
    let running = Running::start(With::default()).await;
    for _ in 0..5 {
        running.get_pet(1);
    }
    let keys = running.store.list_keys().await.expect("the keys");
    let id = keys[0].id.as_str();
    let lines = logged("a deprecated operation is still called");
    let lines: Vec<_> = lines.iter().filter(|line| line.contains(id)).collect();
    // There are two lines if the test ran over midnight.
    assert!((1..=2).contains(&lines.len()), "{lines:?}");
    for said in ["WARN", "getPet", "05 Dec 2030", "`GET /pets`"] {
        assert!(lines[0].contains(said), "{said}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_counts_that_cannot_be_written_are_kept_until_they_are_written() {
    let running = Running::start(With::default()).await;
    let store = running.store.clone();
    store.usage_fails.store(true, Ordering::SeqCst);
    assert_eq!(running.get_pet(1).status, 404);
    // The writing is tried again, so the counts were kept.
    let twice = store.usage_failed.acquire_many(2);
    let twice = tokio::time::timeout(Duration::from_secs(20), twice).await;
    twice.expect("soon").expect("never closed").forget();
    assert_eq!(running.get_pet(1).status, 404, "requests do not wait");
    assert_eq!(store.usage().await.expect("the ledger"), []);

    store.usage_fails.store(false, Ordering::SeqCst);
    running.server.stop(Duration::from_secs(20)).await;
    let ledger = store.usage().await.expect("the ledger");
    assert_eq!(ledger.iter().map(|row| row.calls).sum::<u64>(), 2);
    // The failure is logged once, not at every attempt.
    let said = logged("the usage counters cannot be written");
    assert_eq!(said.len(), 1, "{said:?}");
}
