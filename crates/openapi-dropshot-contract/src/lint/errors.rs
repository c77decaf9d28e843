//! `x-error-codes` against the catalogue: each code is known, and is listed
//! exactly where a client meets its status.

use super::Profile;
use crate::model::{Document, Operation, Response, Spanned, StatusCode};
use crate::problem::Problem;
use crate::read::closest;
use std::collections::HashSet;

const RULE: &str = "error-codes";

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        for response in &operation.responses {
            if document.error_catalogue().is_some() {
                for code in &response.error_codes {
                    known(document, operation, response, code, problems);
                }
            }
            unique(response, problems);
            if profile == Profile::House {
                listed(document, operation, response, problems);
            }
        }
    }
}

fn known(
    document: &Document,
    operation: &Operation,
    response: &Response,
    code: &Spanned<String>,
    problems: &mut Vec<Problem>,
) {
    let shown = code.value.escape_debug();
    let Some(entry) = document.error_code(&code.value) else {
        let codes = document
            .error_catalogue()
            .unwrap_or_default()
            .iter()
            .map(|entry| entry.code.as_str());
        let help = match closest(&code.value, codes) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "add it to `x-error-catalogue` and to the list beside it".to_owned(),
        };
        let message = format!("the error code `{shown}` is not in the catalogue");
        problems.push(Problem::error(RULE, &code.at, message, help));
        return;
    };
    let status = response.status.value;
    // The response that a client would look under for this status.
    let (message, help) = match operation
        .response_for(entry.status)
        .map(|response| response.status.value)
    {
        Some(right) if right == status => return,
        Some(right) if status.contains(entry.status) => (
            format!(
                "`{shown}` has the status {}, for which {} has a response of its own",
                entry.status,
                operation.label()
            ),
            format!("move it to `x-error-codes` of the response `{right}`"),
        ),
        _ => (
            format!(
                "`{shown}` has the status {}, but stands in the response `{status}` of {}",
                entry.status,
                operation.label()
            ),
            "move it to the response of its status, or correct the catalogue".to_owned(),
        ),
    };
    problems.push(
        Problem::error(RULE, &code.at, message, help)
            .with_related(&entry.at, "its entry in the catalogue"),
    );
}

fn unique(response: &Response, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for code in response
        .error_codes
        .iter()
        .filter(|code| !seen.insert(&code.value))
    {
        let message = format!(
            "the error code `{}` is listed twice",
            code.value.escape_debug()
        );
        problems.push(Problem::error(
            RULE,
            &code.at,
            message,
            "remove one of them",
        ));
    }
}

/// A client that handles errors must know which can come.
fn listed(
    document: &Document,
    operation: &Operation,
    response: &Response,
    problems: &mut Vec<Problem>,
) {
    let status = response.status.value;
    if !response.error_codes.is_empty() {
        if document.error_catalogue().is_none() {
            let message = "`x-error-codes` stands in a document without a catalogue of error codes";
            let help = "add `x-extensible-enum` and `x-error-catalogue` to the property `code` of the error schema";
            problems.push(Problem::error(RULE, &response.at, message, help));
        }
        return;
    }
    if status.is_error() || status == StatusCode::Default {
        let message = format!(
            "the response `{status}` of {} lists no error codes",
            operation.label()
        );
        let help = "add `x-error-codes`, a list of codes from the catalogue";
        problems.push(Problem::error(RULE, &response.status.at, message, help));
    }
}
