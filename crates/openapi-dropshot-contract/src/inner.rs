//! Gives a name to schemas inside of other parts of the document to which references lead,
//! such as `#/components/schemas/Order/properties/items`: they become components.

use crate::dialect::{empty, insert, is_map, members, place};
use crate::model::{Member, Node, NodeKind, unescape_pointer_token};
use crate::normal::each_schema;
use indexmap::{IndexMap, IndexSet};

/// The place of component schemas in references.
const SCHEMAS: &str = "#/components/schemas/";

/// Rewrites a document that has such references; `None` if it has none.
pub(crate) fn named(root: &Node) -> Option<Node> {
    if !leads_inside(root) {
        return None;
    }
    let mut root = root.clone();
    let mut found = IndexSet::new();
    each_schema(&mut root, false, &mut |schema| {
        references(schema, &mut found)
    });
    found.retain(|pointer| {
        root.pointer(pointer)
            .is_some_and(|node| node.as_object().is_some())
    });
    if found.is_empty() {
        return None;
    }
    // What is inside of another part goes first.
    found.sort_by_key(|pointer| std::cmp::Reverse(pointer.len()));
    let mut names = IndexMap::new();
    for pointer in &found {
        let name = free_name(&root, pointer);
        let Some(node) = pointer_mut(&mut root, pointer) else {
            continue;
        };
        let at = node.at.clone();
        let mut reference = empty(&at);
        let text = format!("{SCHEMAS}{name}");
        insert(
            &mut reference,
            "$ref",
            Node::of(at, NodeKind::String(text.clone())),
        );
        let schema = std::mem::replace(node, reference);
        names.insert(format!("#{pointer}"), text);
        add(&mut root, &name, schema)?;
    }
    each_schema(&mut root, false, &mut |schema| rename(schema, &names));
    place(&mut root, &mut String::new());
    Some(root)
}

/// Returns whether a reference may lead into a part of the document.
fn leads_inside(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Array(items) => items.iter().any(leads_inside),
        NodeKind::Object(members) => members.iter().any(|(name, member)| {
            let text = member.value.as_str();
            let is_inner = |text: &str| text.starts_with("#/") && text.split('/').count() > 4;
            (name == "$ref" && text.is_some_and(is_inner)) || leads_inside(&member.value)
        }),
        _ => false,
    }
}

/// Adds the pointers of references that lead into a part of the document, but to no component.
fn references(node: &mut Node, found: &mut IndexSet<String>) {
    each_reference(node, false, &mut |text| {
        if let Some(pointer) = text.strip_prefix('#')
            && pointer.starts_with('/')
            && pointer.split('/').count() > 4
        {
            found.insert(pointer.to_owned());
        }
    });
}

fn rename(node: &mut Node, names: &IndexMap<String, String>) {
    each_reference(node, false, &mut |text| {
        if let Some(name) = names.get(text.as_str()) {
            text.clone_from(name);
        }
    });
}

/// In a map the names of the members have no meaning.
fn each_reference(node: &mut Node, in_map: bool, callback: &mut dyn FnMut(&mut String)) {
    match &mut node.kind {
        NodeKind::Array(items) => {
            for item in items {
                each_reference(item, false, callback);
            }
        }
        NodeKind::Object(members) => {
            for (name, Member { value, .. }) in members {
                let is_map = !in_map && is_map(name, value);
                match (name.as_str(), &mut value.kind) {
                    _ if in_map => each_reference(value, false, callback),
                    ("$ref", NodeKind::String(text)) => callback(text),
                    ("example" | "examples" | "default" | "enum" | "const", _) => {}
                    _ => each_reference(value, is_map, callback),
                }
            }
        }
        _ => {}
    }
}

/// Makes a name of the last two names on the way to a schema.
fn free_name(root: &Node, pointer: &str) -> String {
    let keywords = [
        "properties",
        "items",
        "schemas",
        "components",
        "schema",
        "$defs",
    ];
    let tokens: Vec<String> = pointer
        .split('/')
        .map(unescape_pointer_token)
        .filter(|token| !token.is_empty() && !keywords.contains(&token.as_str()))
        .collect();
    let last = tokens.len().saturating_sub(2);
    let mut wanted = tokens.get(last..).unwrap_or_default().join("_");
    if pointer.ends_with("/items") {
        wanted.push_str("_item");
    }
    wanted.retain(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    let schemas = root.pointer("/components/schemas");
    let mut name = wanted.clone();
    let mut number = 2;
    while schemas.is_some_and(|schemas| schemas.get(&name).is_some()) {
        name = format!("{wanted}{number}");
        number += 1;
    }
    name
}

/// Adds a component.
fn add(root: &mut Node, name: &str, schema: Node) -> Option<()> {
    let mut node = root;
    for part in ["components", "schemas"] {
        if node.get(part).is_none() {
            let at = node.at.clone();
            insert(node, part, empty(&at));
        }
        node = &mut members(node)?.get_mut(part)?.value;
    }
    insert(node, name, schema);
    Some(())
}

pub(crate) fn pointer_mut<'n>(root: &'n mut Node, pointer: &str) -> Option<&'n mut Node> {
    let mut node = root;
    for token in pointer.strip_prefix('/')?.split('/') {
        node = match &mut node.kind {
            NodeKind::Object(members) => {
                &mut members.get_mut(&unescape_pointer_token(token))?.value
            }
            NodeKind::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(node)
}
