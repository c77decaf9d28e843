//! Checks deprecations: dates are in order and replacements exist; by the
//! project rules, a deprecation states since when, until when, and what to use
//! instead.

use crate::model::{Document, Location, Operation};
use crate::problem::Problem;
use crate::rules::{Profile, Severity, document as rules};
use crate::suggest::did_you_mean;

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        problems.extend(check_dates(operation));
        problems.extend(check_replacement(document, operation));
        if !operation.deprecated {
            check_not_deprecated(operation, problems);
        } else if profile == Profile::Strict {
            check_complete(document, operation, problems);
        }
    }
}

fn check_dates(operation: &Operation) -> Option<Problem> {
    let since = operation.lifecycle.since.as_ref()?;
    let sunset = operation.lifecycle.sunset.as_ref()?;
    (sunset.value < since.value).then(|| {
        let message = format!(
            "{} is removed on {}, before it is deprecated on {}",
            operation.label(),
            sunset.value,
            since.value
        );
        let problem = rules::LIFECYCLE.problem(&sunset.at, message, "write a later `x-sunset`");
        problem.with_related(&since.at, "deprecated here")
    })
}

fn check_replacement(document: &Document, operation: &Operation) -> Option<Problem> {
    let replacement = operation.lifecycle.replacement.as_ref()?;
    let (id, at) = (&replacement.operation.value, &replacement.operation.at);
    let name = id.escape_debug();
    match document.operation(id) {
        None => {
            let ids = document
                .operations
                .iter()
                .filter_map(|operation| operation.id.as_ref());
            let help = did_you_mean(
                id,
                ids.map(|id| id.value.as_str()),
                "write the `operationId` of an operation of this document",
            );
            let message = format!("there is no operation `{name}`");
            Some(rules::UNKNOWN_REPLACEMENT.problem(at, message, help))
        }
        Some(other) if std::ptr::eq(other, operation) => {
            let message = format!("`{name}` cannot replace itself");
            Some(rules::UNKNOWN_REPLACEMENT.problem(at, message, "name another operation"))
        }
        Some(other) => other.deprecated.then(|| {
            let message = format!("the replacement `{name}` is deprecated itself");
            let problem = rules::LIFECYCLE.problem(at, message, "name an operation that stays");
            problem.with_severity(Severity::Warning)
        }),
    }
}

fn check_complete(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    let lifecycle = &operation.lifecycle;
    let at = document.place_of(operation, "/deprecated");
    for (is_missing, name, help) in [
        (
            lifecycle.since.is_none(),
            "x-deprecated-since",
            "add the day from which it is deprecated, as `YYYY-MM-DD`",
        ),
        (
            lifecycle.sunset.is_none(),
            "x-sunset",
            "add the day of its removal, as `YYYY-MM-DD`",
        ),
        (
            lifecycle.replacement.is_none(),
            "x-replacement",
            "add `operation`, the id of what replaces it, and `note`, what to do",
        ),
    ] {
        if is_missing {
            let message = format!("{} is deprecated without `{name}`", operation.label());
            problems.push(rules::INCOMPLETE_DEPRECATION.problem(at, message, help));
        }
    }
}

/// Without `deprecated: true`, no tool shows these extensions to anybody.
fn check_not_deprecated(operation: &Operation, problems: &mut Vec<Problem>) {
    let lifecycle = &operation.lifecycle;
    let version = lifecycle.since_version.as_ref();
    let replacement = lifecycle.replacement.as_ref();
    let extensions: [(&str, Option<&Location>); 4] = [
        (
            "x-deprecated-since",
            lifecycle.since.as_ref().map(|date| &date.at),
        ),
        (
            "x-deprecated-since-version",
            version.map(|version| &version.at),
        ),
        ("x-sunset", lifecycle.sunset.as_ref().map(|date| &date.at)),
        (
            "x-replacement",
            replacement.map(|replacement| &replacement.at),
        ),
    ];
    for (name, at) in extensions {
        if let Some(at) = at {
            let message = format!("{} has `{name}` but is not deprecated", operation.label());
            let help = "add `deprecated: true`, or remove it";
            problems.push(rules::NOT_DEPRECATED.problem(at, message, help));
        }
    }
}
