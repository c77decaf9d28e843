//! Compares webhooks and callbacks. The service sends these requests, and the client responds,
//! so that the roles are swapped: the body of the request is compared as that of a response,
//! and the body of the response as that of a request.

use super::context::Context;
use super::responses::{is_range_of, statuses};
use super::scope::{Role, Scope};
use super::serialization::{self, Value};
use super::view::{Side, members};
use super::{content, lifecycle, parameters};
use crate::model::{Method, Node};
use crate::pairs::pairs;
use crate::rules::changes as rules;

const WEBHOOK: &str = "webhook";
const CALLBACK: &str = "callback";

/// A path item of requests that the service sends, with its name in messages.
struct Item<'a> {
    name: String,
    node: &'a Node,
}

pub(super) fn compare_webhooks(context: &mut Context<'_>) {
    let (before, after) = (webhooks(context.base), webhooks(context.revision));
    compare(context, WEBHOOK, "", (&before, &after), None);
    context.operation = None;
}

fn webhooks(side: Side<'_>) -> Vec<Item<'_>> {
    let webhooks = members(side.root, "webhooks").into_iter();
    let items = webhooks.map(|(name, node)| Item {
        name: name.to_owned(),
        node: side.resolve(node),
    });
    items.collect()
}

/// Compares the callbacks of an operation, which is the one of the context.
pub(super) fn compare_callbacks<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let all = |side: Side<'a>, operation: &'a Node| -> Vec<Item<'a>> {
        let callbacks = members(operation, "callbacks").into_iter();
        let items = callbacks.flat_map(|(name, callback)| {
            let addresses = side.resolve(callback).as_object().into_iter().flatten();
            let addresses = addresses.filter(|(address, _)| !address.starts_with("x-"));
            addresses.map(move |(address, member)| Item {
                name: format!("{name} to {address}"),
                node: side.resolve(&member.value),
            })
        });
        items.collect()
    };
    let (before, after) = (all(context.base, base), all(context.revision, revision));
    let operation = context.operation.clone();
    let of = operation.as_deref().unwrap_or_default();
    let of = format!("{of}, ");
    compare(
        context,
        CALLBACK,
        &of,
        (&before, &after),
        Some((base, revision)),
    );
    context.operation = operation;
}

fn compare<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    of: &str,
    (before, after): (&[Item<'a>], &[Item<'a>]),
    owner: Option<(&'a Node, &'a Node)>,
) {
    let (stable, days) = (context.stable, context.deprecation_days);
    context.outgoing = Some(place);
    for (old, new) in pairs(before, after, |old, new| old.name == new.name) {
        let name = old.or(new).map_or("", |item| item.name.as_str());
        for method in Method::ALL {
            let from = old.and_then(|old| old.node.get(method.key()));
            let to = new.and_then(|new| new.node.get(method.key()));
            let Some(operation) = from.or(to) else {
                continue;
            };
            lifecycle::enter(
                context,
                format!("{of}{place} {method} {name}"),
                operation,
                to,
            );
            context.stable &= stable;
            match (old.zip(from), new.zip(to)) {
                (Some((old, from)), Some((new, to))) => {
                    compare_operation(context, place, (old.node, from), (new.node, to));
                }
                (Some(_), None) => {
                    let text = format!("the {place} was removed");
                    let to = new
                        .map(|new| new.node)
                        .or(owner.map(|(_, revision)| revision));
                    context.report_at(&rules::OUTGOING_REMOVED, &[place], from, to, text);
                }
                (None, _) => {
                    let text = format!("the {place} was added");
                    let from = old.map(|old| old.node).or(owner.map(|(base, _)| base));
                    context.report_at(&rules::OUTGOING_ADDED, &[place], from, to, text);
                }
            }
        }
    }
    context.outgoing = None;
    (context.stable, context.deprecation_days) = (stable, days);
}

fn compare_operation<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    old: (&'a Node, &'a Node),
    new: (&'a Node, &'a Node),
) {
    let ((_, base), (_, revision)) = (old, new);
    lifecycle::operation(context, base, revision);
    parameters::compare_outgoing(context, place, old, new);
    compare_body(context, place, base, revision);
    compare_responses(context, place, base, revision);
}

fn compare_body<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    base: &'a Node,
    revision: &'a Node,
) {
    let what = "the body of the request";
    let old = context.base.get(base, "requestBody");
    let new = context.revision.get(revision, "requestBody");
    let required = |body: Option<&Node>| body.is_some_and(|body| body.is_set("required"));
    let (family, verb) = match (old, new) {
        (None, Some(_)) => (&rules::OUTGOING_BODY_ADDED, "was added"),
        (Some(_), None) => (&rules::OUTGOING_BODY_REMOVED, "was removed"),
        _ if !required(old) && required(new) => {
            (&rules::OUTGOING_BODY_BECAME_REQUIRED, "became required")
        }
        _ if required(old) && !required(new) => {
            (&rules::OUTGOING_BODY_BECAME_OPTIONAL, "became optional")
        }
        _ => return compare_content(context, what, old.zip(new)),
    };
    let (from, to) = (old.or(Some(base)), new.or(Some(revision)));
    context.report_at(family, &[place], from, to, format!("{what} {verb}"));
    compare_content(context, what, old.zip(new));
}

fn compare_content<'a>(
    context: &mut Context<'a>,
    what: &str,
    bodies: Option<(&'a Node, &'a Node)>,
) {
    if let Some((base, revision)) = bodies {
        content::compare(context, Role::ResponseBody, what, base, revision);
    }
}

fn compare_responses<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    base: &'a Node,
    revision: &'a Node,
) {
    let (before, after) = (statuses(base), statuses(revision));
    for (status, old) in &before {
        let old = context.base.resolve(old);
        let what = format!("the response `{status}`");
        let exact = after.iter().find(|(other, _)| other == status);
        let wider = || {
            let is_wider = |other: &str| is_range_of(other, status) || other == "default";
            after.iter().find(|(other, _)| is_wider(other))
        };
        let Some((_, new)) = exact.or_else(wider) else {
            let text = format!("{what} was removed");
            let family = &rules::OUTGOING_RESPONSE_REMOVED;
            context.report_at(family, &[place], Some(old), Some(revision), text);
            continue;
        };
        let new = context.revision.resolve(new);
        content::compare(context, Role::RequestBody, &what, old, new);
        compare_headers(context, place, &what, old, new);
    }
    for (status, new) in &after {
        if !before.iter().any(|(other, _)| other == status) {
            let text = format!("the response `{status}` was added");
            let new = Some(context.revision.resolve(new));
            context.report_at(
                &rules::OUTGOING_RESPONSE_ADDED,
                &[place],
                Some(base),
                new,
                text,
            );
        }
    }
}

/// Compares the headers with which the client responds.
fn compare_headers<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    what: &str,
    base: &'a Node,
    revision: &'a Node,
) {
    let (before, after) = (members(base, "headers"), members(revision, "headers"));
    for pair in pairs(&before, &after, |(a, _), (b, _)| a.eq_ignore_ascii_case(b)) {
        let name = pair.0.or(pair.1).map_or("", |(name, _)| *name);
        let subject = format!("the header `{name}` of {what}");
        let old = pair.0.map(|(_, old)| context.base.resolve(old));
        let Some(new) = pair.1.map(|(_, new)| context.revision.resolve(new)) else {
            continue;
        };
        let was = old.is_some_and(|old| old.is_set("required"));
        if !was && new.is_set("required") {
            let text = format!("{subject} became required");
            let family = &rules::OUTGOING_RESPONSE_HEADER_BECAME_REQUIRED;
            context.report_at(family, &[place], old.or(Some(base)), Some(new), text);
        }
        if let Some(old) = old {
            let scope = Scope::new(Role::Parameter, subject, false);
            let (old, new) = (Value::of_header(old), Value::of_header(new));
            serialization::compare(context, &scope, old, new);
        }
    }
}
