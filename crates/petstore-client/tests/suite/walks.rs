//! Streams of pages and of pets: along the links, no further than asked for, and
//! to nobody else.

use crate::{
    clock::Passing,
    service::{KEY, Service, answer, json},
};
use futures::{StreamExt as _, TryStreamExt as _};
use petstore_client::{Client, ErrorKind, Pet, PetStatus};

fn pet(id: i64) -> String {
    format!(r#"{{"id":{id},"name":"Rex","categoryId":7}}"#)
}

/// A page with these pets, and a link to the next one.
fn page(ids: &[i64], link: Option<&str>) -> String {
    let pets: Vec<String> = ids.iter().map(|id| pet(*id)).collect();
    let link = link.map(|target| format!("link: <{target}>; rel=\"next\""));
    let headers: Vec<&str> = link.iter().map(String::as_str).collect();
    json("200 OK", &headers, &format!("[{}]", pets.join(",")))
}

fn three_pages() -> [String; 3] {
    [
        page(&[1, 2], Some("?limit=2&status=available&cursor=Mg%3D%3D")),
        // Filtered by somebody on the way, and still not the end.
        page(&[], Some("?limit=2&status=available&cursor=NA")),
        page(&[5], None),
    ]
}

#[tokio::test]
async fn a_stream_yields_what_is_on_all_pages() {
    let service = Service::answering(three_pages()).await;
    let client = service.client();
    let call = client.list_pets().status(PetStatus::Available).limit(2);
    let pets: Vec<Pet> = call.stream().try_collect().await.expect("all are answered");
    let ids: Vec<i64> = pets.iter().map(|pet| pet.id).collect();
    assert_eq!(ids, [1, 2, 5]);
    let lines: Vec<String> = service
        .requests()
        .iter()
        .map(|request| request.lines().next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            "GET /v1/pets?limit=2&status=available HTTP/1.1",
            "GET /v1/pets?limit=2&status=available&cursor=Mg%3D%3D HTTP/1.1",
            "GET /v1/pets?limit=2&status=available&cursor=NA HTTP/1.1",
        ]
    );
    let with_key = format!("authorization: Bearer {KEY}\r\n");
    assert!(
        service
            .requests()
            .iter()
            .all(|request| request.contains(&with_key))
    );
}

#[tokio::test]
async fn pages_come_one_by_one_with_their_cursors() {
    let service = Service::answering(three_pages()).await;
    let client = service.client();
    let mut pages = client.list_pets().pages();
    let mut met = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.expect("all are answered");
        met.push((
            page.len(),
            pages.cursor().map(str::to_owned),
            page.next_cursor().expect("the links are well-formed"),
        ));
    }
    let text = |cursor: &str| Some(cursor.to_owned());
    assert_eq!(
        met,
        [
            (2, None, text("Mg==")),
            (0, text("Mg=="), text("NA")),
            (1, text("NA"), None),
        ]
    );
    assert!(pages.next().await.is_none(), "the end is the end");
}

#[tokio::test]
async fn who_stops_asks_for_nothing_more() {
    let service = Service::answering(three_pages()).await;
    let client = service.client();
    let first = client.list_pets().stream().take(2).try_collect::<Vec<_>>();
    assert_eq!(first.await.expect("they are on the first page").len(), 2);
    assert_eq!(service.requests().len(), 1);
    let never_asked = client.list_pets().stream();
    drop(never_asked);
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_walk_that_breaks_begins_again_where_it_was() {
    let service = Service::answering([
        page(&[1, 2], Some("?cursor=two")),
        page(&[3, 4], Some("?cursor=four")),
        answer("404 Not Found", &[], ""),
        page(&[3, 4], Some("?cursor=four")),
        page(&[5], None),
    ])
    .await;
    let client = service.client();
    let mut pets = client.list_pets().stream();
    let mut ids = Vec::new();
    let error = loop {
        match pets.next().await.expect("it breaks before its end") {
            Ok(pet) => ids.push(pet.id),
            Err(error) => break error,
        }
    };
    assert_eq!(
        (error.status(), ids.as_slice()),
        (Some(404), [1, 2, 3, 4].as_slice())
    );
    assert!(
        pets.next().await.is_none(),
        "after an error there is nothing"
    );
    // From the page of the last pet on: some come twice, none is missed.
    let again = client
        .list_pets()
        .cursor(pets.cursor().expect("the second page has one"));
    let pets: Vec<Pet> = again
        .stream()
        .try_collect()
        .await
        .expect("all are answered");
    assert_eq!(pets.iter().map(|pet| pet.id).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(service.requests()[3].starts_with("GET /v1/pets?cursor=two "));
}

#[tokio::test]
async fn the_key_goes_to_no_other_origin() {
    let other = Service::answering([page(&[9], None)]).await;
    for target in [
        format!("{}/pets?cursor=x", other.base_url()),
        "//elsewhere.invalid/v1/pets?cursor=x".to_owned(),
        "https://127.0.0.1/v1/pets?cursor=x".to_owned(),
    ] {
        let service = Service::answering([page(&[1], Some(&target))]).await;
        let client = service.client();
        let mut pets = client.list_pets().stream();
        let first = pets.next().await.expect("there is a page");
        assert_eq!(
            first.expect("it is answered").id,
            1,
            "what was answered is not lost"
        );
        let error = pets.next().await.expect("the end is not silent");
        let error = error.expect_err("it is another origin");
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert!(error.message().contains("another origin"), "{error}");
        assert!(!error.to_string().contains("elsewhere"), "{error}");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_link_to_its_own_page_is_no_endless_walk() {
    let service = Service::answering([page(&[1], Some(""))]).await;
    let client = service.client();
    let outcome: Vec<_> = client.list_pets().stream().collect().await;
    assert!(matches!(outcome.as_slice(), [Ok(_), Err(_)]), "{outcome:?}");
}

#[tokio::test]
async fn each_page_is_tried_again_by_itself() {
    let service = Service::answering([
        String::new(),
        page(&[1], Some("?cursor=one")),
        answer("502 Bad Gateway", &[], ""),
        page(&[2], None),
    ])
    .await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    let pets: Vec<Pet> = client
        .list_pets()
        .stream()
        .try_collect()
        .await
        .expect("at last");
    assert_eq!(pets.iter().map(|pet| pet.id).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn a_bound_is_checked_before_the_first_page_is_asked_for() {
    let service = Service::answering(three_pages()).await;
    let client = service.client();
    for limit in [0, 101] {
        let outcome: Vec<_> = client.list_pets().limit(limit).stream().collect().await;
        let [Err(error)] = outcome.as_slice() else {
            panic!("not one error: {outcome:?}");
        };
        assert!(error.message().contains("from 1 to 100"), "{error}");
    }
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_stream_outlives_its_client_and_goes_between_threads() {
    let service = Service::answering(three_pages()).await;
    let pets = service.client().list_pets().stream();
    let ids = tokio::spawn(pets.map_ok(|pet| pet.id).try_collect::<Vec<_>>());
    let ids = ids.await.expect("no panic").expect("all are answered");
    assert_eq!(ids, [1, 2, 5]);
}
