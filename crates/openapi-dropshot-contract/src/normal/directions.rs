//! Rewrites `readOnly` and `writeOnly` of required members: such a member is required in one
//! direction only (OpenAPI 3.0.3, "Schema Object"). A component that is used in both
//! directions becomes two.

use super::{Left, components, free_name, name_in, rename, schemas_of, steps, target};
use crate::dialect::{insert, members, remove, values};
use crate::model::{Member, Node, NodeKind, unescape_pointer_token};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// Rewrites the schemas of all bodies.
pub(super) fn rewrite(root: &mut Node) {
    let known = components(root);
    let has_direction = known.values().any(has_direction)
        || root.get("paths").is_some_and(has_direction)
        || root.get("components").is_some_and(has_direction);
    if !has_direction {
        return;
    }
    let (requests, responses) = (reached(root, &known, true), reached(root, &known, false));
    let needs = |name: &String, keyword: &str| {
        let mut node = known.get(name).cloned();
        node.as_mut()
            .is_some_and(|node| relax(&known, node, keyword))
    };
    let both: IndexSet<&String> = requests.intersection(&responses).collect();
    let mut split: IndexSet<String> = both
        .iter()
        .filter(|name| needs(name, "readOnly") || needs(name, "writeOnly"))
        .map(|name| (*name).clone())
        .collect();
    // What leads to a component of two forms has two forms, too.
    let mut users: IndexMap<String, Vec<&String>> = IndexMap::new();
    for name in &both {
        let mut direct = IndexSet::new();
        if let Some(node) = known.get(*name) {
            references(node, false, &mut direct);
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
    let mut names = IndexMap::new();
    for name in &split {
        names.insert(name.clone(), free_name(&known, format!("{name}Input")));
    }
    let Some(schemas) = schemas_of(root) else {
        return bodies(root, &known, &names);
    };
    for (name, node) in &known {
        let Some(member) = schemas.get_mut(name) else {
            continue;
        };
        match (requests.contains(name), responses.contains(name)) {
            (true, false) => {
                relax(&known, &mut member.value, "readOnly");
                name_tags(&mut member.value, &names);
                rename(&mut member.value, false, &names);
            }
            (_, true) => drop(relax(&known, &mut member.value, "writeOnly")),
            (false, false) => {}
        }
        if let Some(new) = names.get(name) {
            let mut own = node.clone();
            name_tags(&mut own, &names);
            relax(&known, &mut own, "readOnly");
            rename(&mut own, false, &names);
            let key_at = own.at.clone();
            schemas.insert(new.clone(), Member { key_at, value: own });
        }
    }
    bodies(root, &known, &names);
}

fn has_direction(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Array(items) => items.iter().any(has_direction),
        NodeKind::Object(members) => members.iter().any(|(name, member)| {
            ["readOnly", "writeOnly"].contains(&name.as_str())
                && member.value.as_bool() == Some(true)
                || has_direction(&member.value)
        }),
        _ => false,
    }
}

/// Rewrites the schemas in the bodies themselves.
fn bodies(root: &mut Node, known: &IndexMap<String, Node>, names: &IndexMap<String, String>) {
    let request = |body: &mut Node| {
        let content = members(body).and_then(|members| members.get_mut("content"));
        for media in content
            .into_iter()
            .flat_map(|content| values(&mut content.value))
        {
            if let Some(schema) = members(media).and_then(|members| members.get_mut("schema")) {
                relax(known, &mut schema.value, "readOnly");
                name_tags(&mut schema.value, names);
                rename(&mut schema.value, false, names);
            }
        }
    };
    let paths = members(root).and_then(|members| members.get_mut("paths"));
    for item in paths.into_iter().flat_map(|paths| values(&mut paths.value)) {
        for operation in values(item) {
            let body = members(operation).and_then(|members| members.get_mut("requestBody"));
            if let Some(body) = body {
                request(&mut body.value);
            }
            let responses = members(operation).and_then(|members| members.get_mut("responses"));
            for response in responses
                .into_iter()
                .flat_map(|responses| values(&mut responses.value))
            {
                let content = members(response).and_then(|members| members.get_mut("content"));
                for media in content
                    .into_iter()
                    .flat_map(|content| values(&mut content.value))
                {
                    let schema = members(media).and_then(|members| members.get_mut("schema"));
                    if let Some(schema) = schema {
                        relax(known, &mut schema.value, "writeOnly");
                    }
                }
            }
        }
    }
    let shared = members(root).and_then(|members| members.get_mut("components"));
    let shared = shared.and_then(|shared| members(&mut shared.value)?.get_mut("requestBodies"));
    for body in shared
        .into_iter()
        .flat_map(|bodies| values(&mut bodies.value))
    {
        request(body);
    }
}

/// Takes the members of one direction out of `required`, also in the schemas inside.
/// Returns whether there were any.
fn relax(known: &IndexMap<String, Node>, node: &mut Node, keyword: &str) -> bool {
    let mut names = BTreeSet::new();
    marked(known, node, keyword, &mut names, Left::of(&steps()));
    let mut has_changed = drop_names(node, &names);
    for (name, member) in members(node).into_iter().flatten() {
        let value = &mut member.value;
        match name.as_str() {
            "properties" => {
                for part in values(value) {
                    has_changed |= relax(known, part, keyword);
                }
            }
            "items" | "additionalProperties" => has_changed |= relax(known, value, keyword),
            "allOf" | "oneOf" | "anyOf" => {
                if let NodeKind::Array(parts) = &mut value.kind {
                    for part in parts {
                        has_changed |= relax(known, part, keyword);
                    }
                }
            }
            _ => {}
        }
    }
    has_changed
}

/// Adds the names of the members of one direction, also those of the parts of `allOf`.
fn marked(
    known: &IndexMap<String, Node>,
    node: &Node,
    keyword: &str,
    names: &mut BTreeSet<String>,
    left: Left<'_>,
) {
    let Some(left) = left.next() else {
        return;
    };
    if let Some(reference) = node.get("$ref") {
        if let Some(target) = target(known, reference) {
            marked(known, target, keyword, names, left);
        }
        return;
    }
    let properties = node.get("properties").and_then(Node::as_object);
    for (name, member) in properties.into_iter().flatten() {
        if member.value.get(keyword).and_then(Node::as_bool) == Some(true) {
            names.insert(name.clone());
        }
    }
    let parts = node.get("allOf").and_then(Node::as_array);
    for part in parts.into_iter().flatten() {
        marked(known, part, keyword, names, left);
    }
}

/// Takes names out of `required` of a schema and of the parts of its `allOf`.
fn drop_names(node: &mut Node, names: &BTreeSet<String>) -> bool {
    let mut has_changed = false;
    if let Some(required) = members(node).and_then(|members| members.get_mut("required"))
        && let NodeKind::Array(list) = &mut required.value.kind
    {
        let before = list.len();
        list.retain(|name| !name.as_str().is_some_and(|name| names.contains(name)));
        has_changed |= list.len() != before;
    }
    if has_changed && node.get("required").and_then(Node::as_array) == Some(&[]) {
        remove(node, "required");
    }
    let parts = members(node).and_then(|members| members.get_mut("allOf"));
    if let Some(parts) = parts
        && let NodeKind::Array(parts) = &mut parts.value.kind
    {
        for part in parts {
            has_changed |= drop_names(part, names);
        }
    }
    has_changed
}

/// Writes down the names of alternatives, which are those of the components, before these get
/// other names; also in the schemas inside.
fn name_tags(node: &mut Node, names: &IndexMap<String, String>) {
    for (keyword, member) in members(node).into_iter().flatten() {
        let value = &mut member.value;
        match keyword.as_str() {
            "properties" => values(value).for_each(|part| name_tags(part, names)),
            "items" | "additionalProperties" => name_tags(value, names),
            "allOf" | "oneOf" | "anyOf" => {
                if let NodeKind::Array(parts) = &mut value.kind {
                    parts.iter_mut().for_each(|part| name_tags(part, names));
                }
            }
            _ => {}
        }
    }
    let parts = ["oneOf", "anyOf"].map(|keyword| node.get(keyword).and_then(Node::as_array));
    let parts = parts.into_iter().flatten().flatten();
    let renamed: Vec<(String, Node)> = parts
        .filter_map(|part| {
            let reference = part.get("$ref")?;
            let name = name_in(reference).filter(|name| names.contains_key(name))?;
            Some((name, reference.clone()))
        })
        .collect();
    let discriminator = members(node).and_then(|members| members.get_mut("discriminator"));
    let Some(discriminator) = discriminator.filter(|_| !renamed.is_empty()) else {
        return;
    };
    let discriminator = &mut discriminator.value;
    if discriminator.get("mapping").is_none() {
        let at = discriminator.at.clone();
        insert(discriminator, "mapping", crate::dialect::empty(&at));
    }
    let mapping = members(discriminator).and_then(|members| members.get_mut("mapping"));
    if let Some(mapping) = mapping {
        for (name, reference) in renamed {
            if mapping.value.get(&name).is_none() {
                insert(&mut mapping.value, &name, reference);
            }
        }
    }
}

/// Returns the components that the bodies of requests or of responses reach.
fn reached(root: &Node, known: &IndexMap<String, Node>, in_requests: bool) -> IndexSet<String> {
    let mut open = IndexSet::new();
    let paths = root.get("paths").and_then(Node::as_object);
    for (_, item) in paths.into_iter().flatten() {
        for (_, operation) in item.value.as_object().into_iter().flatten() {
            let parts: Vec<&Node> = match in_requests {
                true => operation.value.get("requestBody").into_iter().collect(),
                false => {
                    let responses = operation.value.get("responses");
                    let responses = responses.and_then(Node::as_object).into_iter().flatten();
                    responses.map(|(_, member)| &member.value).collect()
                }
            };
            for part in parts {
                let reference = part.get("$ref").and_then(Node::as_str);
                let target = reference.and_then(|text| root.pointer(text.strip_prefix('#')?));
                let part = target.unwrap_or(part);
                if let Some(content) = part.get("content") {
                    references(content, true, &mut open);
                }
            }
        }
    }
    let mut index = 0;
    while let Some(name) = open.get_index(index).cloned() {
        if let Some(node) = known.get(&name) {
            references(node, false, &mut open);
        }
        index += 1;
    }
    open
}

/// Adds the components to which a part of the document refers. In a map the names of the members
/// have no meaning.
fn references(node: &Node, is_map: bool, names: &mut IndexSet<String>) {
    match &node.kind {
        NodeKind::Array(items) => items.iter().for_each(|item| references(item, false, names)),
        NodeKind::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    _ if is_map => references(&member.value, false, names),
                    "$ref" => names.extend(name_in(&member.value)),
                    "mapping" => {
                        let targets = member.value.as_object().into_iter().flatten();
                        for (_, target) in targets {
                            names.extend(
                                name_in(&target.value).or_else(|| {
                                    Some(unescape_pointer_token(target.value.as_str()?))
                                }),
                            );
                        }
                    }
                    "example" | "examples" | "default" | "enum" => {}
                    name => {
                        let is_map = crate::dialect::is_map(name, &member.value);
                        references(&member.value, is_map, names);
                    }
                }
            }
        }
        _ => {}
    }
}
