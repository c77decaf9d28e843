//! Tests the pages and the validators that clients send.

use super::*;
use crate::test_contract::{OPERATIONS, TestContract};
use openapi_dropshot_types::Contract as _;

fn pages() -> Pages {
    let served: Vec<_> = OPERATIONS.iter().collect();
    Pages::new(
        Document::of::<TestContract>(&served),
        &crate::info::TEST,
        "Shop",
        "/v1",
        Switch::On,
    )
}

#[test]
fn pages_of_the_service_do_not_conflict_with_operations_at_other_paths() {
    assert!(pages().check(TestContract::OPERATIONS, "/v1").is_ok());
}

#[test]
fn an_operation_with_the_path_of_a_page_is_reported() {
    for (path, page) in [
        ("/openapi.yaml", Some("/v1/openapi.yaml")),
        ("/openapi.json", Some("/v1/openapi.json")),
        ("/{name}", None),
        ("/openapi.yaml/x", None),
        ("/{name}/openapi.yaml", None),
        ("/docs", None),
    ] {
        let operation = Operation {
            path,
            ..OPERATIONS[0]
        };
        let hidden = match pages().check(&[operation], "/v1") {
            Err(RouteError::HiddenByPage { page, .. }) => Some(page),
            _ => None,
        };
        assert_eq!(hidden, page, "{path}");
    }
}

#[test]
fn a_page_is_not_modified_if_one_of_the_validators_of_the_request_matches() {
    let etag = HeaderValue::from_static("\"a1\"");
    for (header, known) in [
        ("\"a1\"", true),
        ("W/\"a1\"", true),
        ("\"b2\" ,\t\"a1\"", true),
        ("*", true),
        ("\"b2\"", false),
        ("a1", false),
        ("", false),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static(header));
        assert_eq!(is_known(&headers, &etag), known, "{header}");
    }
    assert!(!is_known(&HeaderMap::new(), &etag));
}
