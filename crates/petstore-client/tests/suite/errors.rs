//! Tests errors: responses of the service, responses of a proxy, and calls without a response.

use crate::service::{KEY, Service, client, json, response};
use petstore_client::{
    Client, Error, ErrorCode, ErrorKind, NewPet, RetryPolicy, errors::CreatePetError,
};
use std::error::Error as _;
use std::time::Duration;

/// The error of a list with this response.
async fn error_of(response: String) -> Error {
    let service = Service::responding([response]).await;
    client(&service)
        .list_pets()
        .send()
        .await
        .expect_err("the response is an error")
}

#[tokio::test]
async fn an_error_has_code_status_message_and_request_id_of_its_body() {
    let body = r#"{"code":"unauthorized","message":"send an API key","status":401}"#;
    let error = error_of(json("401 Unauthorized", &["x-request-id: r-7"], body)).await;
    assert_eq!(error.kind(), ErrorKind::Answer);
    assert_eq!(error.code(), Some(&ErrorCode::Unauthorized));
    assert_eq!(error.status(), Some(401));
    assert_eq!(error.message(), "send an API key");
    assert_eq!(error.request_id(), Some("r-7"));
    assert_eq!(
        error.to_string(),
        "401 unauthorized: send an API key (request r-7)"
    );
}

#[tokio::test]
async fn an_insufficient_scope_has_its_code_and_is_not_retried() {
    let body = r#"{"code":"insufficient_scope","message":"use another key","status":403}"#;
    let error = error_of(json("403 Forbidden", &[], body)).await;
    assert_eq!(
        (error.code(), error.status()),
        (Some(&ErrorCode::InsufficientScope), Some(403))
    );
    assert!(!error.is_retryable(), "{error:?}");
    assert_eq!(error.retries(), 0);
    assert_eq!(error.to_string(), "403 insufficient_scope: use another key");
}

#[tokio::test]
async fn a_code_that_is_not_in_the_document_is_kept() {
    let body = r#"{"code":"teapot","message":"short and stout","status":418}"#;
    let error = error_of(json("418 I'm a teapot", &[], body)).await;
    let teapot = ErrorCode::Unknown("teapot".to_owned());
    assert_eq!((error.code(), error.status()), (Some(&teapot), Some(418)));
}

#[tokio::test]
async fn an_html_response_of_a_proxy_has_its_status() {
    let page = "<html><body>502 Bad Gateway by upstream-7.internal</body></html>";
    let error = error_of(response(
        "502 Bad Gateway",
        &["content-type: text/html"],
        page,
    ))
    .await;
    assert_eq!(
        (error.kind(), error.status(), error.code()),
        (ErrorKind::Answer, Some(502), None)
    );
    assert!(error.is_retryable() && error.was_sent());
    assert!(error.message().contains("a proxy"), "{error}");
    assert!(
        !format!("{error} {error:?}").contains("upstream"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_error_without_a_body_or_with_an_incomplete_body_has_its_status() {
    for body in ["", "{\"code\":\"inter", "[1]", "\"text\"", "{\"code\":7}"] {
        let error = error_of(json("500 Internal Server Error", &[], body)).await;
        assert_eq!((error.status(), error.code()), (Some(500), None), "{body}");
    }
}

#[tokio::test]
async fn a_very_large_error_body_is_not_read_to_the_end() {
    let page = "x".repeat(4 * 1024 * 1024);
    let error = error_of(response("503 Service Unavailable", &[], &page)).await;
    assert_eq!(error.status(), Some(503));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let error = error_of(response(
        "308 Permanent Redirect",
        &["location: http://elsewhere.invalid/"],
        "",
    ))
    .await;
    assert_eq!(error.status(), Some(308));
    assert!(error.message().contains("base URL"), "{error}");
}

#[tokio::test]
async fn an_unlisted_success_status_is_an_error_with_this_status() {
    let error = error_of(response("204 No Content", &[], "")).await;
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::Answer, Some(204))
    );
}

#[tokio::test]
async fn the_error_for_an_invalid_success_body_contains_the_position_but_not_the_value() {
    for (body, words) in [
        (r#"[{"id":"hunter2"}]"#, "line 1"),
        (r#"[{"id":1,"categoryId":2}]"#, "missing field `name`"),
        ("[", "ends too early"),
        ("hunter2", "invalid JSON"),
    ] {
        let error = error_of(json("200 OK", &["x-request-id: r-9"], body)).await;
        assert_eq!(
            (error.kind(), error.status()),
            (ErrorKind::Unreadable, Some(200)),
            "{body}"
        );
        assert_eq!(error.request_id(), Some("r-9"));
        assert!(error.message().contains(words), "{body}: {error}");
        assert!(
            !format!("{error} {error:?}").contains("hunter2"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn an_interrupted_success_response_keeps_its_status() {
    let error = error_of("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[".to_owned()).await;
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::Interrupted, Some(200))
    );
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_rejected_connection_is_reported_with_its_address() {
    // The port was free a moment ago, and no program listens on it.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let base_url = format!("http://{free}/v1");
    let client = Client::builder(&base_url)
        .api_key(KEY)
        .retry(RetryPolicy::never())
        .build()
        .expect("it is valid");
    let error = client.list_pets().send().await.expect_err("nobody listens");
    assert_eq!(
        (error.kind(), error.status(), error.code()),
        (ErrorKind::Connect, None, None)
    );
    assert!(error.message().contains(&base_url), "{error}");
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_connection_that_closes_without_a_response_is_interrupted() {
    let error = error_of(String::new()).await;
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::Interrupted, None)
    );
}

#[tokio::test]
async fn a_call_ends_at_its_time_limit() {
    // The listener accepts connections in the operating system's queue, but never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = silent
        .local_addr()
        .expect("a bound listener has an address");
    let client = Client::builder(format!("http://{address}/v1"))
        .api_key(KEY)
        .timeout(Duration::from_millis(50))
        .build()
        .expect("it is valid");
    let error = client
        .list_pets()
        .send()
        .await
        .expect_err("nothing listens there");
    assert_eq!((error.kind(), error.status()), (ErrorKind::Timeout, None));
}

#[tokio::test]
async fn control_characters_are_not_shown() {
    let body = "{\"code\":\"a\\u001b[2J\",\"message\":\"b\\u001b[31m\\nc\",\"status\":400}";
    let error = error_of(json(
        "400 Bad Request",
        &["x-request-id: \tnot an id"],
        body,
    ))
    .await;
    assert!(!error.to_string().contains(['\u{1b}', '\n']), "{error:?}");
    assert_eq!(error.request_id(), None);
}

#[test]
fn one_error_type_covers_building_and_using_a_client() {
    fn make() -> Result<Client, Error> {
        Ok(Client::builder("pets").api_key(KEY).build()?)
    }
    let error = make().expect_err("it is not an address");
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(
        error.to_string().contains("write it as in `http://"),
        "{error}"
    );
}

#[tokio::test]
async fn the_codes_that_the_document_lists_for_an_operation_are_matched_by_an_enum() {
    let body = |code: &str| format!(r#"{{"code":"{code}","message":"no","status":409}}"#);
    let service = Service::responding([
        json("409 Conflict", &[], &body("idempotency_key_reused")),
        json("409 Conflict", &[], &body("pet_not_available")),
        json("409 Conflict", &[], &body("a_new_code")),
    ])
    .await;
    let client = client(&service);
    let mut codes = Vec::new();
    for _ in 0..3 {
        let error = client.create_pet_with(NewPet::new(7, "Rex")).send().await;
        codes.push(
            error
                .expect_err("it is an error")
                .code_of::<CreatePetError>(),
        );
    }
    // The second code is in the document, but not listed for this operation.
    assert_eq!(
        codes,
        [Some(CreatePetError::IdempotencyKeyReused), None, None]
    );
}
