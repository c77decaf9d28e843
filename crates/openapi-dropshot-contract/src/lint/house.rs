//! What our own documents must have beyond what OpenAPI asks for, so that
//! clients, documentation and tests can be made from them. Rules about
//! deprecation and error codes are in `lifecycle` and `errors`.

use crate::model::{Document, MediaType, Operation};
use crate::problem::Problem;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        named(operation, problems);
        secured(operation, problems);
        if let Some(body) = &operation.request_body {
            shown(
                document,
                "the request body",
                operation,
                &body.content,
                problems,
            );
        }
        for response in &operation.responses {
            let what = format!("the response `{}`", response.status.value);
            shown(document, &what, operation, &response.content, problems);
        }
    }
}

fn named(operation: &Operation, problems: &mut Vec<Problem>) {
    if operation.id.is_none() {
        let message = format!("{} has no `operationId`", operation.label());
        let help = "add one, such as `listBooks`: methods of clients are named by it";
        problems.push(Problem::error(
            "missing-operation-id",
            &operation.at,
            message,
            help,
        ));
    }
    if operation
        .summary
        .as_ref()
        .is_none_or(|summary| summary.trim().is_empty())
    {
        let message = format!("{} has no `summary`", operation.label());
        let help = "add one line that says what it does";
        problems.push(Problem::error(
            "missing-summary",
            &operation.at,
            message,
            help,
        ));
    }
}

fn secured(operation: &Operation, problems: &mut Vec<Problem>) {
    let is_open = operation.security.is_empty()
        || operation.security.iter().any(|schemes| schemes.is_empty());
    if is_open {
        let message = format!("{} can be called without credentials", operation.label());
        let help = "name a scheme in `security`, of the operation or of the document";
        problems.push(Problem::error(
            "unsecured-operation",
            &operation.at,
            message,
            help,
        ));
    }
}

/// Every body has an example: beside its schema, or in it.
fn shown(
    document: &Document,
    what: &str,
    operation: &Operation,
    content: &[MediaType],
    problems: &mut Vec<Problem>,
) {
    for media_type in content {
        let in_schema = media_type
            .schema
            .as_ref()
            .and_then(|schema| document.resolve(schema))
            .is_some_and(|schema| schema.example.is_some());
        if media_type.examples.is_empty() && !in_schema {
            let message = format!("{what} of {} has no example", operation.label());
            let help = "add `example` beside its schema";
            problems.push(Problem::error(
                "missing-example",
                &media_type.at,
                message,
                help,
            ));
        }
    }
}
