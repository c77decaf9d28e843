//! Gives names to schemas that references reach inside of other parts of the document, such as
//! `#/components/schemas/Order/properties/items`. These schemas become components.

use crate::grammar::{ObjectKind, each_reference, each_reference_mut};
use crate::model::{self, Node, NodeKind, SCHEMAS, unescape_pointer_token};
use indexmap::{IndexMap, IndexSet};

/// Rewrites a document that has such references; `None` if it has none.
pub(crate) fn name_inner_schemas(root: &Node) -> Option<Node> {
    let mut found = IndexSet::new();
    each_reference(root, ObjectKind::Document, &mut |kind, reference| {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let is_inner = |pointer: &&str| {
            kind == ObjectKind::Schema
                && pointer.split('/').count() > 4
                && root
                    .pointer(pointer)
                    .is_some_and(|node| node.as_object().is_some())
        };
        found.extend(pointer.filter(is_inner));
    });
    if found.is_empty() {
        return None;
    }
    // Inner parts come before outer ones.
    found.sort_by_key(|pointer| std::cmp::Reverse(pointer.len()));
    let mut root = root.clone();
    let mut names = IndexMap::new();
    for pointer in found {
        let name = free_name(&root, pointer);
        let Some(node) = root.pointer_mut(pointer) else {
            continue;
        };
        let text = format!("{SCHEMAS}{name}");
        let reference = Node::reference(&node.at.clone(), &text);
        let schema = std::mem::replace(node, reference);
        names.insert(format!("#{pointer}"), text);
        root.get_or_add("components")?
            .get_or_add("schemas")?
            .set(&name, schema);
    }
    each_reference_mut(&mut root, ObjectKind::Document, &mut |_, reference| {
        if let NodeKind::String(text) = &mut reference.kind
            && let Some(name) = names.get(text)
        {
            text.clone_from(name);
        }
    });
    root.update_pointers();
    Some(root)
}

/// Derives a name from the last two names on the path to a schema.
fn free_name(root: &Node, pointer: &str) -> String {
    let keywords = [
        "properties",
        "items",
        "schemas",
        "components",
        "schema",
        "$defs",
    ];
    let is_name = |token: &String| !token.is_empty() && !keywords.contains(&token.as_str());
    let tokens = pointer.split('/').map(unescape_pointer_token);
    let tokens: Vec<String> = tokens.filter(is_name).collect();
    let last = tokens.len().saturating_sub(2);
    let mut wanted = tokens.get(last..).unwrap_or_default().join("_");
    if pointer.ends_with("/items") {
        wanted.push_str("_item");
    }
    wanted.retain(model::is_of_component_name);
    let schemas = root.components("schemas").map(|(name, _)| name);
    model::free_name(wanted, |name| schemas.clone().any(|own| own == name))
}
