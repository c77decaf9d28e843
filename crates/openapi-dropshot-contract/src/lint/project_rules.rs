//! Checks the project rules, so that clients, documentation and tests can be
//! made from a document. The project rules about deprecation and error codes
//! are in `lifecycle` and `error_codes`.

use crate::model::{Document, MediaType, Operation};
use crate::problem::Problem;
use crate::rules::document as rules;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        let label = operation.label();
        let at = &operation.at;
        if operation.id.is_none() {
            let message = format!("{label} has no `operationId`");
            let help = "add one, such as `listBooks`: methods of clients are named by it";
            problems.push(rules::MISSING_OPERATION_ID.problem(at, message, help));
        }
        let summary = operation.summary.as_deref().unwrap_or_default();
        if summary.trim().is_empty() {
            let message = format!("{label} has no `summary`");
            problems.push(rules::MISSING_SUMMARY.violation(at, message));
        }
        if operation.is_open() {
            let message = format!("{label} can be called without credentials");
            problems.push(rules::UNSECURED_OPERATION.violation(at, message));
        }
        examples(document, operation, problems);
    }
}

/// Every body has an example: beside its schema, or in it.
fn examples(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    let mut check = |body: &str, content: &[MediaType]| {
        for media_type in content {
            let schema = media_type.schema.as_ref();
            let has_own = schema
                .and_then(|schema| document.resolve(schema))
                .is_some_and(|schema| schema.example.is_some());
            if media_type.examples.is_empty() && !has_own {
                let message = format!("{body} of {} has no example", operation.label());
                problems.push(rules::MISSING_EXAMPLE.violation(&media_type.at, message));
            }
        }
    };
    if let Some(body) = &operation.request_body {
        check("the request body", &body.content);
    }
    for response in &operation.responses {
        let body = format!("the response `{}`", response.status.value);
        check(&body, &response.content);
    }
}
