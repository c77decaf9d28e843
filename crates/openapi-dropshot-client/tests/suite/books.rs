//! Tests requests and responses in each form that a document can define.

use crate::generated::{
    BuildError, Client, Error, ErrorKind,
    types::{self, BookStatus},
};
use crate::service::{KEY, Service, client, json, response};
use futures::TryStreamExt as _;

#[tokio::test]
async fn a_list_in_the_query_is_sent_item_by_item() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let words = ["a b".to_owned(), "&".to_owned()];
    let client = client(&service);
    let request = client.list_books().word(words).limit(100);
    request.send().await.expect("it is a success");
    let request = &service.requests()[0];
    assert!(request.starts_with("GET /v1/books?"), "{request}");
    assert!(request.contains("word=a+b&word=%26"), "{request}");
    assert!(request.contains("limit=100"), "{request}");
    assert!(
        request.contains("accept: application/json\r\n"),
        "{request}"
    );
    assert!(
        request.contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{request}"
    );
    assert!(
        request.contains("user-agent: openapi-dropshot-client/"),
        "{request}"
    );
}

#[tokio::test]
async fn the_title_and_the_members_of_an_error_body_with_another_structure_can_be_read() {
    let body = r#"{"title":"no such shelf","status":404,"field":"shelf"}"#;
    let service = Service::responding([json("404 Not Found", &["x-request-id: r-1"], body)]).await;
    let client = client(&service);
    let request = client.remove_shelf().shelf("a/b").send();
    let error: Error = request.await.expect_err("it is not there");
    let request = &service.requests()[0];
    assert!(
        request.starts_with("DELETE /v1/shelves/a%2Fb "),
        "{request}"
    );
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::Answer, Some(404))
    );
    assert_eq!((error.message(), error.code()), ("no such shelf", None));
    let field = error.body().and_then(|body| body["field"].as_str());
    assert_eq!(field, Some("shelf"));
    assert_eq!(error.to_string(), "no such shelf (request r-1)");
}

#[tokio::test]
async fn the_code_and_the_message_of_a_nested_error_and_of_a_dropshot_error_are_read() {
    for (body, code, message) in [
        (
            r#"{"error":{"code":"full","message":"no room"}}"#,
            "full",
            "no room",
        ),
        (
            r#"{"error_code":"full","message":"no room","request_id":"r"}"#,
            "full",
            "no room",
        ),
    ] {
        let service = Service::responding([json("400 Bad Request", &[], body)]).await;
        let error = client(&service)
            .list_books()
            .send()
            .await
            .expect_err("it is an error");
        assert_eq!(error.code().map(String::as_str), Some(code), "{body}");
        assert_eq!(error.message(), message, "{body}");
    }
}

#[tokio::test]
async fn values_that_the_document_does_not_allow_are_rejected_before_anything_is_sent() {
    let service = Service::responding([]).await;
    let client = client(&service);
    let limit = client
        .list_books()
        .limit(101)
        .send()
        .await
        .expect_err("it is too much");
    assert_eq!(limit.message(), "`limit` must be from 1 to 100, found 101");
    let missing = client
        .remove_shelf()
        .send()
        .await
        .expect_err("the shelf is missing");
    assert_eq!(
        missing.message(),
        "`shelf` is required: set it with `shelf`"
    );
    let label = client
        .label_shelf()
        .shelf("a")
        .send()
        .await
        .expect_err("the label is missing");
    assert_eq!(label.message(), "the body is required: set it with `body`");
    let book = client
        .create_book()
        .body(types::NewBook::builder().name("Emma"));
    let book = book.send().await.expect_err("the category is missing");
    assert!(
        book.message().contains("`categoryId` is required"),
        "{book}"
    );
    let header = client.create_book().idempotency_key("a\nb");
    let header = header.body_map(|book| book.name("Emma").category_id(1));
    let header = header.send().await.expect_err("no header has line breaks");
    assert_eq!(
        header.message(),
        "`Idempotency-Key` cannot be sent in a header"
    );
    assert_eq!(service.requests().len(), 0);
}

#[tokio::test]
async fn an_enum_value_that_is_not_in_the_document_is_preserved_in_json_text_and_requests() {
    for (text, is_known) in [("lent", true), ("asleep", false)] {
        let received: BookStatus = serde_json::from_value(text.into()).expect("it is kept");
        assert_eq!(received.to_string(), text);
        assert_eq!(text.parse::<BookStatus>().expect(text), received);
        assert_eq!(BookStatus::try_from(text).expect(text), received);
        assert_eq!(matches!(received, BookStatus::Unknown(_)), !is_known);
    }
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let client = client(&service);
    let request = client.list_books().status("asleep").send();
    request.await.expect("the service knows it");
    let request = &service.requests()[0];
    assert!(request.contains("status=asleep "), "{request}");
}

#[tokio::test]
async fn text_bytes_and_forms_are_sent_and_read() {
    let service = Service::responding([
        response("204 No Content", &[], ""),
        response(
            "206 Partial Content",
            &["content-type: text/plain"],
            "Emma Woodhouse",
        ),
        json("200 OK", &[], "2"),
        response("204 No Content", &[], ""),
    ])
    .await;
    let client = client(&service);
    client
        .label_shelf()
        .shelf("a")
        .body("a text")
        .send()
        .await
        .expect("it is written");
    let text = client
        .read_shelf()
        .shelf("a")
        .send()
        .await
        .expect("each 2XX is a success");
    let chunks = text.into_inner().into_inner().try_collect::<Vec<_>>();
    assert_eq!(
        chunks.await.expect("it is read").concat(),
        b"Emma Woodhouse"
    );
    let search = client
        .search()
        .body(types::Search::builder().author("Jane Austen"));
    assert_eq!(search.send().await.expect("it is counted").into_inner(), 2);
    client
        .upload_cover()
        .body(vec![1_u8, 2])
        .send()
        .await
        .expect("it is stored");
    let requests = service.requests();
    for (request, media, body) in [
        (&requests[0], "text/plain", "a text"),
        (
            &requests[2],
            "application/x-www-form-urlencoded",
            "author=Jane+Austen",
        ),
        (&requests[3], "application/octet-stream", "\u{1}\u{2}"),
    ] {
        assert!(
            request.contains(&format!("content-type: {media}\r\n")),
            "{request}"
        );
        assert!(request.ends_with(&format!("\r\n\r\n{body}")), "{request}");
    }
}

#[test]
fn a_client_of_a_document_with_public_operations_needs_no_key() {
    assert!(Client::builder("http://localhost").build().is_ok());
    let client = Client::builder("http://localhost").api_key("a key").build();
    assert!(matches!(
        client,
        Err(BuildError::InvalidApiKey { position: 2 })
    ));
}
