//! Deprecation: dates in their order, a replacement that exists; and by the
//! house rules, since when, until when, and what to use instead.

use super::Profile;
use crate::model::{Document, Location, Operation};
use crate::problem::Problem;
use crate::read::closest;

const RULE: &str = "lifecycle";

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        dates(operation, problems);
        replacement(document, operation, problems);
        if operation.deprecated && profile == Profile::House {
            complete(document, operation, problems);
        }
        if !operation.deprecated {
            premature(operation, problems);
        }
    }
}

fn dates(operation: &Operation, problems: &mut Vec<Problem>) {
    if let (Some(since), Some(sunset)) = (&operation.lifecycle.since, &operation.lifecycle.sunset)
        && sunset.value < since.value
    {
        problems.push(
            Problem::error(
                RULE,
                &sunset.at,
                format!(
                    "{} is removed on {}, before it is deprecated on {}",
                    operation.label(),
                    sunset.value,
                    since.value
                ),
                "write a later `x-sunset`",
            )
            .with_related(&since.at, "deprecated here"),
        );
    }
}

fn replacement(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    let Some(replacement) = &operation.lifecycle.replacement else {
        return;
    };
    let name = &replacement.operation;
    let shown = name.value.escape_debug();
    match document.operation(&name.value) {
        None => {
            let ids = document
                .operations
                .iter()
                .filter_map(|operation| operation.id.as_ref());
            let help = match closest(&name.value, ids.map(|id| id.value.as_str())) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "write the `operationId` of an operation of this document".to_owned(),
            };
            let message = format!("there is no operation `{shown}`");
            problems.push(Problem::error(
                "unknown-replacement",
                &name.at,
                message,
                help,
            ));
        }
        Some(other) if std::ptr::eq(other, operation) => {
            let message = format!("`{shown}` cannot replace itself");
            problems.push(Problem::error(
                "unknown-replacement",
                &name.at,
                message,
                "name another operation",
            ));
        }
        Some(other) if other.deprecated => {
            let message = format!("the replacement `{shown}` is deprecated itself");
            problems.push(Problem::warning(
                RULE,
                &name.at,
                message,
                "name an operation that stays",
            ));
        }
        Some(_) => {}
    }
}

fn complete(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    let lifecycle = &operation.lifecycle;
    let pointer = format!("{}/deprecated", operation.at.pointer);
    let at = document
        .root
        .pointer(&pointer)
        .map_or(&operation.at, |node| &node.at);
    let mut missing = |name: &str, help: &str| {
        let message = format!("{} is deprecated without `{name}`", operation.label());
        problems.push(Problem::error("incomplete-deprecation", at, message, help));
    };
    if lifecycle.since.is_none() {
        missing(
            "x-deprecated-since",
            "add the day from which it is deprecated, as `YYYY-MM-DD`",
        );
    }
    if lifecycle.sunset.is_none() {
        missing("x-sunset", "add the day of its removal, as `YYYY-MM-DD`");
    }
    if lifecycle.replacement.is_none() {
        missing(
            "x-replacement",
            "add `operation`, the id of what replaces it, and `note`, what to do",
        );
    }
}

/// Without `deprecated: true` no tool would tell anybody of these.
fn premature(operation: &Operation, problems: &mut Vec<Problem>) {
    let lifecycle = &operation.lifecycle;
    let marks: [(&str, Option<&Location>); 4] = [
        (
            "x-deprecated-since",
            lifecycle.since.as_ref().map(|date| &date.at),
        ),
        (
            "x-deprecated-since-version",
            lifecycle.since_version.as_ref().map(|version| &version.at),
        ),
        ("x-sunset", lifecycle.sunset.as_ref().map(|date| &date.at)),
        (
            "x-replacement",
            lifecycle
                .replacement
                .as_ref()
                .map(|replacement| &replacement.at),
        ),
    ];
    for (name, at) in marks {
        if let Some(at) = at {
            let message = format!("{} has `{name}` but is not deprecated", operation.label());
            problems.push(Problem::error(
                "not-deprecated",
                at,
                message,
                "add `deprecated: true`, or remove it",
            ));
        }
    }
}
