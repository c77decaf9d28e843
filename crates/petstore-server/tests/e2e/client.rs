//! Tests the real program with the real client and with the example programs.

use crate::process::Service;
use petstore_client::{Client, Error, ErrorCode, ErrorKind, NewPet, Pet, PetStatus};
use std::{env, path::Path, process::Command};

fn client_with(service: &Service, key: &str) -> Client {
    Client::builder(format!("http://{}/v1", service.address))
        .api_key(key)
        .build()
        .expect("the address and the key are well formed")
}

pub(crate) fn client_of(service: &Service) -> Client {
    client_with(service, &service.key)
}

async fn add(client: &Client, name: &str, status: Option<PetStatus>) -> Result<Pet, Error> {
    let mut pet = NewPet::builder().name(name).category_id(7);
    if let Some(status) = status {
        pet = pet.status(status);
    }
    let added = client.create_pet().body(pet).send().await?;
    Ok(added.into_inner())
}

fn names(pets: &[Pet]) -> Vec<&str> {
    pets.iter().map(|pet| pet.name.as_str()).collect()
}

#[tokio::test]
async fn a_pet_that_is_added_is_listed_and_fetched() {
    let service = Service::start();
    let client = client_of(&service);
    let empty = client.list_pets().send().await.expect("answered");
    assert!(empty.is_empty());
    assert_eq!(empty.next_cursor().expect("readable"), None);

    let rex = add(&client, "Rex", Some(PetStatus::Available))
        .await
        .expect("added");
    let tom = add(&client, "Tom", None).await.expect("added");
    assert_eq!((rex.name.as_str(), rex.category_id), ("Rex", 7));
    assert_eq!(rex.status, Some(PetStatus::Available));
    assert_eq!(tom.status, None);

    let all = client.list_pets().send().await.expect("answered");
    assert_eq!(names(&all), ["Rex", "Tom"]);
    assert_eq!((all[0].id, all[1].id), (rex.id, tom.id));
    let available = client.list_pets().status(PetStatus::Available);
    let available = available.send().await.expect("answered");
    assert_eq!(names(&available), ["Rex"]);

    #[expect(deprecated, reason = "a program that has not moved on yet")]
    let fetched = client.get_pet().pet_id(rex.id).send().await;
    let fetched = fetched.expect("answered");
    assert_eq!((fetched.id, fetched.name.as_str()), (rex.id, "Rex"));
    assert_eq!(fetched.headers()["sunset"], "Thu, 05 Dec 2030 00:00:00 GMT");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_the_client_return_each_pet_once_while_others_are_added() {
    let service = Service::start();
    let client = client_of(&service);
    let mut there = Vec::new();
    for number in 0..25 {
        let status = [PetStatus::Sold, PetStatus::Pending][number % 2].clone();
        there.push(add(&client, "there", Some(status)).await.expect("added").id);
    }
    let adding = tokio::spawn({
        let client = client_of(&service);
        async move {
            for number in 0..30 {
                let status = [None, Some(PetStatus::Sold)][number % 2].clone();
                add(&client, "later", status).await?;
            }
            Ok::<(), Error>(())
        }
    });

    for (status, every) in [(None, 1), (Some(PetStatus::Sold), 2)] {
        let mut met = Vec::new();
        let mut cursor = None;
        loop {
            let mut request = client.list_pets().limit(3);
            if let Some(status) = &status {
                request = request.status(status.clone());
            }
            if let Some(cursor) = cursor {
                request = request.cursor(cursor);
            }
            let page = request.send().await.expect("answered");
            assert!(page.len() <= 3);
            met.extend(page.iter().map(|pet| pet.id));
            cursor = page.next_cursor().expect("readable");
            if cursor.is_none() {
                break;
            }
        }
        assert!(met.is_sorted_by(|one, other| one < other), "{met:?}");
        let expected: Vec<i64> = there.iter().copied().step_by(every).collect();
        met.retain(|id| there.contains(id));
        assert_eq!(met, expected, "{status:?}");
    }
    adding.await.expect("no panic").expect("all were added");
}

#[tokio::test]
async fn errors_are_typed_and_have_the_request_id_of_the_log() {
    let service = Service::start();
    let client = client_of(&service);

    #[expect(deprecated, reason = "the shortest way to what is not found")]
    let missing = client.get_pet().pet_id(5).send().await;
    let error = missing.expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::Answer);
    assert_eq!(
        (error.code(), error.status()),
        (Some(&ErrorCode::NotFound), Some(404))
    );
    let logged = service.log.wait_for(error.request_id().expect("an id"));
    assert!(logged.contains("getPet"), "{logged}");

    let request = client.list_pets().cursor("no cursor");
    let error = request.send().await.expect_err("not a cursor");
    assert_eq!(
        (error.code(), error.status()),
        (Some(&ErrorCode::InvalidRequest), Some(400))
    );
    assert!(error.message().contains("`cursor`"), "{error}");

    let unknown = "petstore_00000000000000000000000000000000000000000002hcngJ";
    let stranger = client_with(&service, unknown);
    let rejected = stranger.list_pets().send().await;
    let error = rejected.expect_err("not a key of this store");
    assert_eq!(
        (error.code(), error.status()),
        (Some(&ErrorCode::Unauthorized), Some(401))
    );
    assert!(!format!("{error:?} {error}").contains(unknown), "{error:?}");
}

/// Returns the output of an example on stdout. Cargo builds it, as for a reader of the
/// documentation.
fn example(service: &Service, name: &str, arguments: &[&str]) -> String {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--locked", "--bin", name, "--"])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("PETSTORE_URL", format!("http://{}/v1", service.address))
        .env("PETSTORE_API_KEY", &service.key)
        .output()
        .expect("cargo is there");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_examples_of_the_client_print_the_expected_output() {
    let service = Service::start();
    assert_eq!(
        example(&service, "add_pet", &["Rex", "7", "available"]),
        "added Rex with the id 1\n"
    );
    assert_eq!(
        example(&service, "add_pet", &["Tom", "-7"]),
        "added Tom with the id 2\n"
    );
    assert_eq!(
        example(&service, "list_available", &[]),
        "1\tRex\n1 available\n"
    );
    assert_eq!(
        example(&service, "move_from_get_pet", &["1"]),
        "get_pet: Rex has the id 1\nlist_pets: Rex has the id 1\n"
    );
    assert_eq!(
        example(&service, "move_from_get_pet", &["2", "sold"]),
        "get_pet: Tom has the id 2\nlist_pets: there is no such pet\n"
    );
    assert_eq!(
        example(&service, "order_pet", &["1", "approved", "delivered"]),
        "order 1: placed\norder 1: approved\norder 1: delivered\n"
    );
}
