//! Compares the responses of an operation: statuses, headers and bodies.

use super::content;
use super::context::Context;
use super::schema;
use super::scope::{Direction, Role, Scope};
use super::view::{is_true, members};
use crate::model::Node;
use crate::rules::changes as rules;

pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (before, after) = (statuses(base), statuses(revision));
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let counterpart = after
            .iter()
            .find(|(other, _)| other == status)
            .or_else(|| after.iter().find(|(other, _)| is_range_of(other, status)));
        let Some((_, new)) = counterpart else {
            let text = format!("the response `{status}` was removed");
            let rule = match is_success(status) {
                true => &rules::RESPONSE_SUCCESS_STATUS_REMOVED,
                false => &rules::RESPONSE_NON_SUCCESS_STATUS_REMOVED,
            };
            context.report(rule, Some(old), Some(revision), text);
            continue;
        };
        let new = context.revision.resolve(new);
        if !is_success(status) && !after.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` is described by its range alone");
            let rule = &rules::RESPONSE_NON_SUCCESS_STATUS_REMOVED;
            context.report(rule, Some(old), Some(new), text);
        }
        let what = format!("the response `{status}`");
        compare_headers(context, &what, old, new);
        content::compare(context, Direction::Response, &what, old, new);
    }
    for (status, new) in &after {
        if !before.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` was added");
            let rule = match is_success(status) {
                true => &rules::RESPONSE_SUCCESS_STATUS_ADDED,
                false => &rules::RESPONSE_NON_SUCCESS_STATUS_ADDED,
            };
            context.report(rule, Some(base), Some(context.revision.resolve(new)), text);
        }
    }
}

fn statuses(operation: &Node) -> Vec<(&str, &Node)> {
    let mut statuses = members(operation, "responses");
    statuses.retain(|(status, _)| !status.starts_with("x-"));
    statuses
}

fn is_success(status: &str) -> bool {
    status.starts_with('2')
}

/// Whether the first is the range (`2XX`) that includes the second.
fn is_range_of(range: &str, status: &str) -> bool {
    range.len() == 3
        && range.to_ascii_uppercase().ends_with("XX")
        && status.starts_with(&range[..1])
}

fn compare_headers<'a>(context: &mut Context<'a>, what: &str, base: &'a Node, revision: &'a Node) {
    let (before, after) = (members(base, "headers"), members(revision, "headers"));
    for (name, old) in &before {
        let old = context.base.resolve(old);
        let counterpart = (after.iter()).find(|(other, _)| other.eq_ignore_ascii_case(name));
        let subject = format!("the header `{name}` of {what}");
        let Some((_, new)) = counterpart else {
            let rule = if is_true(old, "required") {
                &rules::REQUIRED_RESPONSE_HEADER_REMOVED
            } else {
                &rules::OPTIONAL_RESPONSE_HEADER_REMOVED
            };
            let text = format!("{subject} was removed");
            context.report(rule, Some(old), Some(revision), text);
            continue;
        };
        let new = context.revision.resolve(new);
        if is_true(old, "required") && !is_true(new, "required") {
            let text = format!("{subject} became optional");
            let rule = &rules::RESPONSE_HEADER_BECAME_OPTIONAL;
            context.report(rule, Some(old), Some(new), text);
        }
        if let (Some(old), Some(new)) = (old.get("schema"), new.get("schema")) {
            let scope = Scope::new(Direction::Response, Role::Header, subject, false);
            schema::start(context, &scope, old, new);
        }
    }
    for (name, new) in &after {
        if !before
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            let new = context.revision.resolve(new);
            let text = format!("the header `{name}` of {what} was added");
            context.report(&rules::RESPONSE_HEADER_ADDED, Some(base), Some(new), text);
        }
    }
}
