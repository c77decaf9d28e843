//! Tests streams of pages and of their items: they follow the links, fetch each page only when it is needed, and
//! send the API key to no other server.

use crate::generated::{
    Client, ErrorKind,
    mock::{MockResponse, MockTransport},
    types::{Book, BookStatus},
};
use crate::{
    clock::Passing,
    service::{KEY, Service, client, json, response},
};
use futures::{StreamExt as _, TryStreamExt as _};
use std::time::Duration;

fn book(id: i64) -> String {
    format!(r#"{{"id":{id},"name":"Rex","categoryId":7}}"#)
}

/// A page with these books, and a link to the next one.
fn page(ids: &[i64], link: Option<&str>) -> String {
    let books: Vec<String> = ids.iter().map(|id| book(*id)).collect();
    let link = link.map(|target| format!("link: <{target}>; rel=\"next\""));
    let headers: Vec<&str> = link.iter().map(String::as_str).collect();
    json("200 OK", &headers, &format!("[{}]", books.join(",")))
}

fn three_pages() -> [String; 3] {
    [
        page(&[1, 2], Some("?limit=2&status=available&cursor=Mg%3D%3D")),
        // A proxy may have filtered the items of this page; it is still not the last page.
        page(&[], Some("?limit=2&status=available&cursor=NA")),
        page(&[5], None),
    ]
}

#[tokio::test]
async fn a_stream_yields_the_items_of_all_pages() {
    let service = Service::responding(three_pages()).await;
    let client = client(&service);
    let call = client.list_books().status(BookStatus::Available).limit(2);
    let books: Vec<Book> = call
        .stream()
        .try_collect()
        .await
        .expect("all pages are read");
    let ids: Vec<i64> = books.iter().map(|book| book.id).collect();
    assert_eq!(ids, [1, 2, 5]);
    let lines: Vec<String> = service
        .requests()
        .iter()
        .map(|request| request.lines().next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            "GET /v1/books?limit=2&status=available HTTP/1.1",
            "GET /v1/books?limit=2&status=available&cursor=Mg%3D%3D HTTP/1.1",
            "GET /v1/books?limit=2&status=available&cursor=NA HTTP/1.1",
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
async fn pages_are_yielded_one_by_one_with_their_cursors() {
    let service = Service::responding(three_pages()).await;
    let client = client(&service);
    let mut pages = client.list_books().pages();
    let mut met = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.expect("all pages are read");
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
async fn a_stream_that_is_dropped_fetches_no_further_page() {
    let service = Service::responding(three_pages()).await;
    let client = client(&service);
    let first = client.list_books().stream().take(2).try_collect::<Vec<_>>();
    assert_eq!(first.await.expect("they are on the first page").len(), 2);
    assert_eq!(service.requests().len(), 1);
    let never_asked = client.list_books().stream();
    drop(never_asked);
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_stream_whose_first_request_fails_keeps_its_cursor() {
    let failures = [(); 2].map(|()| response("404 Not Found", &[], ""));
    let service = Service::responding(failures).await;
    let client = client(&service);
    let mut books = client.list_books().cursor("saved").stream();
    assert_eq!(books.cursor(), Some("saved"));
    books.next().await.expect("a result").expect_err("it fails");
    assert_eq!(books.cursor(), Some("saved"));
    let mut pages = client.list_books().cursor("saved").pages();
    pages.next().await.expect("a result").expect_err("it fails");
    assert_eq!(pages.cursor(), Some("saved"));
}

#[tokio::test]
async fn a_stream_that_fails_continues_at_the_same_page() {
    let service = Service::responding([
        page(&[1, 2], Some("?cursor=two")),
        page(&[3, 4], Some("?cursor=four")),
        response("404 Not Found", &[], ""),
        page(&[3, 4], Some("?cursor=four")),
        page(&[5], None),
    ])
    .await;
    let client = client(&service);
    let mut books = client.list_books().stream();
    let mut ids = Vec::new();
    let error = loop {
        match books.next().await.expect("it breaks before its end") {
            Ok(book) => ids.push(book.id),
            Err(error) => break error,
        }
    };
    assert_eq!(
        (error.status(), ids.as_slice()),
        (Some(404), [1, 2, 3, 4].as_slice())
    );
    assert!(
        books.next().await.is_none(),
        "after an error there is nothing"
    );
    // The stream starts again with the page of the last book: some books are returned twice, and none is missed.
    let again = client
        .list_books()
        .cursor(books.cursor().expect("the second page has one"));
    let books: Vec<Book> = again
        .stream()
        .try_collect()
        .await
        .expect("all pages are read");
    assert_eq!(
        books.iter().map(|book| book.id).collect::<Vec<_>>(),
        [3, 4, 5]
    );
    assert!(service.requests()[3].starts_with("GET /v1/books?cursor=two "));
}

#[tokio::test]
async fn the_api_key_is_not_sent_to_another_origin() {
    let other = Service::responding([page(&[9], None)]).await;
    for target in [
        format!("{}/books?cursor=x", other.base_url()),
        "//elsewhere.invalid/v1/books?cursor=x".to_owned(),
        "https://127.0.0.1/v1/books?cursor=x".to_owned(),
    ] {
        let service = Service::responding([page(&[1], Some(&target))]).await;
        let client = client(&service);
        let mut books = client.list_books().stream();
        let first = books.next().await.expect("there is a page");
        assert_eq!(
            first.expect("it is read").id,
            1,
            "the items before the error are not lost"
        );
        let error = books.next().await.expect("the end is not silent");
        let error = error.expect_err("it is another origin");
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert!(error.message().contains("another origin"), "{error}");
        assert!(!error.to_string().contains("elsewhere"), "{error}");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_page_whose_next_link_leads_to_the_same_page_is_an_error() {
    let service = Service::responding([page(&[1], Some(""))]).await;
    let client = client(&service);
    let outcome: Vec<_> = client.list_books().stream().collect().await;
    assert!(matches!(outcome.as_slice(), [Ok(_), Err(_)]), "{outcome:?}");
}

#[tokio::test]
async fn each_page_has_its_own_retries() {
    let service = Service::responding([
        String::new(),
        page(&[1], Some("?cursor=one")),
        response("502 Bad Gateway", &[], ""),
        page(&[2], None),
    ])
    .await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    let books: Vec<Book> = client
        .list_books()
        .stream()
        .try_collect()
        .await
        .expect("at last");
    assert_eq!(books.iter().map(|book| book.id).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn each_page_of_a_stream_has_its_own_time_limit() {
    let service = MockTransport::new();
    let page = |id| {
        MockResponse::json(
            200,
            &[serde_json::json!({"id": id, "name": "Rex", "categoryId": 7})],
        )
    };
    let (first, last) = (page(1).header("link", "<?cursor=one>; rel=next"), page(2));
    let [first, last] = [first, last].map(|page| page.delay(Duration::from_secs(8)));
    service.respond(first);
    service.respond(last.clone());
    service.respond(last);
    let client = Client::builder("http://books.example/v1").transport(service);
    let client = client.build().expect("it is valid");
    let books = |seconds| {
        client
            .list_books()
            .timeout(Duration::from_secs(seconds))
            .stream()
    };
    let all: Result<Vec<Book>, _> = books(9).try_collect().await;
    assert_eq!(all.expect("two pages take 16 seconds").len(), 2);
    let error = books(7)
        .next()
        .await
        .expect("a result")
        .expect_err("one page takes 8 seconds");
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_limit_out_of_bounds_is_rejected_before_the_first_page_is_fetched() {
    let service = Service::responding(three_pages()).await;
    let client = client(&service);
    for limit in [0, 101] {
        let outcome: Vec<_> = client.list_books().limit(limit).stream().collect().await;
        let [Err(error)] = outcome.as_slice() else {
            panic!("not one error: {outcome:?}");
        };
        assert!(error.message().contains("from 1 to 100"), "{error}");
    }
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_stream_can_be_moved_to_a_task_and_outlives_its_client() {
    let service = Service::responding(three_pages()).await;
    let books = client(&service).list_books().stream();
    let ids = tokio::spawn(books.map_ok(|book| book.id).try_collect::<Vec<_>>());
    let ids = ids.await.expect("no panic").expect("all pages are read");
    assert_eq!(ids, [1, 2, 5]);
}
