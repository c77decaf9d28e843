//! Tests blocking calls.

use crate::generated::{ErrorKind, types::NewBook};
use crate::service::{REX, Service, client, json};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime can be made");
    let result = runtime.block_on(future);
    // The service continues in the background as long as the test runs.
    std::mem::forget(runtime);
    result
}

#[test]
fn books_are_added_and_listed_by_blocking_calls() {
    let link = "link: <?cursor=one>; rel=next";
    let service = run(Service::responding([
        json("201 Created", &[], REX),
        json("200 OK", &[link], &format!("[{REX}]")),
        json("200 OK", &[], &format!("[{REX}]")),
        json("200 OK", &[], "[]"),
    ]));
    let client = client(&service);
    let rex = NewBook::builder().name("Rex").category_id(7);
    let added = client.create_book().body(rex).send_blocking();
    assert_eq!(added.expect("added").id, 1);
    let mut books = client.list_books().stream().blocking();
    let names: Vec<String> = books
        .by_ref()
        .map(|book| book.expect("all pages are read").name)
        .collect();
    assert_eq!(names, ["Rex", "Rex"]);
    assert_eq!(books.cursor(), Some("one"));
    assert_eq!(client.list_books().pages().blocking().count(), 1);
    let error = client.list_books().limit(0).send_blocking();
    assert_eq!(error.expect_err("out of bounds").kind(), ErrorKind::Request);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_calls_work_on_a_thread_that_runs_async_code() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let books = client(&service).list_books().send_blocking();
    assert!(books.expect("it succeeds").is_empty());
}

#[test]
fn items_that_were_received_are_not_lost_when_the_stream_becomes_an_iterator() {
    let service = run(Service::responding([json(
        "200 OK",
        &[],
        &format!("[{REX},{REX},{REX}]"),
    )]));
    let client = client(&service);
    let mut books = client.list_books().stream();
    let first = run(books.next());
    assert!(first.is_some());
    assert_eq!(books.blocking().count(), 2);
}
