//! Compares the responses of an operation: statuses, headers and bodies.

use super::content;
use super::context::Context;
use super::scope::{Role, Scope};
use super::serialization::{self, Value};
use super::view::{differs, members};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;

pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (before, after) = (statuses(base), statuses(revision));
    let is_new = |status: &str| !before.iter().any(|(other, _)| *other == status);
    let is_new_in = |range: &str, status: &str| is_range_of(range, status) && is_new(status);
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let counterpart = describing(&after, status);
        let change = match &counterpart {
            // Clients of a range know each of its statuses.
            None if place(status) == SUCCESS
                && after.iter().any(|(other, _)| is_new_in(status, other)) =>
            {
                None
            }
            None => Some("was removed".to_owned()),
            Some((other, _)) if other == status => None,
            Some((DEFAULT, _)) => Some("is described by `default` alone".to_owned()),
            Some(_) if place(status) == SUCCESS => None,
            Some(_) => Some("is described by its range alone".to_owned()),
        };
        let what = format!("the response `{status}`");
        let new = counterpart.map(|(_, new)| context.revision.resolve(new));
        if let Some(change) = change {
            let (family, text) = (&rules::STATUS_REMOVED, format!("{what} {change}"));
            let revision = new.unwrap_or(revision);
            context.report_at(family, &[place(status)], Some(old), Some(revision), text);
        }
        if let Some(new) = new {
            compare_response(context, &what, old, new);
        }
    }
    for (status, new) in &after {
        if !is_new(status) {
            continue;
        }
        let what = format!("the response `{status}`");
        let new = context.revision.resolve(new);
        let (family, text) = (&rules::STATUS_ADDED, format!("{what} was added"));
        context.report_at(family, &[place(status)], Some(base), Some(new), text);
        // Clients know what the base says about the range, or about all other statuses.
        if let Some((wider, old)) = describing(&before, status) {
            let what = format!("{what}, which was `{wider}`");
            compare_response(context, &what, context.base.resolve(old), new);
        }
    }
}

/// Compares what two responses contain.
fn compare_response<'a>(context: &mut Context<'a>, what: &str, base: &'a Node, revision: &'a Node) {
    compare_headers(context, what, base, revision);
    compare_links(context, what, base, revision);
    content::compare(context, Role::ResponseBody, what, base, revision);
}

const DEFAULT: &str = "default";

/// The response that describes a status or a range of them: its own, that of the range, or the
/// default. Beside other responses, a default describes errors only.
fn describing<'a>(statuses: &[(&'a str, &'a Node)], status: &str) -> Option<(&'a str, &'a Node)> {
    let find = |is_wanted: &dyn Fn(&str) -> bool| {
        (statuses.iter())
            .find(|(other, _)| is_wanted(other))
            .copied()
    };
    let is_error = |status: &str| status.starts_with(['4', '5']);
    let default = || {
        let is_default = |other: &str| other == DEFAULT;
        let applies = is_error(status)
            || (statuses.iter()).all(|(other, _)| is_default(other) || is_error(other));
        find(&is_default).filter(|_| applies)
    };
    find(&|other| other == status)
        .or_else(|| find(&|other| is_range_of(other, status)))
        .or_else(default)
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
                let (was, is) = (from.is_set("required"), to.is_set("required"));
                if was {
                    context.report_necessity("response-header", &subject, (was, old), (is, new));
                }
                let scope = Scope::new(Role::ResponseHeader, subject, false);
                let (from, to) = (Value::of_header(from), Value::of_header(to));
                serialization::compare(context, &scope, from, to);
            }
            (Some(from), None) => {
                let places = match from.is_set("required") {
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
