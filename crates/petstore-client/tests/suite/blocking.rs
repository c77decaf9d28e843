//! The client for code that is not async.

use crate::service::{REX, Service, json};
use petstore_client::{ErrorKind, NewPet};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime can be made");
    let result = runtime.block_on(future);
    // The service goes on, in the background, for as long as the test runs.
    std::mem::forget(runtime);
    result
}

#[test]
fn pets_are_added_and_walked_through_without_async() {
    let link = "link: <?cursor=one>; rel=next";
    let service = run(Service::answering([
        json("201 Created", &[], REX),
        json("200 OK", &[link], &format!("[{REX}]")),
        json("200 OK", &[], &format!("[{REX}]")),
        json("200 OK", &[], "[]"),
    ]));
    let client = service.client();
    let rex = NewPet::builder().name("Rex").category_id(7);
    let added = client.create_pet().body(rex).send_blocking();
    assert_eq!(added.expect("added").id, 1);
    let mut pets = client.list_pets().stream().blocking();
    let names: Vec<String> = pets
        .by_ref()
        .map(|pet| pet.expect("all are answered").name)
        .collect();
    assert_eq!(names, ["Rex", "Rex"]);
    assert_eq!(pets.cursor(), Some("one"));
    assert_eq!(client.list_pets().pages().blocking().count(), 1);
    let error = client.list_pets().limit(0).send_blocking();
    assert_eq!(error.expect_err("out of bounds").kind(), ErrorKind::Request);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_works_on_a_thread_that_runs_async_code() {
    let service = Service::answering([json("200 OK", &[], "[]")]).await;
    let pets = service.client().list_pets().send_blocking();
    assert!(pets.expect("answered").is_empty());
}
