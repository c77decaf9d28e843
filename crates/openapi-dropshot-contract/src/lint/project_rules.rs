//! Checks the project rules. They ensure that clients, documentation and tests can be generated
//! from a document. The project rules about deprecation and error codes are in `lifecycle` and
//! `error_codes`.

use super::walk::schema_uses;
use crate::model::{Document, MediaType, Operation, Schema};
use crate::problem::Problem;
use crate::rules::document as rules;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        let label = operation.label();
        let at = &operation.at;
        if operation.id.is_none() {
            let message = format!("{label} has no `operationId`");
            let help =
                "add one, such as `listBooks`: generated clients name their methods after it";
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
        problems.extend(missing_responses(operation));
        examples(document, operation, problems);
    }
    for place in schema_uses(document) {
        place.schema.each(&mut |schema| {
            problems.extend(misplaced_stability(document, schema));
        });
    }
}

/// Returns what the middleware pipeline of every service sends for an operation, before and after
/// its handler: the statuses, each with its codes. If the catalogue of the document does not have
/// such a code, its first code for the status is sent instead.
pub(super) fn sent_statuses(
    operation: &Operation,
) -> impl Iterator<Item = (u16, &'static [&'static str])> {
    let has_body = operation.request_body.is_some();
    let is_parsed = has_body || !operation.parameters.is_empty();
    let sent: [(u16, bool, &[&str]); 9] = [
        (400, is_parsed, &["invalid_request"]),
        (401, !operation.is_open(), &["unauthorized"]),
        (408, has_body, &["request_timeout"]),
        (
            410,
            operation.lifecycle.sunset.is_some(),
            &["operation_removed"],
        ),
        (413, has_body, &["payload_too_large"]),
        (415, has_body, &["unsupported_media_type"]),
        (429, true, &["rate_limited"]),
        (500, true, &["internal_error"]),
        (503, true, &["overloaded", "unavailable"]),
    ];
    let sent = sent.into_iter().filter(|(_, is_sent, _)| *is_sent);
    sent.map(|(status, _, codes)| (status, codes))
}

/// Returns the statuses that the middleware pipeline of every service sends for an operation and
/// for which the operation has no response: 401 if it requires credentials, 400 if it has
/// parameters or a body, and so on.
pub fn missing_statuses(operation: &Operation) -> Vec<u16> {
    let sent = sent_statuses(operation).map(|(status, _)| status);
    sent.filter(|status| operation.response_for(*status).is_none())
        .collect()
}

fn missing_responses(operation: &Operation) -> Option<Problem> {
    let missing = missing_statuses(operation);
    let (last, others) = missing.split_last()?;
    let others: Vec<String> = others.iter().map(u16::to_string).collect();
    let listed = match others.len() {
        0 => format!("`{last}`"),
        _ => format!("`{}` and `{last}`", others.join("`, `")),
    };
    let range = |range: &'static str, first: u16| {
        let is_missing = missing.iter().any(|status| status / 100 == first);
        is_missing.then_some(range)
    };
    let ranges = [range("`4XX`", 4), range("`5XX`", 5)];
    let ranges: Vec<&str> = ranges.into_iter().flatten().collect();
    let message = format!(
        "{} has no response for {listed}, which the service sends",
        operation.label()
    );
    let help = format!(
        "add {} with an error body, or `default`, or each status; `generate --fix` adds the missing responses",
        ranges.join(" and ")
    );
    Some(rules::MISSING_RESPONSE.problem(&operation.at, message, help))
}

fn misplaced_stability(document: &Document, schema: &Schema) -> Option<Problem> {
    const EXTENSION: &str = "x-stability-level";
    schema.extensions.get(EXTENSION)?;
    let written = document.root.pointer(&schema.at.pointer);
    let level = written.and_then(|node| node.get(EXTENSION));
    let at = level.map_or(&schema.at, |level| &level.at);
    let message = format!("`{EXTENSION}` has no meaning in a schema");
    Some(rules::MISPLACED_STABILITY_LEVEL.violation(at, message))
}

/// Checks that every body has an example, either beside its schema or inside of it.
fn examples(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    let mut check = |body: &str, content: &[MediaType]| {
        for media_type in content {
            let schema = media_type.schema.as_ref();
            let has_own = schema
                .and_then(|schema| document.resolve(schema))
                .is_some_and(|schema| !schema.examples.is_empty());
            if media_type.examples.is_empty() && !has_own {
                // A component gets the same problem for each operation that uses it. Because the
                // message is the same, it is reported once.
                let message = match media_type.at.pointer.starts_with("/components/") {
                    true => "the body of this component has no example".to_owned(),
                    false => format!("{body} of {} has no example", operation.label()),
                };
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
