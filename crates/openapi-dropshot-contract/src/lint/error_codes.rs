//! Checks `x-error-codes` of responses against the catalogue: each code is in the catalogue and is
//! listed in the response with the status of the code, and each code that every service sends is
//! listed.

use super::project_rules::sent_statuses;
use crate::model::{Document, Operation, Response, Spanned};
use crate::problem::Problem;
use crate::rules::{
    Profile,
    document::{ERROR_CODES, UNLISTED_ERROR_CODE},
};
use crate::suggest::did_you_mean;
use std::collections::HashSet;

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        for response in &operation.responses {
            let mut seen = HashSet::new();
            for code in &response.error_codes {
                problems.extend(check_code(document, operation, response, code));
                if !seen.insert(&code.value) {
                    let message = format!("the error code `{code}` is listed twice");
                    problems.push(ERROR_CODES.problem(&code.at, message, "remove one of them"));
                }
            }
            if profile == Profile::Strict {
                problems.extend(check_present(document, operation, response));
                problems.extend(check_sent(document, operation, response));
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
    let catalogue = document.error_catalogue()?;
    let Some(entry) = document.error_code(&code.value) else {
        let known = catalogue.iter().map(|entry| entry.code.as_str());
        let otherwise = "add it to `x-error-catalogue` and to the list beside it";
        let help = did_you_mean(&code.value, known, otherwise);
        let message = format!("the error code `{code}` is not in the catalogue");
        return Some(ERROR_CODES.problem(&code.at, message, help));
    };
    let (status, sent, label) = (response.status.value, entry.status, operation.label());
    // The response that describes this status for a client.
    let matching = operation.response_for(sent);
    let (message, help) = match matching.map(|response| response.status.value) {
        Some(right) if right == status => return None,
        Some(right) if status.contains(sent) => (
            format!("`{code}` has the status {sent}, for which {label} has a separate response"),
            format!("move it to `x-error-codes` of the response `{right}`"),
        ),
        _ => (
            format!(
                "`{code}` has the status {sent}, but is listed in the response `{status}` of {label}"
            ),
            "move it to the response of its status, or correct the catalogue".to_owned(),
        ),
    };
    let problem = ERROR_CODES.problem(&code.at, message, help);
    Some(problem.with_related(&entry.at, "its entry in the catalogue"))
}

/// Checks that an error response lists its codes. A client that handles errors must know which
/// codes it can get.
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
    status.may_be_error().then(|| {
        let label = operation.label();
        let message = format!("the response `{status}` of {label} lists no error codes");
        let help = "add `x-error-codes`, a list of codes from the catalogue";
        ERROR_CODES.problem(&response.status.at, message, help)
    })
}

/// Checks that the codes that the middleware pipeline of every service sends are listed, too.
fn check_sent(document: &Document, operation: &Operation, response: &Response) -> Option<Problem> {
    let catalogue = document.error_catalogue()?;
    if response.error_codes.is_empty() {
        return None;
    }
    let mut is_complete = true;
    let mut missing = Vec::new();
    for (status, codes) in sent_statuses(operation) {
        for &code in codes {
            // The pipeline chooses an entry of the catalogue in the same way.
            let with_status = || catalogue.iter().find(|entry| entry.status == status);
            let entry = document.error_code(code).or_else(with_status);
            let (code, status) = entry.map_or((code, status), |entry| (&entry.code, entry.status));
            let is_here = operation
                .response_for(status)
                .is_some_and(|found| std::ptr::eq(found, response));
            if is_here && response.error_codes.iter().all(|own| own.value != code) {
                is_complete &= entry.is_some();
                missing.push(format!("`{code}` (status {status})"));
            }
        }
    }
    let (last, others) = missing.split_last()?;
    let listed = match others {
        [] => last.clone(),
        _ => format!("{} and {last}", others.join(", ")),
    };
    let label = operation.label();
    let message = format!("{label} does not list {listed}, which the service sends");
    let range = response.status.value;
    let of_catalogue = match is_complete {
        true => "",
        false => "`x-error-catalogue` and to ",
    };
    let help =
        format!("add the missing codes to {of_catalogue}`x-error-codes` of the response `{range}`");
    Some(UNLISTED_ERROR_CODE.problem(&response.status.at, message, help))
}
