//! Tests which operation is found for a request.

use super::*;
use crate::test_contract::{OPERATIONS, TestContract, TestState};
use http::header::ALLOW;
use openapi_dropshot_types::Contract as _;

fn routes_of(operations: &'static [Operation], lowest: Stability) -> Routes {
    let router = TestContract::router().expect("the paths differ");
    Routes::new(router, "/v1", operations, lowest)
}

fn routes() -> Routes {
    routes_of(&OPERATIONS, Stability::Experimental)
}

fn code(error: ErrorResponse) -> &'static str {
    error.rejection::<TestContract>().error.code
}

fn allow(error: ErrorResponse) -> String {
    let (_, response) = error.into_response::<TestContract, TestState>(None, "id");
    response.headers()[ALLOW]
        .to_str()
        .expect("ASCII")
        .to_owned()
}

fn rejected(method: Method, path: &str) -> &'static str {
    let found = routes().find(&method, path);
    code(found.map(|(found, _)| found.name).expect_err(path))
}

#[test]
fn every_operation_of_the_contract_is_found_by_its_path() {
    let routes = routes();
    for operation in &OPERATIONS {
        let path = format!("/v1{}", operation.path.replace(['{', '}'], ""));
        let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
        let (found, endpoint) = routes.find(&method, &path).expect(operation.name);
        assert_eq!(
            (found.index, endpoint.operation_id.as_str()),
            (operation.index, operation.name)
        );
    }
}

#[test]
fn a_path_with_a_different_spelling_is_not_found() {
    for path in [
        "",
        "/",
        "/v1",
        "/v1/",
        "/items",
        "/v2/items",
        "/v1items",
        "/v1/items/",
        "/v1//items",
        "//v1/items",
        "/v1/items/1/",
        "/v1/items/1/x",
    ] {
        assert_eq!(rejected(Method::GET, path), "not_found", "{path}");
    }
}

#[test]
fn the_methods_that_a_path_has_are_listed() {
    let error = routes().find(&Method::DELETE, "/v1/items").map(|_| ());
    assert_eq!(allow(error.expect_err("not there")), "GET, HEAD, POST");
    assert_eq!(rejected(Method::DELETE, "/v1/items"), "method_not_allowed");
    assert_eq!(rejected(Method::POST, "/v1/items/1"), "method_not_allowed");
}

/// The contract, with other stability levels.
fn with(stabilities: &[(&str, Stability)]) -> &'static [Operation] {
    let changed = |operation: &Operation| {
        let other = stabilities.iter().find(|(name, _)| *name == operation.name);
        Operation {
            stability: other.map_or(operation.stability, |(_, other)| *other),
            ..*operation
        }
    };
    OPERATIONS.iter().map(changed).collect::<Vec<_>>().leak()
}

#[test]
fn an_operation_below_the_stability_level_gets_404() {
    let table = with(&[
        ("createItem", Stability::Beta),
        ("getItem", Stability::Experimental),
    ]);
    for (lowest, served, post, get) in [
        (Stability::Experimental, 3, None, None),
        (Stability::Beta, 2, None, Some("not_found")),
        (
            Stability::Stable,
            1,
            Some("method_not_allowed"),
            Some("not_found"),
        ),
    ] {
        let routes = routes_of(table, lowest);
        assert_eq!(routes.served().len(), served);
        let rejected = |method, path| routes.find(&method, path).err().map(code);
        assert_eq!(rejected(Method::GET, "/v1/items"), None);
        assert_eq!(rejected(Method::POST, "/v1/items"), post);
        assert_eq!(rejected(Method::GET, "/v1/items/1"), get);
        // Another method must not reveal that the path exists, either.
        let other = get.unwrap_or("method_not_allowed");
        assert_eq!(rejected(Method::DELETE, "/v1/items/1"), Some(other));
    }
}

#[test]
fn the_allow_header_lists_only_methods_that_are_served() {
    let table = with(&[("createItem", Stability::Beta)]);
    let routes = routes_of(table, Stability::Stable);
    let error = routes.find(&Method::POST, "/v1/items").map(|_| ());
    assert_eq!(allow(error.expect_err("hidden")), "GET, HEAD");
}
