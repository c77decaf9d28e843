//! Tests each fault as the client sees it.

use petstore_testing::{
    Fault, OperationId, Server,
    petstore_client::{Client, Error, ErrorCode, NewPet, RetryPolicy},
};
use std::time::{Duration, Instant};

const WAIT: Duration = Duration::from_secs(7);

async fn started() -> Server {
    Server::start().await.expect("a port is free")
}

/// A client without retries, which therefore shows each fault.
fn blunt(server: &Server) -> Client {
    Client::builder(server.url())
        .api_key(server.key())
        .no_proxy()
        .retry(RetryPolicy::never())
        .build()
        .expect("the address and the key are right")
}

async fn add(client: &Client) -> Result<(), Error> {
    let rex = NewPet::builder().name("Rex").category_id(7);
    client.create_pet().body(rex).send().await.map(drop)
}

/// Returns how many pets there are, without faults.
async fn pets(server: &Server) -> usize {
    server.clear_faults();
    let pets = blunt(server).list_pets().send().await;
    pets.expect("there are no faults now").len()
}

#[tokio::test]
async fn a_rejection_has_its_status_its_code_and_retry_after() {
    for (fault, status, code) in [
        (Fault::overloaded(WAIT), 503, ErrorCode::Overloaded),
        (Fault::unavailable(WAIT), 503, ErrorCode::Unavailable),
        (Fault::rate_limited(WAIT), 429, ErrorCode::RateLimited),
    ] {
        let server = started().await;
        server.inject(fault);
        let error = add(&blunt(&server)).await.expect_err("it is rejected");
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.code(), Some(&code));
        assert!(error.is_retryable(), "{error}");
        assert_eq!(error.retry_after(), Some(WAIT));
        assert_eq!(pets(&server).await, 0);
    }
}

#[tokio::test]
async fn the_injected_proxy_fault_responds_with_html() {
    let server = started().await;
    server.inject(Fault::bad_gateway());
    let error = add(&blunt(&server)).await.expect_err("it is rejected");
    assert_eq!((error.status(), error.code()), (Some(502), None));
    assert_eq!(pets(&server).await, 0);
}

#[tokio::test]
async fn a_slow_service_responds_after_its_delay() {
    let server = started().await;
    let slow = Duration::from_millis(200);
    server.inject(Fault::slow(slow));
    let begun = Instant::now();
    add(&blunt(&server)).await.expect("it is only slow");
    assert!(begun.elapsed() >= slow);
}

#[tokio::test]
async fn a_client_ends_a_call_to_a_service_that_is_too_slow() {
    let server = started().await;
    server.inject(Fault::slow(Duration::from_secs(3600)));
    let client = Client::builder(server.url())
        .api_key(server.key())
        .no_proxy()
        .timeout(Duration::from_millis(100))
        .build()
        .expect("the address and the key are right");
    let error = add(&client).await.expect_err("it takes an hour");
    assert_eq!(error.status(), None);
    assert_eq!(pets(&server).await, 0);
}

#[tokio::test]
async fn a_fault_can_close_the_connection_before_or_after_the_request_is_carried_out() {
    for (fault, done) in [
        (Fault::cut(), 0),
        (Fault::cut_before_the_answer(), 1),
        (Fault::truncated(), 1),
    ] {
        let server = started().await;
        server.inject(fault.clone());
        let error = add(&blunt(&server)).await.expect_err("no whole response");
        assert!(error.was_sent(), "{fault:?}: {error}");
        assert_eq!(pets(&server).await, done, "{fault:?}");
    }
}

#[tokio::test]
async fn a_truncated_response_ends_after_half_of_its_body() {
    let server = started().await;
    server.inject(Fault::truncated().on(OperationId::ListPets));
    add(&server.client())
        .await
        .expect("only lists are concerned");
    let request = reqwest::Client::new().get(format!("{}/pets", server.url()));
    let mut response = request
        .bearer_auth(server.key())
        .send()
        .await
        .expect("the head arrives");
    let whole = response.content_length().expect("it says how long it is");
    let first = response.chunk().await.expect("half of it arrives");
    let first = first.map_or(0, |part| part.len() as u64);
    assert_eq!(first, whole / 2);
    assert!(response.chunk().await.is_err(), "the rest is missing");
}

#[tokio::test]
async fn a_client_that_retries_adds_a_pet_only_once() {
    let server = started().await;
    let soon = Duration::ZERO;
    for fault in [
        Fault::overloaded(soon),
        Fault::cut_before_the_answer(),
        Fault::truncated(),
        Fault::rate_limited(soon),
    ] {
        server.inject(fault.on(OperationId::CreatePet).times(1));
    }
    add(&server.client())
        .await
        .expect("the fifth try gets through");
    assert_eq!(server.received(OperationId::CreatePet), 5);
    assert_eq!(pets(&server).await, 1);
}

#[tokio::test]
async fn a_fault_affects_only_the_requests_for_which_the_fault_was_set() {
    let server = started().await;
    let client = blunt(&server);
    server.inject(Fault::cut().on(OperationId::CreatePet).after(1).times(1));
    let mut added = Vec::new();
    for _ in 0..3 {
        client.list_pets().send().await.expect("lists are spared");
        added.push(add(&client).await.is_ok());
    }
    assert_eq!(added, [true, false, true]);
}

#[tokio::test]
async fn a_fault_may_have_any_status_and_code_even_unknown_ones() {
    for (status, code, known) in [
        (500, "internal_error", Some(ErrorCode::InternalError)),
        (401, "unauthorized", Some(ErrorCode::Unauthorized)),
        (409, "pet_is_asleep", None),
    ] {
        let server = started().await;
        server.inject(Fault::error(status, code).on(OperationId::CreatePet));
        let client = blunt(&server);
        let error = add(&client).await.expect_err("it is rejected");
        let unknown = ErrorCode::Unknown(code.to_owned());
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.code(), Some(&known.unwrap_or(unknown)));
        let others = client.list_pets().send().await;
        assert!(others.is_ok(), "it happens to one operation");
        assert_eq!(pets(&server).await, 0);
    }
}
