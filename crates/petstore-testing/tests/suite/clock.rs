//! Tests the clock of the service: removal dates and rate limits.

use petstore_testing::{
    Server,
    petstore_client::{Client, Error, ErrorCode},
};
use std::{num::NonZeroU32, time::Duration};

const LAST_DAY: &str = "2030-12-04T12:00:00Z";
const REMOVED: &str = "2030-12-05T00:00:00Z";

/// The result of the call.
fn code(result: Result<(), Error>) -> Option<ErrorCode> {
    result.err().and_then(|error| error.code().cloned())
}

#[expect(deprecated, reason = "its removal is what is tested")]
async fn get(client: &Client) -> Option<ErrorCode> {
    code(client.get_pet().pet_id(1).send().await.map(drop))
}

#[tokio::test]
async fn an_operation_is_rejected_when_the_clock_passes_its_removal_date() {
    let server = Server::builder()
        .at(LAST_DAY.parse().expect("a time"))
        .enforce_sunsets()
        .start()
        .await
        .expect("a port is free");
    let client = server.client();
    assert_eq!(get(&client).await, Some(ErrorCode::NotFound));
    server.clock().set(REMOVED.parse().expect("a time"));
    assert_eq!(get(&client).await, Some(ErrorCode::OperationRemoved));
    server.clock().set(LAST_DAY.parse().expect("a time"));
    assert_eq!(get(&client).await, Some(ErrorCode::NotFound));
    server.clock().advance(Duration::from_secs(12 * 3600));
    assert_eq!(get(&client).await, Some(ErrorCode::OperationRemoved));
}

#[tokio::test]
async fn an_operation_responds_after_its_removal_date_if_removal_is_not_enforced() {
    let server = Server::start().await.expect("a port is free");
    server.clock().set(REMOVED.parse().expect("a time"));
    assert_eq!(get(&server.client()).await, Some(ErrorCode::NotFound));
}

#[tokio::test]
async fn a_rate_limit_recovers_as_the_clock_moves() {
    let one = NonZeroU32::MIN;
    let server = Server::builder()
        .rate_limit(one, one)
        .start()
        .await
        .expect("a port is free");
    // The client is not used, because it would wait until the rate limit allows the next request.
    let http = reqwest::Client::new();
    let list = async || {
        let request = http.get(format!("{}/pets", server.url()));
        let response = request.bearer_auth(server.key()).send().await;
        response.expect("a response").status().as_u16()
    };
    // Real time also passes, so several requests may be needed until one follows the previous one
    // too soon and is rejected.
    let mut limited = false;
    for _ in 0..1_000 {
        limited = limited || list().await == 429;
    }
    assert!(limited);
    server.clock().advance(Duration::from_secs(2));
    assert_eq!(list().await, 200);
}
