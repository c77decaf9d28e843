//! The API key, headers and answers stand in no log: not in what anything of
//! this crate shows of itself.

use crate::service::{KEY, REX, Service, answer, json};
use petstore_client::Client;
use std::error::Error as _;

/// Fails where a text holds something that is nobody's business.
fn is_clean(text: &str) {
    for secret in [KEY, "Bearer pk", "hunter2", "session="] {
        assert!(!text.contains(secret), "`{secret}` stands in: {text}");
    }
}

#[tokio::test]
async fn nothing_shows_the_key_a_header_or_an_answer() {
    let secrets = ["set-cookie: session=hunter2", "x-internal: hunter2"];
    let service = Service::answering([
        json("200 OK", &secrets, &format!("[{REX}]")),
        answer("502 Bad Gateway", &secrets, "<p>hunter2</p>"),
        json("200 OK", &secrets, r#"{"id":"hunter2"}"#),
        json(
            "401 Unauthorized",
            &secrets,
            r#"{"code":"unauthorized","message":"no","status":401}"#,
        ),
        "HTTP/1.1 hunter2\r\n\r\n".to_owned(),
    ])
    .await;
    let client = service.client();
    is_clean(&format!(
        "{client:?} {client:#?} {:?}",
        client.list_pets().limit(3)
    ));
    is_clean(&format!(
        "{:?}",
        client.create_pet().body_map(|pet| pet.name("Rex"))
    ));
    is_clean(&format!(
        "{:?} {:?}",
        client.list_pets().pages(),
        client.list_pets().stream()
    ));
    is_clean(&format!(
        "{:?}",
        client
            .list_pets()
            .send()
            .await
            .expect("the first answer is a success")
    ));
    for _ in 0..4 {
        let error = client
            .list_pets()
            .send()
            .await
            .expect_err("the other answers are errors");
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
fn a_client_that_cannot_be_made_shows_neither_key_nor_address() {
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
        let error = petstore_client::Error::from(error);
        is_clean(&format!("{error} {error:?}"));
    }
}
