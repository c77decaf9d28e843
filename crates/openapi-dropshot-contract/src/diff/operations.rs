//! Paths and operations: which there are, and what belongs to an operation as
//! a whole. Also what belongs to the document: component schemas, its version.

use super::context::Context;
use super::view::{Side, array, members};
use super::{Level, content, lifecycle, parameters, responses, security};
use crate::model::{Node, unescape_pointer_token};
use std::collections::HashMap;

const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// A path item with the path it stands under.
#[derive(Clone, Copy)]
struct Item<'a> {
    path: &'a str,
    node: &'a Node,
}

/// One operation in both documents.
pub(super) struct Pair<'a> {
    pub base: &'a Node,
    pub revision: &'a Node,
    pub base_item: &'a Node,
    pub revision_item: &'a Node,
    /// What variables of the path are called in the base and in the revision.
    pub renamed: Vec<(&'a str, &'a str)>,
}

pub(super) fn compare(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let after: HashMap<String, Item<'_>> = items(revision)
        .map(|item| (template(item.path), item))
        .collect();
    for old in items(base) {
        match after.get(&template(old.path)) {
            Some(new) => compare_items(context, old, *new),
            None => {
                for (method, operation) in operations(old.node) {
                    enter(context, method, old.path, operation, None);
                    lifecycle::removed(context, operation, true);
                }
            }
        }
    }
    let before: HashMap<String, Item<'_>> = items(base)
        .map(|item| (template(item.path), item))
        .collect();
    for new in items(revision) {
        let old = before.get(&template(new.path));
        for (method, operation) in operations(new.node) {
            if old.is_none_or(|old| old.node.get(method).is_none()) {
                enter(context, method, new.path, operation, None);
                context.report(
                    "endpoint-added",
                    None,
                    Some(operation),
                    "the operation was added",
                );
            }
        }
    }
    context.operation = None;
    context.stable = true;
}

fn compare_items<'a>(context: &mut Context<'a>, old: Item<'a>, new: Item<'a>) {
    let renamed: Vec<_> = variables(old.path)
        .zip(variables(new.path))
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

/// Makes an operation the one at hand.
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
    METHODS
        .iter()
        .filter_map(|method| Some((*method, item.get(method)?)))
}

/// The path with its variables unnamed: renaming one changes no request.
fn template(path: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for character in path.chars() {
        match character {
            '{' => inside = true,
            '}' => inside = false,
            _ if inside => continue,
            _ => {}
        }
        text.push(character);
    }
    text
}

fn variables(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

fn operation_id(context: &mut Context<'_>, pair: &Pair<'_>) {
    let (from, to) = (
        pair.base.get("operationId"),
        pair.revision.get("operationId"),
    );
    match (from.and_then(Node::as_str), to.and_then(Node::as_str)) {
        (Some(a), b) if Some(a) != b => {
            let text = match b {
                Some(b) => format!("the operation id `{a}` became `{b}`"),
                None => format!("the operation id `{a}` was removed"),
            };
            context.report(
                "api-operation-id-removed",
                from,
                to.or(Some(pair.revision)),
                text,
            );
        }
        (None, Some(b)) => {
            let text = format!("the operation id `{b}` was added");
            context.report("api-operation-id-added", Some(pair.base), to, text);
        }
        _ => {}
    }
}

fn tags(context: &mut Context<'_>, pair: &Pair<'_>) {
    let (from, to) = (array(pair.base, "tags"), array(pair.revision, "tags"));
    for tag in from {
        if !to.iter().any(|other| other.same_value(tag)) {
            let text = format!("the tag {} was removed", tag.to_json());
            context.report("api-tag-removed", Some(tag), Some(pair.revision), text);
        }
    }
    for tag in to {
        if !from.iter().any(|other| other.same_value(tag)) {
            let text = format!("the tag {} was added", tag.to_json());
            context.report("api-tag-added", Some(pair.base), Some(tag), text);
        }
    }
}

/// Component schemas that went: no client sees their names on the wire, but
/// generated clients do.
pub(super) fn compare_components(context: &mut Context<'_>) {
    const SCHEMAS: &str = "/components/schemas";
    let Some(before) = context.base.root.pointer(SCHEMAS) else {
        return;
    };
    let after = context.revision.root.pointer(SCHEMAS);
    for (name, member) in before.as_object().into_iter().flatten() {
        if after.is_none_or(|after| after.get(name).is_none()) {
            let text = format!("the schema `{}` was removed", unescape_pointer_token(name));
            context.report("api-schema-removed", Some(&member.value), None, text);
        }
    }
}

/// Whether `info.version` says what the changes say.
pub(super) fn compare_version(context: &mut Context<'_>) {
    let (base, revision) = (context.base.root, context.revision.root);
    let (old, new) = (
        base.pointer("/info/version"),
        revision.pointer("/info/version"),
    );
    let numbers = |node: Option<&Node>| {
        let text = node.and_then(Node::as_str)?;
        crate::release::Version::parse(text)
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
        let text = format!("the version went back from {from} to {to}");
        context.report("api-version-decreased", old, new, text);
    } else if to == from && changed {
        let text = format!("the version is still {to}");
        context.report("api-version-not-bumped", old, new, text);
    } else if breaks && !from.allows_break(to) {
        let text = format!("a client breaks, but the version went from {from} to {to} only");
        context.report("api-major-version-not-bumped", old, new, text);
    }
}
