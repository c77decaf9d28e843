//! Compares paths and operations, and what belongs to an operation or to the
//! document as a whole: ids, tags, component schemas, the version.

use super::context::Context;
use super::parameters::Pair;
use super::view::{Side, array, members};
use super::{content, lifecycle, parameters, responses, security};
use crate::model::{Method, Node, unescape_pointer_token};
use crate::rules::{Level, changes as rules};
use crate::template;
use std::collections::HashMap;

/// A path item with its path.
#[derive(Clone, Copy)]
struct Item<'a> {
    path: &'a str,
    node: &'a Node,
}

pub(super) fn compare(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let by_shape = |side| -> HashMap<String, Item<'_>> {
        items(side)
            .map(|item| (template::shape(item.path), item))
            .collect()
    };
    let (before, after) = (by_shape(base), by_shape(revision));
    for old in items(base) {
        match after.get(&template::shape(old.path)) {
            Some(new) => compare_items(context, old, *new),
            None => {
                for (method, operation) in operations(old.node) {
                    enter(context, method, old.path, operation, None);
                    lifecycle::removed(context, operation, true);
                }
            }
        }
    }
    for new in items(revision) {
        let old = before.get(&template::shape(new.path));
        for (method, operation) in operations(new.node) {
            if old.is_none_or(|old| old.node.get(method).is_none()) {
                enter(context, method, new.path, operation, None);
                let text = "the operation was added";
                context.report(&rules::ENDPOINT_ADDED, None, Some(operation), text);
            }
        }
    }
    context.operation = None;
    context.stable = true;
}

fn compare_items<'a>(context: &mut Context<'a>, old: Item<'a>, new: Item<'a>) {
    let renamed: Vec<_> = template::variables(old.path)
        .zip(template::variables(new.path))
        .filter(|(from, to)| from != to)
        .collect();
    for (method, base) in operations(old.node) {
        enter(context, method, old.path, base, new.node.get(method));
        let Some(revision) = new.node.get(method) else {
            lifecycle::removed(context, base, false);
            continue;
        };
        let pair = Pair {
            base,
            revision,
            base_item: old.node,
            revision_item: new.node,
            renamed: renamed.clone(),
        };
        compare_operation(context, &pair);
    }
}

fn compare_operation<'a>(context: &mut Context<'a>, pair: &Pair<'a>) {
    lifecycle::operation(context, pair.base, pair.revision);
    operation_id(context, pair);
    tags(context, pair);
    security::compare(context, pair.base, pair.revision);
    parameters::compare(context, pair);
    content::compare_request(context, pair.base, pair.revision);
    responses::compare(context, pair.base, pair.revision);
}

/// Makes an operation the one that is compared.
fn enter(
    context: &mut Context<'_>,
    method: &str,
    path: &str,
    base: &Node,
    revision: Option<&Node>,
) {
    context.operation = Some(format!("{} {path}", method.to_uppercase()));
    lifecycle::enter(context, base, revision);
}

fn items(side: Side<'_>) -> impl Iterator<Item = Item<'_>> {
    members(side.root, "paths")
        .into_iter()
        .filter(|(path, _)| path.starts_with('/'))
        .map(move |(path, node)| Item {
            path,
            node: side.resolve(node),
        })
}

fn operations(item: &Node) -> impl Iterator<Item = (&'static str, &Node)> {
    let methods = Method::ALL.into_iter().map(Method::key);
    methods.filter_map(|method| Some((method, item.get(method)?)))
}

fn operation_id(context: &mut Context<'_>, pair: &Pair<'_>) {
    let (from, to) = (
        pair.base.get("operationId"),
        pair.revision.get("operationId"),
    );
    match (from.and_then(Node::as_str), to.and_then(Node::as_str)) {
        (Some(a), b) if Some(a) != b => {
            let text = match b {
                Some(b) => format!("the operation id changed from `{a}` to `{b}`"),
                None => format!("the operation id `{a}` was removed"),
            };
            let to = to.or(Some(pair.revision));
            context.report(&rules::API_OPERATION_ID_REMOVED, from, to, text);
        }
        (None, Some(b)) => {
            let text = format!("the operation id `{b}` was added");
            context.report(&rules::API_OPERATION_ID_ADDED, Some(pair.base), to, text);
        }
        _ => {}
    }
}

fn tags(context: &mut Context<'_>, pair: &Pair<'_>) {
    let (from, to) = (array(pair.base, "tags"), array(pair.revision, "tags"));
    for tag in from {
        if !to.iter().any(|other| other.same_value(tag)) {
            let text = format!("the tag {} was removed", tag.to_json());
            context.report(
                &rules::API_TAG_REMOVED,
                Some(tag),
                Some(pair.revision),
                text,
            );
        }
    }
    for tag in to {
        if !from.iter().any(|other| other.same_value(tag)) {
            let text = format!("the tag {} was added", tag.to_json());
            context.report(&rules::API_TAG_ADDED, Some(pair.base), Some(tag), text);
        }
    }
}

/// Reports component schemas that were removed. Clients do not see their names on
/// the wire, but generated clients contain them.
pub(super) fn compare_components(context: &mut Context<'_>) {
    const SCHEMAS: &str = "/components/schemas";
    let Some(before) = context.base.root.pointer(SCHEMAS) else {
        return;
    };
    let after = context.revision.root.pointer(SCHEMAS);
    for (name, member) in before.as_object().into_iter().flatten() {
        if after.is_none_or(|after| after.get(name).is_none()) {
            let text = format!("the schema `{}` was removed", unescape_pointer_token(name));
            context.report(&rules::API_SCHEMA_REMOVED, Some(&member.value), None, text);
        }
    }
}

/// Compares `info.version` with what the changes require.
pub(super) fn compare_version(context: &mut Context<'_>) {
    let (base, revision) = (context.base.root, context.revision.root);
    let (old, new) = (
        base.pointer("/info/version"),
        revision.pointer("/info/version"),
    );
    let numbers = |node: Option<&Node>| {
        let text = node.and_then(Node::as_str)?;
        crate::version::Version::parse(text)
    };
    let (Some(from), Some(to)) = (numbers(old), numbers(new)) else {
        return;
    };
    let breaks = context
        .changes()
        .iter()
        .any(|change| change.level == Level::Err);
    let changed = !context.changes().is_empty();
    if to < from {
        let text = format!("the version decreased from {from} to {to}");
        context.report(&rules::API_VERSION_DECREASED, old, new, text);
    } else if to == from && changed {
        let text = format!("the version is still {to}");
        context.report(&rules::API_VERSION_NOT_BUMPED, old, new, text);
    } else if breaks && !from.allows_break(to) {
        let text =
            format!("a change breaks clients, but the version only changed from {from} to {to}");
        context.report(&rules::API_MAJOR_VERSION_NOT_BUMPED, old, new, text);
    }
}
