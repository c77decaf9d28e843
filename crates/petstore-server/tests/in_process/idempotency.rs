//! Tests `Idempotency-Key` with a slow store, with a clock that the test sets, and with a key that
//! another server uses. `tests/e2e` tests the other cases.

use crate::{
    faulty::{SECRET, pet},
    raw::{Connection, RawResponse, Request},
    running::{Running, Settable, With},
};
use chrono::TimeDelta;
use openapi_dropshot_server::config::Limits;
use std::sync::Arc;

fn body(category_id: i64) -> String {
    format!(r#"{{"name":"Rex","categoryId":{category_id}}}"#)
}

fn request(running: &Running, key: &str, category_id: i64) -> Request {
    Request::post("/v1/pets", body(category_id))
        .key(&running.key)
        .header("Idempotency-Key", key)
}

fn send(running: &Running, key: &str, category_id: i64) -> RawResponse {
    running.send(&request(running, key, category_id))
}

/// A creation that has reached the store and waits there.
async fn held(running: &Running, key: &str) -> Connection {
    let mut connection = running.connect();
    connection.write(request(running, key, pet::HELD).bytes());
    running
        .store
        .entered
        .acquire()
        .await
        .expect("never closed")
        .forget();
    connection
}

async fn with_deadline(seconds: &str) -> Running {
    let limits = Limits {
        request_deadline_seconds: seconds.parse().expect("valid"),
        ..Limits::default()
    };
    Running::start(With {
        limits,
        ..With::default()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_waits_for_the_first_and_gets_its_response() {
    let running = Running::start(With::default()).await;
    let mut first = held(&running, "a").await;
    let mut second = running.connect();
    second.write(request(&running, "\"a\"", pet::HELD).bytes());
    let mut other = running.connect();
    other.write(request(&running, "a", 7).bytes());
    // A request with another key does not wait.
    assert_eq!(send(&running, "b", 7).status, 201);
    // The first request continues; then the second one also reaches the store.
    running.store.released.add_permits(2);
    let first = first.response();
    assert_eq!(first.status, 201, "{first:?}");
    let second = second.response();
    assert_eq!((second.status, &second.body), (201, &first.body));
    other.response().assert_error(422, "idempotency_key_reused");
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_that_waits_too_long_for_the_first_gets_409_and_the_pet_is_created_once()
{
    let running = with_deadline("0.5").await;
    let mut first = held(&running, "a").await;
    let response = send(&running, "a", pet::HELD);
    let message = response.assert_error(409, "conflict");
    assert!(message.contains("`Idempotency-Key`"), "{message}");
    assert_eq!(response.header("retry-after"), Some("1"));
    // The client drops the first request, but the store still runs it, so its key is still in use.
    first.response().assert_error(503, "unavailable");
    send(&running, "a", pet::HELD).assert_error(409, "conflict");
    running.still_responds();

    running.store.released.add_permits(10);
    let again = send(&running, "a", pet::HELD);
    assert_eq!(again.status, 201, "{again:?}");
    let pets = running.get("/v1/pets").json();
    assert_eq!(pets, serde_json::json!([again.json()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_and_repeats_its_creation_gets_the_same_pet() {
    let running = Running::start(With::default()).await;
    drop(held(&running, "a").await);
    running.store.released.add_permits(10);
    let again = send(&running, "a", pet::HELD);
    assert_eq!(again.status, 201, "{again:?}");
    assert_eq!(
        running.get("/v1/pets").json(),
        serde_json::json!([again.json()])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_whose_key_another_server_is_using_is_retried_and_then_rejected_with_409() {
    let running = with_deadline("0.3").await;
    let message = send(&running, "a", pet::IN_FLIGHT).assert_error(409, "conflict");
    assert!(message.contains("still running"), "{message}");
    assert_eq!(send(&running, "a", 7).status, 201);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_creation_does_not_use_up_its_idempotency_key() {
    let running = Running::start(With::default()).await;
    let message = send(&running, "a", pet::PANICS).assert_error(500, "internal_error");
    assert!(!message.contains(SECRET), "{message}");
    send(&running, "a", pet::OVERLOADED).assert_error(503, "overloaded");
    assert_eq!(send(&running, "a", 7).status, 201);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idempotency_key_is_kept_for_a_day_on_the_clock_of_the_service() {
    let clock = Settable::at("2026-11-21T12:00:00Z");
    let running = Running::start(With {
        clock: Arc::clone(&clock) as _,
        ..With::default()
    })
    .await;
    let first = send(&running, "a", 7);
    assert_eq!(first.status, 201);
    let day = TimeDelta::days(1);
    for step in [day - TimeDelta::seconds(1), day * -3, day * 2] {
        clock.advance(step);
        assert_eq!(send(&running, "a", 7).body, first.body);
        send(&running, "a", 8).assert_error(422, "idempotency_key_reused");
    }
    clock.advance(day + TimeDelta::seconds(1));
    let second = send(&running, "a", 8);
    assert_eq!(second.status, 201);
    assert_ne!(second.body, first.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_idempotency_key_never_reaches_the_store_and_other_headers_are_ignored() {
    let running = Running::start(With::default()).await;
    let request = Request::post("/v1/pets", body(pet::OVERLOADED)).key(&running.key);
    let bad = request.clone().header("Idempotency-Key", "a b");
    running.send(&bad).assert_error(400, "invalid_request");
    // Bytes beyond ASCII in a header that the operation does not have.
    let odd = Request::post("/v1/pets", body(7))
        .key(&running.key)
        .header("User-Agent", "Zoë");
    assert_eq!(running.send(&odd).status, 201);
}
