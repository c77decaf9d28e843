//! Checks deprecations: dates are in order, and replacements exist. With the project rules, a
//! deprecation must state its day, its sunset and its replacement.

use crate::model::{Document, Operation};
use crate::problem::Problem;
use crate::rules::{Profile, Severity, document as rules};
use crate::suggest::did_you_mean;

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        problems.extend(check_dates(operation));
        problems.extend(check_replacement(document, operation));
        check_extensions(document, operation, profile, problems);
    }
}

fn check_dates(operation: &Operation) -> Option<Problem> {
    let since = operation.lifecycle.since.as_ref()?;
    let sunset = operation.lifecycle.sunset.as_ref()?;
    (sunset.value < since.value).then(|| {
        let label = operation.label();
        let message = format!("{label} is removed on {sunset}, before it is deprecated on {since}");
        let problem = rules::LIFECYCLE.problem(&sunset.at, message, "write a later `x-sunset`");
        problem.with_related(&since.at, "deprecated here")
    })
}

fn check_replacement(document: &Document, operation: &Operation) -> Option<Problem> {
    let id = &operation.lifecycle.replacement.as_ref()?.operation;
    match document.operation(&id.value) {
        None => {
            let ids = document.operation_ids().map(|id| id.value.as_str());
            let otherwise = "write the `operationId` of an operation of this document";
            let help = did_you_mean(&id.value, ids, otherwise);
            let message = format!("the operation `{id}` does not exist");
            Some(rules::UNKNOWN_REPLACEMENT.problem(&id.at, message, help))
        }
        Some(other) if std::ptr::eq(other, operation) => {
            let message = format!("`{id}` cannot replace itself");
            Some(rules::UNKNOWN_REPLACEMENT.problem(&id.at, message, "name another operation"))
        }
        Some(other) => other.deprecated.then(|| {
            let message = format!("the replacement `{id}` is itself deprecated");
            let help = "name an operation that is not deprecated";
            let problem = rules::LIFECYCLE.problem(&id.at, message, help);
            problem.with_severity(Severity::Warning)
        }),
    }
}

/// The project rules require the extensions for a deprecated operation. An operation that is not
/// deprecated must not have them, because no tool shows them without `deprecated: true`.
fn check_extensions(
    document: &Document,
    operation: &Operation,
    profile: Profile,
    problems: &mut Vec<Problem>,
) {
    let since = "the day from which it is deprecated, as `YYYY-MM-DD`";
    let sunset = "the day of its removal, as `YYYY-MM-DD`";
    let replacement = "`operation`, the id of the operation that replaces it, and `note`, which tells clients what to do";
    for (name, required_value) in [
        ("x-deprecated-since", Some(since)),
        ("x-deprecated-since-version", None),
        ("x-sunset", Some(sunset)),
        ("x-replacement", Some(replacement)),
    ] {
        let extension = operation.extensions.get(name);
        let label = operation.label();
        match (operation.deprecated, extension, required_value) {
            (false, Some(extension), _) => {
                let message = format!("{label} has `{name}` but is not deprecated");
                problems.push(rules::NOT_DEPRECATED.violation(&extension.at, message));
            }
            (true, None, Some(value)) if profile == Profile::Strict => {
                let message = format!("{label} is deprecated without `{name}`");
                let at = document.place_of(operation, "/deprecated");
                let help = format!("add {value}");
                problems.push(rules::INCOMPLETE_DEPRECATION.problem(at, message, help));
            }
            _ => {}
        }
    }
}
