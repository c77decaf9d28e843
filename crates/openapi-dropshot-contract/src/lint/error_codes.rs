//! Checks `x-error-codes` of responses against the catalogue: each code is in
//! the catalogue, and is listed at the response that a client gets it with.

use crate::model::{Document, Operation, Response, Spanned, StatusCode};
use crate::problem::Problem;
use crate::rules::{Profile, document::ERROR_CODES};
use crate::suggest::did_you_mean;
use std::collections::HashSet;

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        for response in &operation.responses {
            if document.error_catalogue().is_some() {
                for code in &response.error_codes {
                    problems.extend(check_code(document, operation, response, code));
                }
            }
            check_unique(response, problems);
            if profile == Profile::Strict {
                problems.extend(check_present(document, operation, response));
            }
        }
    }
}

fn check_code(
    document: &Document,
    operation: &Operation,
    response: &Response,
    code: &Spanned<String>,
) -> Option<Problem> {
    let name = code.value.escape_debug();
    let Some(entry) = document.error_code(&code.value) else {
        let entries = document.error_catalogue().unwrap_or_default();
        let help = did_you_mean(
            &code.value,
            entries.iter().map(|entry| entry.code.as_str()),
            "add it to `x-error-catalogue` and to the list beside it",
        );
        let message = format!("the error code `{name}` is not in the catalogue");
        return Some(ERROR_CODES.problem(&code.at, message, help));
    };
    let (status, label) = (response.status.value, operation.label());
    // The response that a client looks under for this status.
    let matching = operation.response_for(entry.status);
    let (message, help) = match matching.map(|response| response.status.value) {
        Some(right) if right == status => return None,
        Some(right) if status.contains(entry.status) => (
            format!(
                "`{name}` has the status {}, for which {label} has a response of its own",
                entry.status
            ),
            format!("move it to `x-error-codes` of the response `{right}`"),
        ),
        _ => (
            format!(
                "`{name}` has the status {}, but is listed at the response `{status}` of {label}",
                entry.status
            ),
            "move it to the response of its status, or correct the catalogue".to_owned(),
        ),
    };
    let problem = ERROR_CODES.problem(&code.at, message, help);
    Some(problem.with_related(&entry.at, "its entry in the catalogue"))
}

fn check_unique(response: &Response, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for code in &response.error_codes {
        if !seen.insert(&code.value) {
            let name = code.value.escape_debug();
            let message = format!("the error code `{name}` is listed twice");
            problems.push(ERROR_CODES.problem(&code.at, message, "remove one of them"));
        }
    }
}

/// A client that handles errors must know which ones it can get.
fn check_present(
    document: &Document,
    operation: &Operation,
    response: &Response,
) -> Option<Problem> {
    let status = response.status.value;
    if !response.error_codes.is_empty() {
        let message = "`x-error-codes` is used in a document without a catalogue of error codes";
        let help = "add `x-extensible-enum` and `x-error-catalogue` to the property `code` of the error schema";
        let lacks_catalogue = document.error_catalogue().is_none();
        return lacks_catalogue.then(|| ERROR_CODES.problem(&response.at, message, help));
    }
    let is_error = status.is_error() || status == StatusCode::Default;
    is_error.then(|| {
        let label = operation.label();
        let message = format!("the response `{status}` of {label} lists no error codes");
        let help = "add `x-error-codes`, a list of codes from the catalogue";
        ERROR_CODES.problem(&response.status.at, message, help)
    })
}
