//! Compares the responses of an operation: statuses, headers and bodies.

use super::content;
use super::context::Context;
use super::scope::{Role, Scope};
use super::serialization::{self, Value};
use super::view::{differs, is_true, members};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;

pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (before, after) = (statuses(base), statuses(revision));
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let exact = after.iter().find(|(other, _)| other == status);
        let range = || after.iter().find(|(other, _)| is_range_of(other, status));
        let counterpart = exact.or_else(range);
        let new = counterpart.map_or(revision, |(_, new)| context.revision.resolve(new));
        let what = format!("the response `{status}`");
        let change = match (exact, counterpart) {
            (_, None) => Some("was removed"),
            (None, _) if place(status) != SUCCESS => Some("is described by its range alone"),
            _ => None,
        };
        if let Some(change) = change {
            let (family, text) = (&rules::STATUS_REMOVED, format!("{what} {change}"));
            context.report_at(family, &[place(status)], Some(old), Some(new), text);
        }
        if counterpart.is_some() {
            compare_headers(context, &what, old, new);
            compare_links(context, &what, old, new);
            content::compare(context, Role::ResponseBody, &what, old, new);
        }
    }
    for (status, new) in &after {
        if !before.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` was added");
            let new = Some(context.revision.resolve(new));
            let family = &rules::STATUS_ADDED;
            context.report_at(family, &[place(status)], Some(base), new, text);
        }
    }
}

pub(super) fn statuses(operation: &Node) -> Vec<(&str, &Node)> {
    let mut statuses = members(operation, "responses");
    statuses.retain(|(status, _)| !status.starts_with("x-"));
    statuses
}

const SUCCESS: &str = "response-success";

/// Returns the beginning of the ids of the rules for a status.
fn place(status: &str) -> &'static str {
    match status.starts_with('2') {
        true => SUCCESS,
        false => "response-non-success",
    }
}

/// Whether the first is the range (`2XX`) that includes the second.
pub(super) fn is_range_of(range: &str, status: &str) -> bool {
    range.len() == 3
        && range.to_ascii_uppercase().ends_with("XX")
        && status.starts_with(&range[..1])
}

/// Compares the links of a response. Other clients than those that follow them see nothing.
fn compare_links(context: &mut Context<'_>, what: &str, base: &Node, revision: &Node) {
    let (before, after) = (members(base, "links"), members(revision, "links"));
    for (old, new) in pairs(&before, &after, |(a, _), (b, _)| a == b) {
        let name = old.or(new).map_or("", |(name, _)| *name);
        let old = old.map(|(_, old)| context.base.resolve(old));
        let new = new.map(|(_, new)| context.revision.resolve(new));
        let is_other = |old: &Node, new: &Node| {
            [
                "operationId",
                "operationRef",
                "parameters",
                "requestBody",
                "server",
            ]
            .iter()
            .any(|keyword| differs(old.get(keyword), new.get(keyword)))
        };
        let (rule, verb) = match (old, new) {
            (Some(old), Some(new)) if !is_other(old, new) => continue,
            (Some(_), Some(_)) => (&rules::RESPONSE_LINK_CHANGED, "changed"),
            (Some(_), None) => (&rules::RESPONSE_LINK_REMOVED, "was removed"),
            (None, _) => (&rules::RESPONSE_LINK_ADDED, "was added"),
        };
        let text = format!("the link `{name}` of {what} {verb}");
        context.report(rule, old.or(Some(base)), new.or(Some(revision)), text);
    }
}

fn compare_headers<'a>(context: &mut Context<'a>, what: &str, base: &'a Node, revision: &'a Node) {
    let (before, after) = (members(base, "headers"), members(revision, "headers"));
    for pair in pairs(&before, &after, |(a, _), (b, _)| a.eq_ignore_ascii_case(b)) {
        let name = pair.0.or(pair.1).map_or("", |(name, _)| *name);
        let subject = format!("the header `{name}` of {what}");
        let old = pair.0.map(|(_, old)| context.base.resolve(old));
        let new = pair.1.map(|(_, new)| context.revision.resolve(new));
        match (old, new) {
            (Some(from), Some(to)) => {
                let (was, is) = (is_true(from, "required"), is_true(to, "required"));
                if was {
                    context.report_necessity("response-header", &subject, (was, old), (is, new));
                }
                let scope = Scope::new(Role::ResponseHeader, subject, false);
                let (from, to) = (Value::of_header(from), Value::of_header(to));
                serialization::compare(context, &scope, from, to);
            }
            (Some(from), None) => {
                let places = match is_true(from, "required") {
                    true => &["required"],
                    false => &["optional"],
                };
                let text = format!("{subject} was removed");
                let family = &rules::RESPONSE_HEADER_REMOVED;
                context.report_at(family, places, old, Some(revision), text);
            }
            (None, _) => {
                let text = format!("{subject} was added");
                context.report(&rules::RESPONSE_HEADER_ADDED, Some(base), new, text);
            }
        }
    }
}
