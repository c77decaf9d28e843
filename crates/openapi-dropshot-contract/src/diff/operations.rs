//! Compares paths and operations, and the parts that belong to an operation or to the whole document:
//! ids, tags, component schemas and the version.

use super::context::Context;
use super::view::{PathItem, Side, missing};
use super::{content, lifecycle, outgoing, parameters, responses, security};
use crate::grammar::ObjectKind;
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::{Level, changes as rules};
use crate::template;
use crate::version::Version;
use std::collections::HashMap;

pub(super) fn compare(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let by_shape = |side| -> HashMap<String, PathItem<'_>> {
        items(side)
            .map(|item| (template::shape(item.path), item))
            .collect()
    };
    let (before, after) = (by_shape(base), by_shape(revision));
    for old in items(base) {
        let new = after.get(&template::shape(old.path));
        for (method, from) in operations(old.node) {
            let to = new.and_then(|new| Some((*new, new.node.operation(method)?)));
            let operation = format!("{method} {}", old.path);
            lifecycle::enter(context, operation, from, to.map(|(_, to)| to));
            match to {
                Some(to) => compare_operation(context, (old, from), to),
                None => lifecycle::operation_removed(context, from, new.is_none()),
            }
        }
    }
    for new in items(revision) {
        let old = before.get(&template::shape(new.path));
        for (method, to) in operations(new.node) {
            if old.is_none_or(|old| old.node.operation(method).is_none()) {
                lifecycle::enter(context, format!("{method} {}", new.path), to, None);
                let text = "the operation was added";
                context.report(&rules::ENDPOINT_ADDED, None, Some(to), text);
            }
        }
    }
    context.operation = None;
    context.stable = true;
}

fn compare_operation<'a>(
    context: &mut Context<'a>,
    old: (PathItem<'a>, &'a Node),
    new: (PathItem<'a>, &'a Node),
) {
    let ((_, base), (_, revision)) = (old, new);
    lifecycle::operation(context, base, revision);
    operation_id(context, base, revision);
    tags(context, base, revision);
    waiters(context, base, revision);
    limits(context, base, revision);
    security::compare(context, base, revision);
    parameters::compare(context, old, new);
    content::compare_request(context, base, revision);
    responses::compare(context, base, revision);
    operation_servers(context, old, new);
    outgoing::compare_callbacks(context, base, revision);
}

/// Compares the servers of an operation if the operation or its path has its own servers.
fn operation_servers(
    context: &mut Context<'_>,
    old: (PathItem<'_>, &Node),
    new: (PathItem<'_>, &Node),
) {
    let own = |(item, operation): (PathItem<'_>, &Node)| {
        [operation, item.node]
            .iter()
            .any(|node| node.get("servers").is_some())
    };
    if own(old) || own(new) {
        let from = [old.1, old.0.node, context.base.root];
        let to = [new.1, new.0.node, context.revision.root];
        servers(context, "api", from, to);
    }
}

/// Compares the servers of the document.
pub(super) fn compare_servers(context: &mut Context<'_>) {
    let (from, to) = (context.base.root, context.revision.root);
    if from.get("servers").is_some() || to.get("servers").is_some() {
        servers(context, "api-global", [from; 3], [to; 3]);
    }
}

/// Compares the servers of the first of these nodes that has servers. If none has, the only server is
/// `/`.
fn servers(context: &mut Context<'_>, place: &str, base: [&Node; 3], revision: [&Node; 3]) {
    let addresses = |nodes: &[&'_ Node]| -> Vec<String> {
        let list = nodes.iter().map(|node| node.items("servers"));
        let list = list.into_iter().find(|list| !list.is_empty());
        let urls: Vec<String> = (list.unwrap_or_default().iter().filter_map(address)).collect();
        match urls.is_empty() {
            true => vec!["/".to_owned()],
            false => urls,
        }
    };
    let (before, after) = (addresses(&base), addresses(&revision));
    let (from, to) = (base[0].get("servers"), revision[0].get("servers"));
    let (from, to) = (from.unwrap_or(base[0]), to.unwrap_or(revision[0]));
    if let (Some(old), Some(new)) = (before.first(), after.first()) {
        let ((old_host, old_path), (new_host, new_path)) = (host_and_path(old), host_and_path(new));
        let is_gone = !old_host.is_empty() && !new_host.is_empty() && !after.contains(old);
        if old_path != new_path || (is_gone && !old_host.eq_ignore_ascii_case(new_host)) {
            let text = format!("the first server was `{old}`, and is now `{new}`");
            context.report_at(&rules::SERVER_MOVED, &[place], Some(from), Some(to), text);
        }
    }
    for (old, new) in pairs(&before, &after, |a, b| a == b) {
        let (family, verb, url) = match (old, new) {
            (Some(old), None) => (&rules::SERVER_REMOVED, "removed", old),
            (None, Some(new)) => (&rules::SERVER_ADDED, "added", new),
            _ => continue,
        };
        let text = format!("the server `{url}` was {verb}");
        context.report_at(family, &[place], Some(from), Some(to), text);
    }
}

/// The address of a server, with the defaults of its variables.
fn address(server: &Node) -> Option<String> {
    let mut address = server.get("url")?.as_str()?.to_owned();
    for (name, variable) in server.entries("variables") {
        if let Some(default) = variable.word("default") {
            address = address.replace(&format!("{{{name}}}"), default);
        }
    }
    Some(address)
}

/// Splits an address into scheme and host (empty if the address is relative) and path (without a trailing
/// `/`).
fn host_and_path(address: &str) -> (&str, &str) {
    let host = address.find("://").map_or(0, |scheme| scheme + 3);
    let path = address[host..].find('/').filter(|_| host > 0);
    let path = path.map_or(if host > 0 { address.len() } else { 0 }, |path| host + path);
    let (host, path) = address.split_at(path);
    (host, path.trim_end_matches('/'))
}

fn items(side: Side<'_>) -> impl Iterator<Item = PathItem<'_>> {
    let paths = side.root.entries("paths");
    paths
        .filter(|(path, _)| path.starts_with('/'))
        .map(move |(path, node)| PathItem {
            path,
            node: side.resolve(node),
        })
}

fn operations(item: &Node) -> impl Iterator<Item = (&str, &Node)> {
    (item.operations()).map(|(method, _, operation)| (method, operation))
}

fn operation_id(context: &mut Context<'_>, base: &Node, revision: &Node) {
    let (from, to) = (base.get("operationId"), revision.get("operationId"));
    let (rule, text) = match (from.and_then(Node::as_str), to.and_then(Node::as_str)) {
        (Some(old), new) if Some(old) != new => {
            let text = match new {
                Some(new) => format!("the operation id changed from `{old}` to `{new}`"),
                None => format!("the operation id `{old}` was removed"),
            };
            (&rules::API_OPERATION_ID_REMOVED, text)
        }
        (None, Some(new)) => {
            let text = format!("the operation id `{new}` was added");
            (&rules::API_OPERATION_ID_ADDED, text)
        }
        _ => return,
    };
    context.report(rule, from.or(Some(base)), to.or(Some(revision)), text);
}

fn tags(context: &mut Context<'_>, base: &Node, revision: &Node) {
    let (from, to) = (base.items("tags"), revision.items("tags"));
    for tag in missing(from, to) {
        let text = format!("the tag {} was removed", tag.to_json());
        context.report(&rules::API_TAG_REMOVED, Some(tag), Some(revision), text);
    }
    for tag in missing(to, from) {
        let text = format!("the tag {} was added", tag.to_json());
        context.report(&rules::API_TAG_ADDED, Some(base), Some(tag), text);
    }
}

/// Compares `x-limits`. A limit is stricter if a call costs more, or if any other number is lower.
fn limits(context: &mut Context<'_>, base: &Node, revision: &Node) {
    let (before, after) = (base.get("x-limits"), revision.get("x-limits"));
    for member in ObjectKind::Limits.members() {
        let name = member.name;
        let number = |limits: Option<&Node>| limits?.get(name)?.as_u64();
        let (old, new) = (number(before), number(after));
        if old == new {
            continue;
        }
        let is_stricter = match (old, new) {
            (Some(old), Some(new)) => (new < old) != (name == "cost"),
            _ => new.is_some(),
        };
        let rule = match (is_stricter, old) {
            (true, Some(_)) if name == "body-bytes" => &rules::API_BODY_LIMIT_DECREASED,
            (true, _) => &rules::API_LIMIT_TIGHTENED,
            (false, _) => &rules::API_LIMIT_RELAXED,
        };
        let words = |number: Option<u64>| number.map_or("none".to_owned(), |it| it.to_string());
        let (from, to) = (words(old), words(new));
        let text = format!("the limit `{name}` changed from {from} to {to}");
        context.report(rule, before.or(Some(base)), after.or(Some(revision)), text);
    }
}

fn waiters<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let rules = [
        &rules::API_WAITER_ADDED,
        &rules::API_WAITER_REMOVED,
        &rules::API_WAITER_CHANGED,
    ];
    for part in context.by_name("x-waiters", base, revision) {
        if let Some((rule, verb)) = part.change(rules, |old, new| !old.same_value(new)) {
            let text = format!("the waiter `{}` {verb}", part.name);
            let (old, new) = (part.base.or(Some(base)), part.revision.or(Some(revision)));
            context.report(rule, old, new, text);
        }
    }
}

/// Reports component schemas that were removed. Their names do not appear in requests and responses, but
/// generated clients use them.
pub(super) fn compare_components(context: &mut Context<'_>) {
    let (before, after) = (context.base.root, context.revision.root);
    let after = after.components("schemas");
    for (name, schema) in before.components("schemas") {
        if !after.clone().any(|(other, _)| other == name) {
            let text = format!("the schema `{name}` was removed");
            context.report(&rules::API_SCHEMA_REMOVED, Some(schema), None, text);
        }
    }
}

/// Checks that `info.version` changed as the changes require.
pub(super) fn compare_version(context: &mut Context<'_>) {
    let old = context.base.root.pointer("/info/version");
    let new = context.revision.root.pointer("/info/version");
    let version = |node: Option<&Node>| Version::parse(node?.as_str()?);
    let (Some(from), Some(to)) = (version(old), version(new)) else {
        return;
    };
    let changes = context.changes();
    let breaks = changes.iter().any(|change| change.level == Level::Err);
    let (rule, text) = if to < from {
        let text = format!("the version decreased from {from} to {to}");
        (&rules::API_VERSION_DECREASED, text)
    } else if to == from && !changes.is_empty() {
        let text = format!("the version is still {to}");
        (&rules::API_VERSION_NOT_BUMPED, text)
    } else if breaks && !from.allows_break(to) {
        let text =
            format!("a change breaks clients, but the version only changed from {from} to {to}");
        (&rules::API_MAJOR_VERSION_NOT_BUMPED, text)
    } else {
        return;
    };
    context.report(rule, old, new, text);
}
