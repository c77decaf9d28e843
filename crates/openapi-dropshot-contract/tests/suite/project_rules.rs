//! Tests the project rules, which only `Profile::Strict` applies.

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

/// A document that follows the project rules. It has one operation with these members, and another
/// one named `other`.
pub(crate) fn with_other_operation(members: &str) -> String {
    format!("{}{members}{OTHER}", with_responses(""))
}

#[test]
fn a_document_that_follows_the_project_rules_has_no_problems() {
    let text = with_other_operation("").replace(
        "{description: Fine.}",
        "{description: Fine.}, default: {description: Bad.}",
    );
    let text = text.replace("'204': {description: Fine.}, default: {description: Bad.}\n", "'204': {description: Fine.}\n        5XX: {description: Broken.}\n        4XX: {description: Bad.}\n");
    let found = rules_of(&text);
    // The document has no catalogue of error codes.
    assert!(found.iter().all(|rule| *rule == "error-codes"), "{found:?}");
}

/// Returns the rules of the problems that the project rules find.
fn rules_of(text: &str) -> Vec<&'static str> {
    let found = problems(text, Profile::Strict).into_iter();
    found.map(|problem| problem.rule).collect()
}

#[test]
fn an_operation_without_the_responses_that_every_service_sends_is_reported() {
    let not_found = with_responses("        '404': {description: Gone.}\n")
        .replace("      operationId", "      «operationId");
    assert_found_missing(
        &not_found,
        "`list` has no response for `401`, `429`, `500` and `503`, which the service sends",
        "add `4XX` and `5XX`",
    );
    let query = "parameters: [{name: q, in: query, schema: {type: string}}]";
    let with_query = not_found.replace("summary: List", &format!("summary: List\n      {query}"));
    assert_found_missing(
        &with_query,
        "for `400`, `401`, `429`, `500` and `503`",
        "`4XX` and `5XX`",
    );
    let body = "requestBody: {content: {a/b: {schema: {type: string, example: a}}}}";
    let with_body = not_found
        .replace("summary: List", &format!("summary: List\n      {body}"))
        .replace("    get:", "    post:");
    let all = "for `400`, `401`, `408`, `413`, `415`, `429`, `500` and `503`";
    assert_found_missing(&with_body, all, "`4XX` and `5XX`");
    let open = not_found.replace("security: [key: []]\n", "security: []\n");
    let open = problems(&open.replace('«', ""), Profile::Strict);
    let missing = open
        .iter()
        .find(|problem| problem.rule == "missing-response");
    let missing = missing.expect("a problem");
    assert!(
        missing.message.contains("for `429`, `500` and `503`"),
        "{missing}"
    );
    for (complete, is_missing) in [
        ("        default: {description: Bad.}\n", false),
        (
            "        4XX: {description: Bad.}\n        5XX: {description: Bad.}\n",
            false,
        ),
        (
            "        4XX: {description: Bad.}\n        '500': {description: Bad.}\n",
            true,
        ),
        (
            "        4XX: {description: Bad.}\n        '500': {description: Bad.}\n        '503': {description: Bad.}\n",
            false,
        ),
    ] {
        let found = rules_of(&with_responses(complete));
        assert_eq!(
            found.contains(&"missing-response"),
            is_missing,
            "{complete}"
        );
    }
}

#[track_caller]
fn assert_found_missing(marked: &str, message: &str, help: &str) {
    let text = marked.replace('«', "");
    let found = problems(&text, Profile::Strict);
    let missing = found
        .iter()
        .find(|problem| problem.rule == "missing-response");
    let missing = missing.unwrap_or_else(|| panic!("no problem in:\n{text}"));
    assert!(missing.message.contains(message), "{missing}");
    assert!(missing.help.contains(help), "{missing}");
    assert!(missing.at.pointer.starts_with("/paths/~1a/"), "{missing}");
}

#[test]
fn a_stability_level_in_a_schema_is_reported_as_misplaced() {
    let text = with_responses(
        "        '200': {description: Fine., content: {a/b: {schema: {type: object, example: {}, properties: {a: {x-stability-level: «beta}}}}}}\n",
    );
    assert_strict_fault(
        &text,
        "misplaced-stability-level",
        "`x-stability-level` has no meaning in a schema",
        "remove it",
    );
}

#[test]
fn an_operation_without_id_or_summary_is_reported() {
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
fn an_operation_without_security_is_reported() {
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
fn a_body_without_an_example_is_reported() {
    let text = with_responses(
        "        '200': {description: Fine., content: {a/b: «{schema: {type: string}}}}\n",
    );
    assert_strict_fault(
        &text,
        "missing-example",
        "the response `200` of `list` has no example",
        "add `example`",
    );
    let shared = text.replace("«", "").replace(
        "        '200': {description: Fine., content: {a/b: {schema: {type: string}}}}\n",
        "        '200': {$ref: '#/components/responses/Text'}\n        '206': {$ref: '#/components/responses/Text'}\n",
    );
    let component = "components: {responses: {Text: {description: Fine., content: {a/b: {schema: {type: string}}}}}, securitySchemes";
    let shared = shared.replace("components: {securitySchemes", component);
    let found = rules_of(&shared);
    let examples = found.iter().filter(|rule| **rule == "missing-example");
    assert_eq!(examples.count(), 1, "{found:?}");
    let with_example = with_responses(
        "        '200': {description: Fine., content: {a/b: {schema: {type: string, example: a}}}}\n",
    );
    assert_eq!(rules_of(&with_example), ["missing-response"]);
}

#[test]
fn the_general_profile_does_not_apply_the_project_rules() {
    assert_clean(
        "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths:\n  /a:\n    get:\n      deprecated: true\n      responses:\n        '200': {description: Fine., content: {a/b: {schema: {type: string}}}}\n        '400': {description: Bad.}\n",
    );
}

#[test]
fn the_contract_of_the_tests_follows_all_rules() {
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
