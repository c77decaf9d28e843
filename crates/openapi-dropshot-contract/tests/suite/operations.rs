//! Tests the rules about operations: ids, tags, parameters, security.

use crate::support::{assert_fault, assert_warning, readable, with_operation, with_paths};
use openapi_dropshot_contract::rules::Profile;

const RESPONSES: &str = "responses: {'200': {description: Fine.}}";

#[test]
fn duplicate_operation_ids_are_reported() {
    let text = with_paths(&format!(
        "  /a:\n    get: {{operationId: list, {RESPONSES}}}\n  /b:\n    get: {{operationId: «list, {RESPONSES}}}\n"
    ));
    assert_fault(
        &text,
        "duplicate-operation-id",
        "`list` is already used at line 5, column 24",
        "of its own",
    );
    let text = with_operation("      operationId: «''\n");
    assert_fault(&text, "empty-operation-id", "is empty", "listBooks");
}

#[test]
fn undeclared_tags_are_reported() {
    assert_warning(
        &with_operation("      tags: [«books]\n"),
        "undeclared-tag",
        "`books` is not declared",
        "`tags`",
    );
}

#[test]
fn a_request_body_of_get_gets_a_warning() {
    let text = with_operation("      requestBody: «{content: {}}\n");
    assert_warning(&text, "meaningless-body", "a body of GET", "parameters");
}

#[test]
fn a_body_of_a_response_without_content_is_ignored() {
    let text = with_paths(
        "  /a:\n    get: {responses: {'204': «{description: Done., content: {application/json: {schema: {}}}}}}\n",
    );
    assert_warning(
        &text,
        "meaningless-body",
        "a response with status 204 has no body: its content is ignored",
        "another status",
    );
}

#[test]
fn a_style_that_the_location_of_a_parameter_does_not_allow_is_rejected() {
    let text =
        with_operation("      parameters: [{name: q, in: query, schema: {}, style: «matrix}]\n");
    assert_fault(
        &text,
        "parameter-style",
        "a query parameter cannot have the style `matrix`",
        "`form`",
    );
}

#[test]
fn ignored_headers_get_a_warning() {
    for (name, help) in [
        ("Accept", "responses"),
        ("content-type", "request body"),
        ("Authorization", "security"),
    ] {
        let text = with_operation(&format!(
            "      parameters: [{{name: «{name}, in: header, schema: {{}}}}]\n"
        ));
        assert_warning(&text, "reserved-header", "is ignored", help);
    }
    let text = with_operation(
        "      parameters: [«{name: q, in: header, schema: {}, allowEmptyValue: true}]\n",
    );
    assert_warning(
        &text,
        "allow-empty-value",
        "no effect on a header parameter",
        "remove",
    );
}

#[test]
fn unknown_security_schemes_and_scopes_are_reported() {
    let components = "components:\n  securitySchemes:\n    key: {type: http, scheme: bearer}\n    oauth: {type: oauth2, flows: {password: {tokenUrl: /t, scopes: {read: Read.}}}}\n";
    let secured = |security: &str| {
        format!(
            "{}{components}",
            with_operation(&format!("      security: [{security}]\n"))
        )
    };
    assert_fault(
        &secured("{«kye: []}"),
        "unknown-security-scheme",
        "the security scheme `kye` is not defined",
        "did you mean `key`?",
    );
    assert_warning(
        &secured("{key: [«read]}"),
        "security-scope",
        "which has no scopes",
        "write `[]`",
    );
    // In OpenAPI 3.1, this is a role.
    let newer = secured("{key: [read]}").replace("3.0.3", "3.1.0");
    assert!(readable(&newer).warnings.is_empty());
    let lints = openapi_dropshot_contract::lint(&readable(&newer), Profile::General);
    assert!(lints.is_empty(), "{lints:?}");
    assert_warning(
        &secured("{oauth: [read, «write]}"),
        "security-scope",
        "no scope `write`",
        "`scopes`",
    );
    let text =
        "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths: {}\nsecurity:\n  - «other: []\n";
    assert_fault(
        text,
        "unknown-security-scheme",
        "the security scheme `other` is not defined",
        "components.securitySchemes",
    );
}
