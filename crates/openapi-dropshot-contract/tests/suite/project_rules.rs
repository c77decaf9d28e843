//! The project rules, which only `Profile::Strict` applies.

use crate::support::{CONTRACT, assert_clean, assert_strict_fault, problems};
use openapi_dropshot_contract::{Problems, Profile, lint, read};

const HEAD: &str = "openapi: 3.0.3
info: {title: T, version: 1.0.0}
components: {securitySchemes: {key: {type: http, scheme: bearer}}}
";

const OTHER: &str = "  /other:
    get:
      operationId: other
      summary: Other
      responses: {'204': {description: Fine.}}
";

/// A document that follows the project rules, with these responses besides `204`.
pub(crate) fn with_responses(responses: &str) -> String {
    format!(
        "{HEAD}security: [key: []]\npaths:\n  /a:\n    get:\n      operationId: list\n      summary: List\n      responses:\n        '204': {{description: Fine.}}\n{responses}"
    )
}

/// A document that follows the project rules, of an operation with these members
/// and another one named `other`.
pub(crate) fn with_other_operation(members: &str) -> String {
    format!("{}{members}{OTHER}", with_responses(""))
}

#[test]
fn a_document_that_follows_the_project_rules_has_no_problems() {
    assert!(problems(&with_other_operation(""), Profile::Strict).is_empty());
}

#[test]
fn an_operation_has_an_id_and_a_summary() {
    let text =
        with_responses("").replace("      operationId: list\n      summary", "      «summary");
    assert_strict_fault(
        &text,
        "missing-operation-id",
        "`GET /a` has no `operationId`",
        "listBooks",
    );
    let text = with_responses("").replace(
        "      operationId: list\n      summary: List\n",
        "      «operationId: list\n",
    );
    assert_strict_fault(
        &text,
        "missing-summary",
        "`list` has no `summary`",
        "one line",
    );
}

#[test]
fn an_operation_is_secured() {
    for open in ["security: []\n", "security: [{}, key: []]\n", ""] {
        let text = with_responses("")
            .replace("security: [key: []]\n", open)
            .replace("      operationId", "      «operationId");
        assert_strict_fault(
            &text,
            "unsecured-operation",
            "can be called without credentials",
            "`security`",
        );
    }
}

#[test]
fn a_body_has_an_example() {
    let text = with_responses(
        "        '200': {description: Fine., content: {a/b: «{schema: {type: string}}}}\n",
    );
    assert_strict_fault(
        &text,
        "missing-example",
        "the response `200` of `list` has no example",
        "add `example`",
    );
    let with_example = with_responses(
        "        '200': {description: Fine., content: {a/b: {schema: {type: string, example: a}}}}\n",
    );
    assert!(problems(&with_example, Profile::Strict).is_empty());
}

#[test]
fn the_general_profile_does_not_apply_the_project_rules() {
    assert_clean(
        "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths:\n  /a:\n    get:\n      deprecated: true\n      responses:\n        '200': {description: Fine., content: {a/b: {schema: {type: string}}}}\n        '400': {description: Bad.}\n",
    );
}

#[test]
fn a_whole_contract_follows_all_rules() {
    let document = read("books.yaml", CONTRACT).unwrap_or_else(|problems| panic!("{problems}"));
    let problems = lint(&document, Profile::Strict);
    assert!(
        problems.is_empty(),
        "{}",
        Problems::new(&document.text, problems)
    );
    let deprecated = document
        .operation("getBook")
        .map(|operation| operation.deprecated);
    assert_eq!(deprecated, Some(true));
}
