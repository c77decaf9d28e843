//! Tests prepared responses.

use super::*;
use http_body_util::BodyExt as _;
use std::panic::catch_unwind;

async fn sent(text: &'static str) -> Result<(u16, Vec<String>, String), String> {
    let panic = catch_unwind(|| -> u8 { respond(text, ()) }).expect_err("it unwinds");
    let response = response_of(panic).unwrap_or_else(|_| panic!("it is another panic"))?;
    let (head, body) = response.into_parts();
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        format!("{name}: {}", value.to_str().expect("ASCII"))
    };
    let body = body.collect().await.expect("a body").to_bytes();
    Ok((
        head.status.as_u16(),
        head.headers.iter().map(header).collect(),
        String::from_utf8(body.to_vec()).expect("UTF-8"),
    ))
}

#[tokio::test]
async fn a_mock_response_has_its_status_headers_and_body_and_the_mock_header() {
    for (text, status, headers, body) in [
        (
            r#"{"status":200,"body":{"id":7}}"#,
            200,
            &["content-type: application/json", "x-mock: true"][..],
            r#"{"id":7}"#,
        ),
        (
            r#"{"status":201,"headers":{"content-type":"application/problem+json"},"body":"x"}"#,
            201,
            &["content-type: application/problem+json", "x-mock: true"],
            r#""x""#,
        ),
        (
            r#"{"status":200,"headers":{"content-type":"text/plain; charset=utf-8"},"body":"x"}"#,
            200,
            &["content-type: text/plain; charset=utf-8", "x-mock: true"],
            "x",
        ),
        (
            r#"{"status":200,"headers":{"content-type":"application/json"},"body":null}"#,
            200,
            &["content-type: application/json", "x-mock: true"],
            "null",
        ),
        (
            r#"{"status":302,"headers":{"location":"/a"}}"#,
            302,
            &["location: /a", "x-mock: true"],
            "",
        ),
        (r#"{"status":204}"#, 204, &["x-mock: true"], ""),
    ] {
        let expected = (
            status,
            headers.iter().map(|&header| header.to_owned()).collect(),
            body.to_owned(),
        );
        assert_eq!(sent(text).await, Ok(expected), "{text}");
    }
}

#[tokio::test]
async fn an_invalid_mock_response_is_distinguished_from_another_panic() {
    for text in ["", r#"{"status":1}"#, r#"{"status":200,"hedders":{}}"#] {
        let error = sent(text).await.expect_err(text);
        assert!(error.contains("a mock response cannot be sent"), "{error}");
    }
    assert!(response_of(Box::new("another panic")).is_err());
}
