//! Tests the catalogue of error codes, and the codes that responses list.

use crate::support::{
    CONTRACT, assert_fault, assert_strict_fault, problems, readable, with_schemas,
};
use openapi_dropshot_contract::Profile;

const CATALOGUE: &str = "x-extensible-enum: [gone, odd]
          x-error-catalogue:
            gone: {status: 410, cause: It was removed., cure: Do not use it.}
            odd: {status: 400, cause: It is odd., cure: Make it even.}
";

fn with_catalogue(catalogue: &str) -> String {
    with_schemas(&format!(
        "    Error:\n      type: object\n      properties:\n        code:\n          type: string\n          {catalogue}"
    ))
}

fn with_responses(responses: &str) -> String {
    with_catalogue(CATALOGUE).replace(
        "paths: {}",
        &format!("paths:\n  /a:\n    get:\n      responses:\n{responses}"),
    )
}

#[test]
fn the_error_catalogue_of_a_document_is_found_and_read() {
    let document = readable(&with_catalogue(CATALOGUE));
    let codes: Vec<_> = document
        .error_catalogue()
        .expect("a catalogue")
        .iter()
        .map(|code| (code.code.as_str(), code.status))
        .collect();
    assert_eq!(codes, [("gone", 410), ("odd", 400)]);
    assert_eq!(
        document.error_code("odd").expect("it exists").cure,
        "Make it even."
    );
    assert!(
        readable(&with_schemas("    A: {}\n"))
            .error_catalogue()
            .is_none()
    );
}

#[test]
fn differences_between_catalogue_and_open_enum_are_reported() {
    let text = with_catalogue(&CATALOGUE.replace("odd]", "odd, «more]"));
    assert_fault(
        &text,
        "error-catalogue",
        "`more` is listed here but has no entry",
        "add an entry",
    );
    let text = with_catalogue(&CATALOGUE.replace(", odd]", "]").replace("odd:", "«odd:"));
    assert_fault(
        &text,
        "error-catalogue",
        "`odd` is not listed in `x-extensible-enum`",
        "list the code",
    );
    let text = with_catalogue("x-error-catalogue: «{odd: {status: 400, cause: a, cure: b}}\n");
    assert_fault(
        &text,
        "error-catalogue",
        "is used without `x-extensible-enum`",
        "list the same codes",
    );
}

#[test]
fn incomplete_catalogue_entries_are_reported() {
    let text = with_catalogue(
        &CATALOGUE.replace("{status: 410, cause: It was removed.,", "«{status: 410,"),
    );
    assert_fault(&text, "missing-member", "lacks `cause`", "add `cause`");
    let text = with_catalogue(&CATALOGUE.replace("410", "«200"));
    assert_fault(
        &text,
        "wrong-type",
        "an HTTP status from 400 to 599, found `200`",
        "sent with",
    );
}

#[test]
fn two_error_catalogues_are_reported() {
    let second = "    Other: {type: object, properties: {code: {x-extensible-enum: [a], x-error-catalogue: «{a: {status: 400, cause: a, cure: b}}}}}\n";
    let text = format!("{}{second}", with_catalogue(CATALOGUE));
    assert_fault(
        &text,
        "error-catalogue",
        "this is a second `x-error-catalogue`; the first one is at line 13",
        "in one catalogue",
    );
}

#[test]
fn error_codes_outside_the_catalogue_are_reported() {
    let text = with_responses("        4XX: {description: Bad., x-error-codes: [«gnoe]}\n");
    assert_fault(
        &text,
        "error-codes",
        "`gnoe` is not in the catalogue",
        "did you mean `gone`?",
    );
    let text = with_responses("        4XX: {description: Bad., x-error-codes: [gone, «gone]}\n");
    assert_fault(&text, "error-codes", "`gone` is listed twice", "remove");
}

#[test]
fn error_codes_listed_at_a_response_of_another_status_are_reported() {
    let text = with_responses("        '400': {description: Bad., x-error-codes: [odd, «gone]}\n");
    assert_fault(
        &text,
        "error-codes",
        "`gone` has the status 410, but is listed in the response `400`",
        "move it",
    );
    let text = with_responses("        5XX: {description: Bad., x-error-codes: [«gone]}\n");
    assert_fault(
        &text,
        "error-codes",
        "is listed in the response `5XX` of `GET /a`",
        "move it",
    );
    let text = with_responses(
        "        '400': {description: Bad.}\n        4XX: {description: Bad., x-error-codes: [gone, «odd]}\n",
    );
    assert_fault(
        &text,
        "error-codes",
        "for which `GET /a` has a separate response",
        "of the response `400`",
    );
}

#[test]
fn the_project_rules_require_error_codes_in_each_error_response() {
    let text = super::project_rules::with_responses("        «4XX: {description: Bad.}\n");
    assert_strict_fault(
        &text,
        "error-codes",
        "the response `4XX` of `list` lists no error codes",
        "x-error-codes",
    );
    let text = super::project_rules::with_responses(
        "        4XX: «{description: Bad., x-error-codes: [a]}\n",
    );
    assert_strict_fault(
        &text,
        "error-codes",
        "without a catalogue",
        "x-error-catalogue",
    );
}

/// The contract without the first line that lists this code.
fn without(code: &str) -> String {
    let line = format!("            - {code}\n");
    assert!(CONTRACT.contains(&line), "{code}");
    CONTRACT.replacen(&line, "", 1)
}

/// Checks that the only problems of a document are missing codes, and returns the messages with
/// their help.
#[track_caller]
fn unlisted(text: &str) -> Vec<String> {
    let problems = problems(text, Profile::Strict).into_iter();
    let messages = problems.map(|problem| {
        assert_eq!(problem.rule, "unlisted-error-code", "{problem}");
        format!("{}; {}", problem.message, problem.help)
    });
    messages.collect()
}

#[test]
fn an_operation_that_does_not_list_an_error_code_that_the_service_sends_is_reported() {
    let marked = |code| without(code).replacen("        4XX:", "        «4XX:", 1);
    for (code, status) in [("invalid_request", 400), ("rate_limited", 429)] {
        assert_strict_fault(
            &marked(code),
            "unlisted-error-code",
            &format!(
                "`listBooks` does not list `{code}` (status {status}), which the service sends"
            ),
            "add the missing codes to `x-error-codes` of the response `4XX`",
        );
    }
    for (code, count) in [
        // The first operation that lists this code has no body.
        ("payload_too_large", 0),
        // No service sends this code for an operation.
        ("method_not_allowed", 0),
        ("unsupported_media_type", 1),
        ("operation_removed", 1),
    ] {
        assert_eq!(unlisted(&without(code)).len(), count, "{code}");
    }
    // One component is the response of all operations.
    let text = CONTRACT.replacen("        - unavailable\n", "", 1);
    let operations = readable(CONTRACT).operations.len();
    assert_eq!(unlisted(&text).len(), operations);
}

#[test]
fn an_error_code_of_the_document_replaces_the_code_of_the_service_with_the_same_status() {
    let renamed = |text: &str| text.replace("rate_limited", "slow_down");
    assert_eq!(unlisted(&renamed(CONTRACT)), [""; 0]);
    let unlisted = unlisted(&renamed(&without("rate_limited")));
    let [message] = unlisted.as_slice() else {
        panic!("{unlisted:?}");
    };
    assert!(message.contains("`slow_down` (status 429)"), "{message}");
}

#[test]
fn the_help_for_a_code_missing_in_the_catalogue_names_catalogue_and_response() {
    let text = CONTRACT
        .replace("rate_limited", "teapot")
        .replace("status: 429", "status: 418");
    let unlisted = unlisted(&text);
    assert_eq!(unlisted.len(), readable(CONTRACT).operations.len());
    let help = "`rate_limited` (status 429), which the service sends; add the missing codes to `x-error-catalogue` and to `x-error-codes`";
    assert!(unlisted[0].contains(help), "{}", unlisted[0]);
}
