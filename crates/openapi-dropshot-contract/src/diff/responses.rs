//! Responses of an operation by status, their headers and bodies.

use super::context::Context;
use super::schema::Direction;
use super::view::members;
use super::{content, headers};
use crate::model::Node;

pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (before, after) = (statuses(base), statuses(revision));
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let found = after
            .iter()
            .find(|(other, _)| other == status)
            .or_else(|| after.iter().find(|(other, _)| is_range_of(other, status)));
        let Some((_, new)) = found else {
            let text = format!("the response `{status}` was removed");
            let id = format!("response-{}-status-removed", kind(status));
            context.report(&id, Some(old), Some(revision), text);
            continue;
        };
        let new = context.revision.resolve(new);
        if kind(status) != "success" && !after.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` is told by its range alone");
            let id = "response-non-success-status-removed";
            context.report(id, Some(old), Some(new), text);
        }
        let what = format!("the response `{status}`");
        headers::compare(context, &what, old, new);
        content::compare(context, Direction::Response, &what, old, new);
    }
    for (status, new) in &after {
        if !before.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` was added");
            let id = format!("response-{}-status-added", kind(status));
            context.report(&id, Some(base), Some(context.revision.resolve(new)), text);
        }
    }
}

fn statuses(operation: &Node) -> Vec<(&str, &Node)> {
    let mut statuses = members(operation, "responses");
    statuses.retain(|(status, _)| !status.starts_with("x-"));
    statuses
}

fn kind(status: &str) -> &'static str {
    if status.starts_with('2') {
        "success"
    } else {
        "non-success"
    }
}

/// Whether the first is the range (`2XX`) that holds the second.
fn is_range_of(range: &str, status: &str) -> bool {
    range.len() == 3
        && range.to_ascii_uppercase().ends_with("XX")
        && status.starts_with(&range[..1])
}
