//! Tests faults inside the service: each results in a response with an `Error` body that reveals
//! nothing internal, and the server continues to work.

use crate::{
    faulty::{SECRET, pet},
    raw::Request,
    running::{Running, With, logged},
};
use openapi_dropshot_server::config::Limits;
use std::sync::atomic::Ordering;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_in_a_handler_gets_500_is_logged_and_does_not_stop_the_server() {
    let running = Running::start(With::default()).await;
    let mut connection = running.connect();
    let request = Request::get(&format!("/v1/pets/{}", pet::PANICS)).key(&running.key);
    connection.write(request.bytes());
    let response = connection.response();
    let message = response.assert_error(500, "internal_error");
    assert!(
        message.contains("`x-request-id`") && !message.contains(SECRET),
        "{message}"
    );
    assert_eq!(
        response.header("sunset"),
        Some("Thu, 05 Dec 2030 00:00:00 GMT")
    );

    let lines = logged(response.header("x-request-id").expect("an id")).join("\n");
    assert!(lines.contains("ERROR") && lines.contains(SECRET), "{lines}");
    let place = logged("panicked: ").join("\n");
    assert!(place.contains("faulty.rs:"), "{place}");

    // This connection and other connections still work.
    connection.write(Request::get("/v1/pets").key(&running.key).bytes());
    assert_eq!(connection.response().status, 200);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_during_the_look_up_of_a_key_gets_500_and_the_server_continues() {
    let running = Running::start(With::default()).await;
    running.store.key_panics.store(true, Ordering::SeqCst);
    let message = running.get("/v1/pets").assert_error(500, "internal_error");
    assert!(!message.contains(SECRET), "{message}");
    running.store.key_panics.store(false, Ordering::SeqCst);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store_errors_are_sent_as_codes_and_their_causes_are_only_logged() {
    let running = Running::start(With::default()).await;
    for (id, status, code) in [
        (pet::INTERNAL, 500, "internal_error"),
        (pet::CORRUPT, 500, "internal_error"),
        (pet::UNAVAILABLE, 503, "unavailable"),
        (pet::OVERLOADED, 503, "overloaded"),
    ] {
        let response = running.get_pet(id);
        let message = response.assert_error(status, code);
        assert!(!message.contains(SECRET), "{message}");
        if id != pet::OVERLOADED {
            let lines = logged(response.header("x-request-id").expect("an id")).join("\n");
            assert!(lines.contains(SECRET), "{lines}");
        }
    }
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_takes_too_long_gets_503_and_returns_its_permit() {
    let limits = Limits {
        request_deadline_seconds: "0.1".parse().expect("valid"),
        max_in_flight: 1.try_into().expect("not none"),
        ..Limits::default()
    };
    let running = Running::start(With {
        limits,
        ..With::default()
    })
    .await;
    let message = running.get_pet(pet::HELD).assert_error(503, "unavailable");
    assert!(
        message.contains("0.1 seconds") && message.contains("can be repeated"),
        "{message}"
    );
    running.still_responds();

    running.store.key_hangs.store(true, Ordering::SeqCst);
    running.get("/v1/pets").assert_error(503, "unavailable");
    running.store.key_hangs.store(false, Ordering::SeqCst);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_with_a_wrong_checksum_never_reaches_the_store() {
    let running = Running::start(With::default()).await;
    let mistyped = running.key.replacen("petstore_", "petstore_x", 1);
    let request = Request::get("/v1/pets").key(&mistyped[..running.key.len()]);
    running.send(&request).assert_error(401, "unauthorized");
    running
        .send(&Request::get("/v1/pets"))
        .assert_error(401, "unauthorized");
    assert_eq!(running.store.looked_up.load(Ordering::SeqCst), 0);
    running.still_responds();
    assert_eq!(running.store.looked_up.load(Ordering::SeqCst), 1);
}
