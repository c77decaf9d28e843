//! Tests the cursors of responses with links.

use crate::generated::{ErrorKind, types::BookStatus};
use crate::service::{REX, Service, client, json};

#[tokio::test]
async fn the_link_header_of_a_page_leads_to_the_next_page() {
    let link = r#"link: <../books>; rel="collection", <?limit=1&status=available&cursor=MTphOjI%3D>; rel="next""#;
    let service = Service::responding([
        json("200 OK", &[link], &format!("[{REX}]")),
        json("200 OK", &[], "[]"),
    ])
    .await;
    let client = client(&service);
    let first = client
        .list_books()
        .status(BookStatus::Available)
        .limit(1)
        .send()
        .await
        .expect("there is a page");
    let cursor = first
        .next_cursor()
        .expect("the link is well-formed")
        .expect("there is another page");
    assert_eq!(cursor, "MTphOjI=");
    let last = client
        .list_books()
        .status(BookStatus::Available)
        .limit(1)
        .cursor(cursor)
        .send()
        .await;
    assert_eq!(
        last.expect("there is a page")
            .next_cursor()
            .expect("there is no link"),
        None
    );
    assert!(
        service.requests()[1]
            .starts_with("GET /v1/books?cursor=MTphOjI%3D&limit=1&status=available ")
    );
}

#[tokio::test]
async fn an_invalid_link_is_an_error_and_not_the_end_of_the_list() {
    let service =
        Service::responding([json("200 OK", &["link: <?limit=1>; rel=next"], "[]")]).await;
    let page = client(&service)
        .list_books()
        .send()
        .await
        .expect("there is a page");
    let error = page
        .next_cursor()
        .expect_err("the walk would stop in silence");
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::Unreadable, Some(200))
    );
}
