//! Compares the responses of an operation: statuses, headers and bodies.

use super::context::Context;
use super::scope::{Role, Scope};
use super::serialization::{self, Value};
use super::view::differs;
use super::{content, lifecycle};
use crate::model::Node;
use crate::rules::changes as rules;

pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (before, after) = (statuses(base), statuses(revision));
    let is_new = |status: &str| !before.iter().any(|(other, _)| *other == status);
    let is_new_in = |range: &str, status: &str| is_range_of(range, status) && is_new(status);
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let counterpart = describing(&after, status);
        let change = match &counterpart {
            // Clients that know a range already handle each status in it.
            None if place(status) == SUCCESS
                && after.iter().any(|(other, _)| is_new_in(status, other)) =>
            {
                None
            }
            None => Some("was removed".to_owned()),
            Some((other, _)) if other == status => None,
            Some((DEFAULT, _)) => Some("is now described only by `default`".to_owned()),
            Some(_) if place(status) == SUCCESS => None,
            Some(_) => Some("is now described only by its range".to_owned()),
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
        // Clients handle the status as the base describes the range, or as it describes all other
        // statuses.
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

/// Returns the response that describes a status or a range: its own response, the response for the
/// range, or the default. If there are responses that are not errors, a default describes only errors.
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
    let statuses = operation.entries("responses");
    statuses
        .filter(|(status, _)| !status.starts_with("x-"))
        .collect()
}

const SUCCESS: &str = "response-success";

/// Returns the beginning of the ids of the rules for a status.
fn place(status: &str) -> &'static str {
    match status.starts_with('2') {
        true => SUCCESS,
        false => "response-non-success",
    }
}

/// Returns whether the first status is a range (`2XX`) that includes the second.
pub(super) fn is_range_of(range: &str, status: &str) -> bool {
    range.len() == 3
        && range.to_ascii_uppercase().ends_with("XX")
        && status.starts_with(&range[..1])
}

/// Compares the links of a response. A changed link affects only clients that follow links.
fn compare_links<'a>(context: &mut Context<'a>, what: &str, base: &'a Node, revision: &'a Node) {
    const TARGET: [&str; 5] = [
        "operationId",
        "operationRef",
        "parameters",
        "requestBody",
        "server",
    ];
    let rules = [
        &rules::RESPONSE_LINK_ADDED,
        &rules::RESPONSE_LINK_REMOVED,
        &rules::RESPONSE_LINK_CHANGED,
    ];
    for part in context.by_name("links", base, revision) {
        let is_other = |old: &Node, new: &Node| {
            let mut keywords = TARGET.iter();
            keywords.any(|keyword| differs(old.get(keyword), new.get(keyword)))
        };
        if let Some((rule, verb)) = part.change(rules, is_other) {
            let text = format!("the link `{}` of {what} {verb}", part.name);
            let (old, new) = (part.base.or(Some(base)), part.revision.or(Some(revision)));
            context.report(rule, old, new, text);
        }
    }
}

/// Compares the headers of a response. In the response to a webhook or a callback, the client sends the
/// headers.
pub(super) fn compare_headers<'a>(
    context: &mut Context<'a>,
    what: &str,
    base: &'a Node,
    revision: &'a Node,
) {
    let is_required = |header: Option<&Node>| header.is_some_and(|own| own.is_set("required"));
    for part in context.by_name("headers", base, revision) {
        let subject = format!("the header `{}` of {what}", part.name);
        let (old, new) = (part.base, part.revision);
        let (was, is) = (is_required(old), is_required(new));
        match (context.outgoing, old, new) {
            (Some(place), ..) if !was && is => {
                let text = format!("{subject} became required");
                let family = &rules::OUTGOING_RESPONSE_HEADER_BECAME_REQUIRED;
                context.report_at(family, &[place], old.or(Some(base)), new, text);
            }
            (None, Some(_), Some(_)) if was => {
                context.report_necessity("response-header", &subject, (was, old), (is, new));
            }
            (None, Some(_), None) => {
                let place = if was { "required" } else { "optional" };
                let text = format!("{subject} was removed");
                let family = &rules::RESPONSE_HEADER_REMOVED;
                context.report_at(family, &[place], old, Some(revision), text.clone());
                if !was && !old.is_some_and(|old| lifecycle::is_due(context, old)) {
                    let (family, places) = (&rules::NO_LONGER_SENT, &["response-optional-header"]);
                    context.report_at(family, places, old, Some(revision), text);
                }
            }
            (None, None, _) => {
                let text = format!("{subject} was added");
                context.report(&rules::RESPONSE_HEADER_ADDED, Some(base), new, text);
            }
            _ => {}
        }
        if let (Some(from), Some(to)) = (old, new) {
            let role = match context.outgoing {
                Some(_) => Role::Parameter,
                None => Role::ResponseHeader,
            };
            let scope = Scope::new(role, subject, false);
            let (from, to) = (Value::of_header(from), Value::of_header(to));
            serialization::compare(context, &scope, from, to);
        }
    }
}
