//! Tests which media types of bodies are accepted.

use super::*;
use crate::test_contract::{OPERATIONS, TestContract};
use http::{HeaderName, HeaderValue};

#[test]
fn a_media_type_range_matches_its_media_types() {
    for (media_type, expected, is_one) in [
        ("image/png", "image/*", true),
        ("IMAGE/PNG", "image/*", true),
        ("text/plain", "image/*", false),
        ("text/plain", "*/*", true),
        ("Text/Plain", "text/plain", true),
        ("text/csv", "text/plain", false),
    ] {
        assert_eq!(
            is_of(media_type, expected),
            is_one,
            "{media_type} {expected}"
        );
    }
}

#[test]
fn a_body_may_be_of_any_of_the_listed_media_types() {
    let operation = Operation {
        request_body: Some("image/png, image/jpeg"),
        ..OPERATIONS[0]
    };
    let found = |media_type: &'static str| {
        let value = HeaderValue::from_static(media_type);
        check(&operation, &HeaderMap::from_iter([(CONTENT_TYPE, value)]))
    };
    assert!(found("image/png").is_ok());
    assert!(found("Image/JPEG").is_ok());
    let message = found("image/gif").map_err(|error| error.rejection::<TestContract>().message);
    assert_eq!(
        message.err().as_deref(),
        Some("the body must be `image/png` or `image/jpeg`, found `image/gif`")
    );
}

fn check_headers(headers: &[(HeaderName, &'static str)]) -> Result<(), String> {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
        .collect();
    let operation = OPERATIONS
        .iter()
        .find(|operation| operation.request_body.is_some())
        .expect("the contract has an operation with a body");
    check(operation, &headers).map_err(|error| {
        let error = error.rejection::<TestContract>();
        assert_eq!(error.error.code, "unsupported_media_type");
        error.message.into_owned()
    })
}

#[test]
fn json_is_accepted_with_the_parameters_that_clients_send() {
    for value in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json ; profile=x",
    ] {
        assert_eq!(check_headers(&[(CONTENT_TYPE, value)]), Ok(()), "{value}");
    }
    let plain = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_ENCODING, "identity"),
    ];
    assert_eq!(check_headers(&plain), Ok(()));
}

#[test]
fn other_media_types_are_rejected_and_named_in_the_message() {
    for (value, named) in [
        ("text/plain", "`text/plain`"),
        ("application/jsonx", "`application/jsonx`"),
        ("application/problem+json", "`application/problem+json`"),
        ("", "``"),
        ("application/json; charset=latin1", "`latin1`"),
    ] {
        let message = check_headers(&[(CONTENT_TYPE, value)]).expect_err(value);
        assert!(message.contains(named), "{message}");
    }
    let twice = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_TYPE, "application/json"),
    ];
    assert!(check_headers(&twice).is_err());
    assert!(check_headers(&[]).is_err());
    let packed = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_ENCODING, "gzip"),
    ];
    assert!(check_headers(&packed).is_err());
}

#[test]
fn an_operation_without_a_body_ignores_the_content_type() {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/plain"))]);
    for operation in OPERATIONS
        .iter()
        .filter(|operation| operation.request_body.is_none())
    {
        assert!(check(operation, &headers).is_ok());
    }
}
