//! Shows how to test an application that uses `petstore-client`: with `petstore-testing`, it runs against the real service
//! with injected faults.

use petstore_client::{Client, Error, NewPet, PetStatus};
use petstore_testing::{Fault, OperationId, Server};
use std::time::Duration;

/// The application: offers a litter for adoption. Returns the number of pets that were added, and the error if one
/// occurred.
async fn put_up(client: &Client, names: &[&str]) -> (usize, Option<Error>) {
    for (done, name) in names.iter().enumerate() {
        let pet = NewPet::builder().name(*name).category_id(7);
        let pet = pet.status(PetStatus::Available);
        if let Err(error) = client.create_pet().body(pet).send().await {
            return (done, Some(error));
        }
    }
    (names.len(), None)
}

const LITTER: [&str; 3] = ["Rex", "Tom", "Ada"];

/// Removes the faults, and returns the names of all pets.
async fn names(server: &Server) -> Vec<String> {
    server.clear_faults();
    let pets = server.client().list_pets().send().await;
    let pets = pets.expect("there are no faults now");
    pets.iter().map(|pet| pet.name.clone()).collect()
}

#[tokio::test]
async fn all_pets_of_a_litter_are_added() {
    let server = Server::start().await.expect("a port is free");
    let (done, error) = put_up(&server.client(), &LITTER).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(done, 3);
    assert_eq!(names(&server).await, LITTER);
}

#[tokio::test]
async fn a_retry_after_a_lost_response_adds_no_second_pet() {
    let server = Server::start().await.expect("a port is free");
    let lost = Fault::cut_before_the_answer().on(OperationId::CreatePet);
    server.inject(lost.after(1).times(1));
    let (done, _) = put_up(&server.client(), &LITTER).await;
    assert_eq!(done, 3);
    assert_eq!(names(&server).await, LITTER);
    assert_eq!(server.received(OperationId::CreatePet), 4);
}

#[tokio::test]
async fn if_the_service_becomes_unavailable_the_program_stops_and_returns_how_many_pets_were_added()
{
    let server = Server::start().await.expect("a port is free");
    server.inject(Fault::unavailable(Duration::from_secs(3600)).after(2));
    let (done, error) = put_up(&server.client(), &LITTER).await;
    assert_eq!(done, 2);
    assert_eq!(error.and_then(|error| error.status()), Some(503));
    assert_eq!(names(&server).await, LITTER[..2]);
}
