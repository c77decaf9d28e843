//! Tests more requests than the service accepts at once: further requests are rejected immediately,
//! and no request waits for another one to end.

use crate::{
    raw::{Connection, Request},
    running::{Running, With},
};
use openapi_dropshot_server::config::Limits;

fn one_at_a_time() -> With {
    let max_in_flight = 1.try_into().expect("not none");
    With {
        limits: Limits {
            max_in_flight,
            ..Limits::default()
        },
        ..With::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_without_a_free_permit_is_rejected_with_503_at_once() {
    let running = Running::start(one_at_a_time()).await;
    let mut held = running.held().await;
    let response = running.get("/v1/pets");
    let message = response.assert_error(503, "overloaded");
    assert!(message.contains("nothing was started"), "{message}");
    assert_eq!(response.header("retry-after"), Some("1"));
    // Requests that need no permit still get their usual responses.
    running
        .send(&Request::get("/v1/pets"))
        .assert_error(401, "unauthorized");
    running.get("/v1/none").assert_error(404, "not_found");

    running.store.released.add_permits(1);
    assert_eq!(held.response().status, 404);
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_returns_its_permit() {
    let running = Running::start(one_at_a_time()).await;
    drop(running.held().await);
    // The server notices the disconnection when the operating system reports it.
    while running.get("/v1/pets").status != 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_holds_no_permit_while_its_body_arrives() {
    let running = Running::start(one_at_a_time()).await;
    let begun: Vec<Connection> = (0..20)
        .map(|_| {
            let request = Request::post("/v1/pets", "{}")
                .key(&running.key)
                .header("Expect", "100-continue")
                .bytes();
            let mut connection = running.connect();
            connection.write(&request[..request.len() - 2]);
            assert_eq!(connection.head().0, 100, "its body is being read");
            connection
        })
        .collect();
    running.still_responds();
    drop(begun);
}
