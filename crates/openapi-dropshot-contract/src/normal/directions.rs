//! Rewrites `readOnly` and `writeOnly` of required members. Such a member is required in only one direction (OpenAPI
//! 3.0.3, "Schema Object"). A component that is used in both directions becomes two components.

use super::{component_schemas_mut, conjuncts, keep_values_of_discriminators, name_in, rename};
use crate::grammar::{ObjectKind, Since, each_part_mut, each_reference, visit, visit_mut};
use crate::model::{Member, Node, free_name};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// Rewrites the schemas of all bodies.
pub(super) fn rewrite(root: &mut Node) {
    let mut has_direction = false;
    visit(root, ObjectKind::Document, &mut |kind, node| {
        let is_set = || node.is_set("readOnly") || node.is_set("writeOnly");
        has_direction |= kind == ObjectKind::Schema && is_set();
        true
    });
    if !has_direction {
        return;
    }
    let before = root.clone();
    let known: IndexMap<&str, &Node> = before.components("schemas").collect();
    let requests = reached(&before, ObjectKind::RequestBody);
    let responses = reached(&before, ObjectKind::Response);
    let needs = |name: &str, keyword: &str| {
        let node = known.get(name).copied().cloned();
        node.is_some_and(|mut node| relax(&before, &mut node, keyword))
    };
    let both: IndexSet<&String> = requests.intersection(&responses).collect();
    let needs_two = |name: &&String| needs(name, "readOnly") || needs(name, "writeOnly");
    let mut split: IndexSet<String> = both.iter().copied().filter(needs_two).cloned().collect();
    // If a component is split into two, every component that refers to it and is used in both directions is split, too.
    let mut users: IndexMap<String, Vec<&String>> = IndexMap::new();
    for name in &both {
        let mut direct = IndexSet::new();
        if let Some(node) = known.get(name.as_str()) {
            references(node, ObjectKind::Schema, &mut direct);
        }
        for other in direct {
            users.entry(other).or_default().push(name);
        }
    }
    let mut index = 0;
    while let Some(name) = split.get_index(index) {
        let users = users.get(name).into_iter().flatten();
        let users: Vec<String> = users.map(|user| (*user).clone()).collect();
        split.extend(users);
        index += 1;
    }
    let named = split.into_iter().map(|name| {
        let new = free_name(format!("{name}Input"), |name| known.contains_key(name));
        (name, new)
    });
    let names: IndexMap<String, String> = named.collect();
    let is_mapped = |mapping: &Node, name: &str| mapping.get(name).is_some();
    let for_requests = |node: &mut Node| {
        relax(&before, node, "readOnly");
        keep_values_of_discriminators(node, ObjectKind::Schema, &names, &is_mapped);
        rename(node, ObjectKind::Schema, &names);
    };
    bodies(root, ObjectKind::RequestBody, &for_requests);
    bodies(root, ObjectKind::Response, &|node| {
        relax(&before, node, "writeOnly");
    });
    let Some(schemas) = component_schemas_mut(root) else {
        return;
    };
    for (name, node) in known {
        let Some(member) = schemas.get_mut(name) else {
            continue;
        };
        match (requests.contains(name), responses.contains(name)) {
            (true, false) => for_requests(&mut member.value),
            (_, true) => drop(relax(&before, &mut member.value, "writeOnly")),
            (false, false) => {}
        }
        if let Some(new) = names.get(name) {
            let mut value = node.clone();
            for_requests(&mut value);
            let key_at = value.at.clone();
            schemas.insert(new.clone(), Member { key_at, value });
        }
    }
}

/// Returns whether an object can contain bodies of the service. Bodies of webhooks and callbacks are sent in the opposite
/// direction.
fn is_served(kind: ObjectKind, node: &Node) -> bool {
    let is_webhook = kind == ObjectKind::PathItem && node.at.pointer.starts_with("/webhooks/");
    kind != ObjectKind::Callback && kind != ObjectKind::Schema && !is_webhook
}

/// Changes the schemas in the bodies.
fn bodies(root: &mut Node, wanted: ObjectKind, change: &dyn Fn(&mut Node)) {
    visit_mut(root, ObjectKind::Document, &mut |kind, node| {
        if kind == wanted {
            visit_mut(node, kind, &mut |kind, node| {
                if kind == ObjectKind::Schema {
                    change(node);
                }
                kind != ObjectKind::Schema
            });
        }
        kind != wanted && is_served(kind, node)
    });
}

/// Removes the members with this keyword from `required`, also in inner schemas. Returns whether any were removed.
fn relax(root: &Node, node: &mut Node, keyword: &str) -> bool {
    let parts = conjuncts(root, node).into_iter();
    let properties = parts.flat_map(|part| part.entries("properties"));
    let marked = properties.filter(|(_, property)| property.is_set(keyword));
    let names: BTreeSet<String> = marked.map(|(name, _)| name.to_owned()).collect();
    let mut has_changed = drop_names(node, &names);
    each_part_mut(node, ObjectKind::Schema, &mut |own, _, part| {
        if own.since == Since::V30 && own.name != "not" {
            has_changed |= relax(root, part, keyword);
        }
    });
    has_changed
}

/// Removes names from `required` of a schema and of the parts of its `allOf`.
fn drop_names(node: &mut Node, names: &BTreeSet<String>) -> bool {
    let mut has_changed = false;
    if let Some(list) = node.get_mut("required").and_then(Node::items_mut) {
        let before = list.len();
        list.retain(|name| !name.as_str().is_some_and(|name| names.contains(name)));
        has_changed = list.len() != before;
        if has_changed && list.is_empty() {
            node.remove("required");
        }
    }
    let parts = node.get_mut("allOf").and_then(Node::items_mut);
    for part in parts.into_iter().flatten() {
        has_changed |= drop_names(part, names);
    }
    has_changed
}

/// Returns the components that are used by the bodies of requests or by the bodies of responses.
fn reached(root: &Node, wanted: ObjectKind) -> IndexSet<String> {
    let mut open = IndexSet::new();
    for (_, item) in root.entries("paths") {
        visit(item, ObjectKind::PathItem, &mut |kind, node| {
            if kind == wanted {
                references(root.resolve(node), kind, &mut open);
            }
            kind != wanted && is_served(kind, node)
        });
    }
    let schemas = root.pointer("/components/schemas");
    let mut index = 0;
    while let Some(name) = open.get_index(index).cloned() {
        if let Some(node) = schemas.and_then(|schemas| schemas.get(&name)) {
            references(node, ObjectKind::Schema, &mut open);
        }
        index += 1;
    }
    open
}

/// Adds the components to which the schemas in a part of the document refer.
fn references(node: &Node, kind: ObjectKind, names: &mut IndexSet<String>) {
    each_reference(node, kind, &mut |kind, reference| {
        names.extend(name_in(reference).filter(|_| kind == ObjectKind::Schema));
    });
}
