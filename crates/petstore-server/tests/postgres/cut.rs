//! Tests a connection that is reset or becomes silent around a commit: the client gets 503, and the
//! pet exists once or not at all.

use crate::{
    count_of,
    postgres::own,
    process::Service,
    raw::RawResponse,
    relay::{Loss, Relay},
};
use serde_json::json;

/// Creates a pet whose statement or response is lost in this way. Returns the response, and how
/// often the pet exists.
async fn create_and_lose(loss: Loss) -> Option<(RawResponse, usize)> {
    let cluster = own(&[]).await?;
    let database = cluster.database().await;
    let relay = Relay::start(&cluster).await;
    let (address, name) = (relay.address, database.name());
    let url = format!("postgres://postgres@{address}/{name}?sslmode=disable");
    let service = Service::start_with(&["--database", &url]);
    service.add("before", None);

    relay.lose("Rex the unlucky", loss);
    let pet = json!({"name": "Rex the unlucky", "categoryId": 7});
    let response = service.post(pet.to_string());
    // The service recovers by itself: reads were not affected, and the writer has a new connection.
    service.add("after", None);
    assert_eq!(
        (count_of(&service, "before"), count_of(&service, "after")),
        (1, 1)
    );
    Some((response, count_of(&service, "Rex the unlucky")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_reset_between_commit_and_response_gets_503_and_the_pet_is_created_once() {
    let Some((response, count)) = create_and_lose(Loss::RawResponse).await else {
        return;
    };
    response.assert_error(503, "unavailable");
    assert_eq!(count, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_goes_silent_after_the_commit_gets_503_and_the_pet_is_created_once() {
    let Some((response, count)) = create_and_lose(Loss::AnswerInSilence).await else {
        return;
    };
    response.assert_error(503, "unavailable");
    assert_eq!(count, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_reset_before_the_statement_gets_503_and_the_pet_is_not_created() {
    let Some((response, count)) = create_and_lose(Loss::Statement).await else {
        return;
    };
    response.assert_error(503, "unavailable");
    assert_eq!(count, 0);
}
