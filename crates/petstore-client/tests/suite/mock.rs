//! Tests an application against a transport in memory.

use petstore_client::{
    Batch, Client, Error, NewPet, Pet,
    mock::{MockResponse, MockTransport},
    reqwest::Method,
};

/// The application.
async fn take_in(client: &Client, names: Vec<String>) -> Vec<Result<i64, Error>> {
    let report = Batch::new(names, |name| {
        client.create_pet().body(NewPet::new(7, name)).send()
    });
    let report = report.concurrency(1).run().await;
    let done = report.done.into_iter().map(|(_, pet)| Ok(pet.id));
    done.chain(report.failed.into_iter().map(|(_, error)| Err(error)))
        .collect()
}

fn client(service: &MockTransport) -> Client {
    Client::builder("http://petstore.example/v1")
        .api_key("the-key")
        .transport(service.clone())
        .build()
        .expect("it is valid")
}

#[tokio::test]
async fn an_application_is_tested_without_a_server() {
    let service = MockTransport::new();
    let rex: Pet = Pet::builder()
        .id(1)
        .name("Rex")
        .category_id(7)
        .status(petstore_client::PetStatus::Available)
        .build()
        .expect("it has all members");
    service.respond(MockResponse::no_connection());
    service.respond(MockResponse::json(201, &rex));
    service.respond(MockResponse::error(400, "invalid_request", "no name"));
    let results = take_in(&client(&service), vec!["Rex".to_owned(), String::new()]).await;
    assert_eq!(results.len(), 2);
    assert!(matches!(results[0], Ok(1)));
    assert!(matches!(&results[1], Err(error) if error.message() == "no name"));
    let requests = service.requests();
    assert_eq!(requests.len(), 3, "the first was sent again");
    assert_eq!(requests[0].path, "/v1/pets");
    assert_eq!(
        requests[1].body.as_ref(),
        br#"{"categoryId":7,"name":"Rex"}"#
    );
    assert!(!format!("{requests:?}").contains("the-key"));
}

#[tokio::test]
async fn a_request_for_which_the_mock_has_no_response_fails_with_an_error_that_names_the_request() {
    let service = MockTransport::new();
    service.respond_to(
        Method::GET,
        "/v1/pets",
        MockResponse::json(200, &Vec::<Pet>::new()),
    );
    let client = client(&service);
    for _ in 0..2 {
        assert!(
            client
                .list_pets()
                .send()
                .await
                .expect("a success")
                .is_empty()
        );
    }
    let error = client.create_pet().body(NewPet::new(7, "Rex")).send().await;
    let error = error.expect_err("there is no response");
    assert_eq!(
        error.message(),
        "the transport rejected `createPet` (the mock has no response to POST /v1/pets)"
    );
    assert_eq!((error.retries(), service.requests().len()), (0, 3));
}
