//! Tests the entries of conditions and statuses, and the bodies of errors.

use super::*;

const MEMBERS: &[(&str, ErrorMember)] = &[
    ("status", ErrorMember::Status),
    ("kind", ErrorMember::Code),
    ("message", ErrorMember::Message),
    ("request_id", ErrorMember::RequestId),
];

fn text(rejection: &Rejection) -> String {
    String::from_utf8(body(MEMBERS, "application/json", rejection, "7")).expect("JSON is UTF-8")
}

#[test]
fn an_error_condition_uses_the_catalogue_entry_of_its_code_or_else_of_its_status() {
    static CATALOGUE: [ErrorEntry; 3] = [
        ErrorEntry {
            code: "gone_home",
            status: 404,
            cause: "",
            remedy: "",
        },
        ErrorEntry {
            code: "not_found",
            status: 404,
            cause: "",
            remedy: "",
        },
        ErrorEntry {
            code: "busy",
            status: 503,
            cause: "",
            remedy: "",
        },
    ];
    let code = |condition: Condition| condition.entry_in(&CATALOGUE).code;
    assert_eq!(code(Condition::NotFound), "not_found");
    assert_eq!(code(Condition::Overloaded), "busy");
    assert_eq!(code(Condition::RateLimited), "rate_limited");
    assert_eq!(entry_of_status(&CATALOGUE, 503).code, "busy");
    assert_eq!(entry_of_status(&CATALOGUE, 409).code, "invalid_request");
}

#[test]
fn every_error_condition_has_a_built_in_entry_with_a_unique_code() {
    let codes: std::collections::BTreeSet<&str> = Condition::ALL
        .iter()
        .map(|condition| condition.built_in().code)
        .collect();
    assert_eq!(codes.len(), Condition::ALL.len());
    assert_eq!(Condition::Overloaded.built_in().status, 503);
}

#[test]
fn every_error_status_has_a_built_in_entry() {
    for status in 400..600 {
        assert_eq!(ErrorEntry::of_status(status).status, status);
    }
    for (status, code) in [
        (404, "not_found"),
        (410, "gone"),
        (418, "teapot"),
        (422, "unprocessable_content"),
        (499, "client_error"),
        (599, "server_error"),
        (200, "internal_error"),
    ] {
        assert_eq!(ErrorEntry::of_status(status).code, code);
    }
}

#[test]
fn an_error_body_has_the_members_in_the_order_of_the_document() {
    let rejection = Rejection::new(Condition::NotFound.built_in(), "no \"x\"");
    assert_eq!(
        text(&rejection),
        r#"{"status":404,"kind":"not_found","message":"no \"x\"","request_id":"7"}"#
    );
    let secret = Rejection::internal(Condition::Internal.built_in(), "a secret");
    assert!(!text(&secret).contains("secret"));
    assert_eq!(secret.detail.as_deref(), Some("a secret"));
}

#[cfg(feature = "dropshot")]
#[test]
fn an_error_uses_the_first_body_shape_that_includes_its_status() {
    const fn shape(first: u16, last: u16, media_type: &'static str) -> ErrorShape {
        ErrorShape {
            operation: "a",
            statuses: (first, last),
            media_type,
            members: &[],
        }
    }
    static SHAPES: [ErrorShape; 3] = [
        shape(404, 404, "text/plain"),
        shape(400, 499, "application/problem+json"),
        shape(400, 599, "application/json"),
    ];
    let media_type = |operation: &str, status: u16| {
        ErrorShape::of(&SHAPES, operation, status).map(|shape| shape.media_type)
    };
    assert_eq!(media_type("a", 404), Some("text/plain"));
    assert_eq!(media_type("a", 429), Some("application/problem+json"));
    assert_eq!(media_type("a", 503), Some("application/json"));
    assert_eq!(media_type("b", 404), None);
    let rejection = Rejection::new(Condition::NotFound.built_in(), "nothing is there");
    assert_eq!(
        body(MEMBERS, "text/plain", &rejection, "7"),
        b"nothing is there"
    );
}

#[test]
fn an_error_body_of_an_operation_is_sent_with_the_request_id() {
    let own = Rejection::with_body(409, &serde_json::json!({ "why": "locked" }));
    assert_eq!(own.error.code, "conflict");
    assert_eq!(text(&own), r#"{"request_id":"7","why":"locked"}"#);
    assert_eq!(text(&Rejection::with_body(409, &[1, 2])), "[1,2]");
    assert_eq!(text(&Rejection::with_body(409, &())), "");
}
