//! Tests the shutdown of the server without signals.

use crate::{
    raw::Request,
    running::{Running, With},
};
use openapi_dropshot_server::{Stopped, readiness::Phase};
use std::{pin::pin, time::Duration};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_waits_for_a_running_handler() {
    let running = Running::start(With::default()).await;
    let mut held = running.held().await;
    let mut stop = pin!(running.server.stop(Duration::from_secs(3600)));
    // The server starts to stop, and must wait.
    let waited = tokio::time::timeout(Duration::from_millis(50), stop.as_mut()).await;
    assert!(waited.is_err(), "{waited:?}");
    running.store.released.add_permits(1);
    assert_eq!(stop.await, Stopped::Finished);
    let response = held.response();
    assert_eq!(response.status, 404, "{response:?}");
    assert!(held.is_closed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_waits_for_a_handler_no_longer_than_the_grace_period() {
    let running = Running::start(With::default()).await;
    let _held = running.held().await;
    assert_eq!(
        running.server.stop(Duration::from_millis(50)).await,
        Stopped::CutOff
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn during_shutdown_new_requests_are_rejected_and_running_ones_finish() {
    let running = Running::start(With::default()).await;
    let mut held = running.held().await;
    let mut open = running.connect();
    open.write(Request::get("/v1/pets").key(&running.key).bytes());
    assert_eq!(open.response().status, 200);
    running.server.leave();
    assert_eq!(running.server.readiness().phase(), Phase::Leaving);
    running.still_responds();

    running.server.reject_new();
    open.write(Request::get("/v1/pets").key(&running.key).bytes());
    let response = open.response();
    let message = response.assert_error(503, "overloaded");
    assert!(message.contains("stopping"), "{message}");
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(response.header("connection"), Some("close"));
    assert!(open.is_closed());

    running.store.released.add_permits(1);
    assert_eq!(held.response().status, 404);
    let stopped = running.server.stop(Duration::from_secs(20)).await;
    assert_eq!(stopped, Stopped::Finished);
}
