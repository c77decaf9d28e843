//! A generated client of a small document compiles without code of its own, and its requests and responses pass through
//! this crate as the document says.

#[rustfmt::skip]
mod generated;
mod server;

use futures::TryStreamExt as _;
use generated::{BuildError, Client, Error, ErrorKind, RetryPolicy, types};
use server::{Server, json, response};

fn client(server: &Server) -> Client {
    Client::builder(server.base_url())
        .retry(RetryPolicy::never())
        .build()
        .expect("no operation needs an API key")
}

const EMMA: &str = r#"{"id":"b1","title":"Emma","shelf":"prose"}"#;

#[tokio::test]
async fn parameters_are_sent_in_the_query_and_pages_are_followed() {
    let link = "link: <?shelf=prose&cursor=two>; rel=\"next\"";
    let server = Server::responding([
        json("200 OK", &[link], &format!("[{EMMA}]")),
        json("200 OK", &[], r#"[{"id":"b2","title":"Ulysses","shelf":"epic"}]"#),
    ])
    .await;
    let client = client(&server);
    let request = client
        .list_books()
        .word(["a b".to_owned(), "&".to_owned()])
        .shelf(types::Shelf::Prose)
        .limit(50);
    let books: Vec<types::Book> = request.stream().try_collect().await.expect("both pages are read");
    assert_eq!(books[1].shelf, Some(types::Shelf::Unknown("epic".to_owned())));
    let requests = server.requests();
    let first = &requests[0];
    assert!(first.starts_with("GET /v2/books?"), "{first}");
    for part in ["word=a+b&word=%26", "shelf=prose", "limit=50"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(first.contains("accept: application/json\r\n"), "{first}");
    assert!(!first.contains("authorization"), "{first}");
    assert!(first.contains("user-agent: openapi-dropshot-client/"), "{first}");
    assert!(requests[1].starts_with("GET /v2/books?shelf=prose&cursor=two "), "{}", requests[1]);
}

#[tokio::test]
async fn a_body_is_sent_with_an_idempotency_key_of_its_own() {
    let server = Server::responding([json("201 Created", &[], EMMA), json("201 Created", &[], EMMA)]).await;
    let client = client(&server);
    let book = types::NewBook::builder().title("Emma");
    let added = client.add_book().body(book.clone()).send().await.expect("it is added");
    assert_eq!((added.id.as_str(), added.status().as_u16()), ("b1", 201));
    let own = client.add_book().idempotency_key("k-1").body_map(|book| book.title("Emma"));
    own.send().await.expect("it is added");
    let requests = server.requests();
    assert!(requests[0].ends_with("\r\n\r\n{\"title\":\"Emma\"}"), "{}", requests[0]);
    let key = |request: &str| {
        let line = request.lines().find(|line| line.starts_with("idempotency-key: "));
        line.map(str::to_owned).expect("the key is sent")
    };
    assert_eq!(key(&requests[0]).len(), "idempotency-key: ".len() + 36);
    assert_eq!(key(&requests[1]), "idempotency-key: k-1");
}

#[tokio::test]
async fn an_error_body_of_another_shape_gives_its_title_and_its_members() {
    let body = r#"{"title":"no such book","status":404,"field":"bookId"}"#;
    let server = Server::responding([json("404 Not Found", &["x-request-id: r-1"], body)]).await;
    let client = client(&server);
    let error: Error = client.remove_book().book_id("a/b").send().await.expect_err("it is not there");
    assert!(server.requests()[0].starts_with("DELETE /v2/books/a%2Fb "), "{}", server.requests()[0]);
    assert_eq!((error.kind(), error.status()), (ErrorKind::Answer, Some(404)));
    assert_eq!((error.message(), error.code()), ("no such book", None::<&String>));
    assert_eq!(error.body().and_then(|body| body["field"].as_str()), Some("bookId"));
    assert_eq!(error.to_string(), "no such book (request r-1)");
}

#[tokio::test]
async fn values_that_the_document_does_not_allow_are_rejected_before_anything_is_sent() {
    let server = Server::responding([]).await;
    let client = client(&server);
    let message = |error: Error| error.message().to_owned();
    let limit = client.list_books().limit(51).send().await.expect_err("it is too much");
    assert_eq!(message(limit), "`limit` must be from 1 to 50, found 51");
    let missing = client.remove_book().send().await.expect_err("the id is missing");
    assert_eq!(message(missing), "`bookId` is required: set it with `book_id`");
    let title = client.add_book().body(types::NewBook::builder().title("")).send().await;
    assert!(message(title.expect_err("it is too short")).contains("`title` is not valid"));
    let text = client.write_text().book_id("b1").send().await.expect_err("there is no text");
    assert_eq!(message(text), "the body is required: set it with `body`");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
#[expect(deprecated, reason = "a deprecated operation still works")]
async fn text_bytes_and_forms_are_sent_and_read() {
    let server = Server::responding([
        response("204 No Content", &[], ""),
        response("206 Partial Content", &["content-type: text/plain"], "Emma Woodhouse"),
        json("200 OK", &[], "2"),
        response("204 No Content", &[], ""),
    ])
    .await;
    let client = client(&server);
    client.write_text().book_id("b1").body("a text").send().await.expect("it is written");
    let text = client.read_text().book_id("b1").send().await.expect("each 2XX is a success");
    let chunks: Vec<_> = text.into_inner().into_inner().try_collect().await.expect("it is read");
    assert_eq!(chunks.concat(), b"Emma Woodhouse");
    let search = client.search().body(types::Search::builder().author("Jane Austen"));
    assert_eq!(search.send().await.expect("it is counted").into_inner(), 2);
    client.upload_cover().body(vec![1_u8, 2]).send().await.expect("it is stored");
    let requests = server.requests();
    for (request, media, body) in [
        (&requests[0], "text/plain", "a text"),
        (&requests[2], "application/x-www-form-urlencoded", "author=Jane+Austen"),
        (&requests[3], "application/octet-stream", "\u{1}\u{2}"),
    ] {
        assert!(request.contains(&format!("content-type: {media}\r\n")), "{request}");
        assert!(request.ends_with(&format!("\r\n\r\n{body}")), "{request}");
    }
}

#[tokio::test]
async fn a_read_is_sent_again_and_a_rejected_creation_too() {
    let server = Server::responding([
        response("503 Service Unavailable", &[], ""),
        json("200 OK", &[], "[]"),
        json("409 Conflict", &[], r#"{"error":{"code":"conflict","message":"busy"}}"#),
        json("201 Created", &[], EMMA),
    ])
    .await;
    let quick = RetryPolicy::new().first_pause(std::time::Duration::ZERO);
    let client = Client::builder(server.base_url()).retry(quick).build().expect("it is valid");
    let books = client.list_books().send().await.expect("the second try succeeds");
    assert_eq!(books.retries(), 1);
    let book = client.add_book().body(types::NewBook::builder().title("Emma"));
    assert_eq!(book.send().await.expect("the second try succeeds").retries(), 1);
    assert_eq!(server.requests().len(), 4);
}

#[cfg(feature = "blocking")]
#[test]
fn calls_work_without_async() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime can be started");
    let server = runtime.block_on(Server::responding([
        json("200 OK", &[], &format!("[{EMMA}]")),
        response("204 No Content", &[], ""),
    ]));
    let client = client(&server);
    let mut books: generated::blocking::ItemsIter<types::Book> = client.list_books().stream().blocking();
    assert_eq!(books.next().expect("there is one").expect("it is read").title, "Emma");
    client.remove_book().book_id("b1").send_blocking().expect("it is removed");
}

#[test]
fn an_invalid_address_or_key_is_rejected_when_the_client_is_built() {
    let with_key = |key: &str| Client::builder("http://localhost").api_key(key).build();
    assert!(matches!(with_key("a key"), Err(BuildError::InvalidApiKey { position: 2 })));
    assert!(with_key("the-key").is_ok());
    assert!(matches!(
        Client::builder("ftp://localhost").build(),
        Err(BuildError::UnsupportedScheme { .. })
    ));
}
