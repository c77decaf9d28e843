//! Compares webhooks and callbacks. The service sends these requests and the client responds, so
//! the roles are swapped: the body of the request is compared like the body of a response, and the
//! body of the response like the body of a request.

use super::context::Context;
use super::responses::{compare_headers, is_range_of, statuses};
use super::scope::Role;
use super::view::{PathItem, Side};
use super::{content, lifecycle, parameters};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;
use indexmap::IndexSet;

const WEBHOOK: &str = "webhook";
const CALLBACK: &str = "callback";

/// The name of a webhook or callback for messages, and the path item of the requests that the
/// service sends.
type Item<'a> = (String, &'a Node);

pub(super) fn compare_webhooks(context: &mut Context<'_>) {
    let (before, after) = (webhooks(context.base), webhooks(context.revision));
    compare(context, WEBHOOK, "", (&before, &after), None);
    context.operation = None;
}

fn webhooks(side: Side<'_>) -> Vec<Item<'_>> {
    let webhooks = side.root.entries("webhooks");
    let items = webhooks.map(|(name, node)| (name.to_owned(), side.resolve(node)));
    items.collect()
}

/// Compares the callbacks of the operation that is set in the context.
pub(super) fn compare_callbacks<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let all = |side: Side<'a>, operation: &'a Node| -> Vec<Item<'a>> {
        let callbacks = operation.entries("callbacks");
        let items = callbacks.flat_map(|(name, callback)| {
            let addresses = side.resolve(callback).members();
            let addresses = addresses.filter(|(address, _)| !address.starts_with("x-"));
            addresses
                .map(move |(address, node)| (format!("{name} to {address}"), side.resolve(node)))
        });
        items.collect()
    };
    let (before, after) = (all(context.base, base), all(context.revision, revision));
    let operation = context.operation.clone();
    let of = format!("{}, ", operation.as_deref().unwrap_or_default());
    let (items, owner) = ((&*before, &*after), Some((base, revision)));
    compare(context, CALLBACK, &of, items, owner);
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
    for (old, new) in pairs(before, after, |(old, _), (new, _)| old == new) {
        let name = old.or(new).map_or("", |(name, _)| name.as_str());
        let [old, new] = [old, new].map(|item| item.map(|(_, node)| *node));
        let methods = [old, new].into_iter().flatten().flat_map(Node::operations);
        let methods: IndexSet<&str> = methods.map(|(method, ..)| method).collect();
        for method in methods {
            let [from, to] = [old, new].map(|item| item?.operation(method));
            let Some(operation) = from.or(to) else {
                continue;
            };
            let label = format!("{of}{place} {method} {name}");
            lifecycle::enter(context, label, operation, to);
            context.stable &= stable;
            match (old.zip(from), new.zip(to)) {
                (Some(old), Some(new)) => compare_operation(context, place, old, new),
                (Some(_), None) => {
                    let text = format!("the {place} was removed");
                    let to = new.or(owner.map(|(_, revision)| revision));
                    context.report_at(&rules::OUTGOING_REMOVED, &[place], from, to, text);
                }
                (None, _) => {
                    let text = format!("the {place} was added");
                    let from = old.or(owner.map(|(base, _)| base));
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
    let item = |node| PathItem { path: "", node };
    lifecycle::operation(context, base, revision);
    parameters::compare(context, (item(old.0), base), (item(new.0), revision));
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
    let change = match (old, new) {
        (None, Some(_)) => Some((&rules::OUTGOING_BODY_ADDED, "was added")),
        (Some(_), None) => Some((&rules::OUTGOING_BODY_REMOVED, "was removed")),
        _ => match (required(old), required(new)) {
            (false, true) => Some((&rules::OUTGOING_BODY_BECAME_REQUIRED, "became required")),
            (true, false) => Some((&rules::OUTGOING_BODY_BECAME_OPTIONAL, "became optional")),
            _ => None,
        },
    };
    if let Some((family, verb)) = change {
        let (from, to) = (old.or(Some(base)), new.or(Some(revision)));
        context.report_at(family, &[place], from, to, format!("{what} {verb}"));
    }
    if let Some((from, to)) = old.zip(new) {
        content::compare(context, Role::ResponseBody, what, from, to);
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
        compare_headers(context, &what, old, new);
    }
    for (status, new) in &after {
        if !before.iter().any(|(other, _)| other == status) {
            let new = context.revision.resolve(new);
            let family = &rules::OUTGOING_RESPONSE_ADDED;
            let text = format!("the response `{status}` was added");
            context.report_at(family, &[place], Some(base), Some(new), text);
        }
    }
}
