//! Tests that no `Debug` and no `Display` of this crate shows the API key, a header or
//! a response.

use crate::generated::Client;
use crate::service::{KEY, REX, Service, client, json, response};
use std::error::Error as _;

/// Fails if a text contains a secret.
fn is_clean(text: &str) {
    for secret in [KEY, "Bearer pk", "hunter2", "session="] {
        assert!(!text.contains(secret), "`{secret}` is in: {text}");
    }
}

#[tokio::test]
async fn debug_output_has_no_key_header_or_response() {
    let secrets = ["set-cookie: session=hunter2", "x-internal: hunter2"];
    let service = Service::responding([
        json("200 OK", &secrets, &format!("[{REX}]")),
        response("502 Bad Gateway", &secrets, "<p>hunter2</p>"),
        json("200 OK", &secrets, r#"{"id":"hunter2"}"#),
        json(
            "401 Unauthorized",
            &secrets,
            r#"{"code":"unauthorized","message":"no","status":401}"#,
        ),
        "HTTP/1.1 hunter2\r\n\r\n".to_owned(),
    ])
    .await;
    let client = client(&service);
    is_clean(&format!(
        "{client:?} {client:#?} {:?}",
        client.list_books().limit(3)
    ));
    is_clean(&format!(
        "{:?}",
        client.create_book().body_map(|book| book.name("Rex"))
    ));
    is_clean(&format!(
        "{:?} {:?}",
        client.list_books().pages(),
        client.list_books().stream()
    ));
    is_clean(&format!(
        "{:?}",
        client
            .list_books()
            .send()
            .await
            .expect("the first response is a success")
    ));
    for _ in 0..4 {
        let error = client
            .list_books()
            .send()
            .await
            .expect_err("the other responses are errors");
        is_clean(&format!("{error} {error:#} {error:?} {error:#?}"));
        let mut cause = error.source();
        while let Some(source) = cause {
            is_clean(&format!("{source} {source:?}"));
            cause = source.source();
        }
    }
    assert_eq!(service.requests().len(), 5);
}

#[test]
fn the_error_of_a_client_that_cannot_be_built_has_neither_key_nor_address() {
    for (url, key) in [
        ("http://me:hunter2@localhost/v1", KEY),
        ("hunter2", KEY),
        ("http://localhost/v1?token=hunter2", KEY),
        ("http://localhost/v1", "hunter2\n"),
    ] {
        let builder = Client::builder(url).api_key(key);
        is_clean(&format!("{builder:?} {builder:#?}"));
        let error = builder
            .build()
            .expect_err("the test's address or key is not valid");
        is_clean(&format!("{error} {error:?}"));
        let error = crate::generated::Error::from(error);
        is_clean(&format!("{error} {error:?}"));
    }
}
