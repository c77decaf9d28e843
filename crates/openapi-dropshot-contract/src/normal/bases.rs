//! Rewrites components that have a `discriminator` and no alternatives. Other schemas refer
//! to them in `allOf`; where a value of such a component is meant, it is one of these.

use super::{
    SCHEMAS, components, free_name, name_in, rename, schemas_of, single::has_alternatives,
};
use crate::dialect::{empty, insert, is_map, remove};
use crate::model::{Member, Node, NodeKind};
use indexmap::{IndexMap, IndexSet};

/// Rewrites all such components.
pub(super) fn rewrite(root: &mut Node) {
    let known = components(root);
    let is_base = |node: &Node| {
        node.get("discriminator").is_some() && !has_alternatives(node) && node.get("$ref").is_none()
    };
    let bases: Vec<&String> = known
        .iter()
        .filter(|(_, node)| is_base(node))
        .map(|(name, _)| name)
        .collect();
    if bases.is_empty() {
        return;
    }
    let mut used = IndexSet::new();
    uses(root, false, &mut used);
    let mut renamed = IndexMap::new();
    let mut added = Vec::new();
    for base in bases {
        let Some(node) = known.get(base).filter(|_| used.contains(base)) else {
            continue;
        };
        let subtypes = subtypes(&known, base, node);
        if subtypes.is_empty() {
            continue;
        }
        let name = free_name(&known, format!("{base}Base"));
        let mut own = node.clone();
        let discriminator = remove(&mut own, "discriminator");
        added.push((
            base.clone(),
            name.clone(),
            own,
            alternatives(node, discriminator, &subtypes),
        ));
        renamed.insert(base.clone(), name);
    }
    if added.is_empty() {
        return;
    }
    rename_parts(root, false, &renamed);
    let Some(schemas) = schemas_of(root) else {
        return;
    };
    for (base, name, mut own, union) in added {
        rename_parts(&mut own, false, &renamed);
        let key_at = own.at.clone();
        schemas.insert(
            name,
            Member {
                key_at: key_at.clone(),
                value: own,
            },
        );
        schemas.insert(
            base,
            Member {
                key_at,
                value: union,
            },
        );
    }
}

/// Makes the alternatives, with the texts of the component.
fn alternatives(node: &Node, discriminator: Option<Node>, subtypes: &IndexSet<String>) -> Node {
    let at = node.at.clone();
    let mut union = empty(&at);
    // A component that may be `null` may be `null` wherever a value of it is meant.
    for text in ["title", "description", "deprecated", "nullable"] {
        if let Some(value) = node.get(text) {
            insert(&mut union, text, value.clone());
        }
    }
    let parts = subtypes.iter().map(|name| {
        let mut part = empty(&at);
        let reference = format!("{SCHEMAS}{name}");
        insert(
            &mut part,
            "$ref",
            Node::of(at.clone(), NodeKind::String(reference)),
        );
        part
    });
    let parts = parts.collect();
    insert(&mut union, "oneOf", Node::of(at, NodeKind::Array(parts)));
    if let Some(discriminator) = discriminator {
        insert(&mut union, "discriminator", discriminator);
    }
    union
}

/// Returns the components that the mapping names, and those that refer to a component in `allOf`,
/// also through others: a mapping does not have to name all of them.
fn subtypes(known: &IndexMap<String, Node>, base: &str, node: &Node) -> IndexSet<String> {
    let mapping = node
        .get("discriminator")
        .and_then(|own| own.get("mapping")?.as_object());
    let mut found = IndexSet::new();
    for (_, member) in mapping.into_iter().flatten() {
        let name = name_in(&member.value).or_else(|| member.value.as_str().map(str::to_owned));
        found.extend(name.filter(|name| known.contains_key(name) && name != base));
    }
    // `allOf` with nothing but the reference is a subtype only if nothing else says which are.
    let is_mapped = !found.is_empty();
    let mut open = vec![base.to_owned()];
    let mut seen = IndexSet::from([base.to_owned()]);
    while let Some(base) = open.pop() {
        for (name, node) in known {
            if is_mapped && !is_inheritance(node) {
                continue;
            }
            let parts = node.get("allOf").and_then(Node::as_array);
            let mut references = parts
                .into_iter()
                .flatten()
                .filter_map(|part| name_in(part.get("$ref")?));
            if references.any(|reference| reference == base) && seen.insert(name.clone()) {
                found.insert(name.clone());
                open.push(name.clone());
            }
        }
    }
    found
}

/// Adds the components to which references lead that are no parts of `allOf`. In a map the names
/// of the members have no meaning.
fn uses(node: &Node, in_map: bool, used: &mut IndexSet<String>) {
    match &node.kind {
        NodeKind::Array(items) => items.iter().for_each(|item| uses(item, false, used)),
        NodeKind::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    _ if in_map => uses(&member.value, false, used),
                    "$ref" => used.extend(name_in(&member.value)),
                    "allOf" if is_inheritance(node) => {
                        let parts = member.value.as_array().into_iter().flatten();
                        let inline = parts.filter(|part| part.get("$ref").is_none());
                        inline.for_each(|part| uses(part, false, used));
                    }
                    "example" | "examples" => {}
                    name => uses(&member.value, is_map(name, &member.value), used),
                }
            }
        }
        _ => {}
    }
}

/// Returns whether `allOf` adds to what a reference describes. Otherwise it is another way to
/// write the reference.
fn is_inheritance(node: &Node) -> bool {
    let parts = node.get("allOf").and_then(Node::as_array);
    parts.is_some_and(|parts| parts.len() > 1)
        || ["properties", "required", "additionalProperties", "type"]
            .iter()
            .any(|keyword| node.get(keyword).is_some())
}

/// Renames the references that are parts of `allOf`. In a map the names of the members have no
/// meaning.
fn rename_parts(node: &mut Node, in_map: bool, names: &IndexMap<String, String>) {
    let inherits = is_inheritance(node);
    match &mut node.kind {
        NodeKind::Array(items) => items
            .iter_mut()
            .for_each(|item| rename_parts(item, false, names)),
        NodeKind::Object(members) => {
            for (keyword, member) in members {
                if in_map {
                    rename_parts(&mut member.value, false, names);
                } else if keyword == "allOf"
                    && inherits
                    && let NodeKind::Array(parts) = &mut member.value.kind
                {
                    for part in parts {
                        if part.get("$ref").is_some() {
                            rename(part, false, names);
                        } else {
                            rename_parts(part, false, names);
                        }
                    }
                } else if !["example", "examples", "default", "enum"].contains(&keyword.as_str()) {
                    let is_map = is_map(keyword, &member.value);
                    rename_parts(&mut member.value, is_map, names);
                }
            }
        }
        _ => {}
    }
}
