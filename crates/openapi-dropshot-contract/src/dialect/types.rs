//! Rewrites lists of types and the alternative `null`: as one type, `nullable`, or `oneOf`.

use super::{empty, flag, insert, members, null::Null, remove, schema::any_items};
use crate::model::{Location, Node, NodeKind};

/// The keywords that each type has; a keyword that is not here applies to all types.
const OF_TYPES: [(&str, &[&str]); 4] = [
    (
        "string",
        &[
            "format",
            "pattern",
            "minLength",
            "maxLength",
            "contentEncoding",
            "contentMediaType",
        ],
    ),
    (
        "number",
        &[
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
    (
        "array",
        &[
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
        ],
    ),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "patternProperties",
            "propertyNames",
            "unevaluatedProperties",
            "dependentRequired",
            "dependentSchemas",
            "discriminator",
        ],
    ),
];

/// A list of types becomes one type, `nullable`, or alternatives.
pub(super) fn types(node: &mut Node, null: Null) {
    let Some(value) = node.get("type").cloned() else {
        return;
    };
    let names: Vec<Node> = match &value.kind {
        NodeKind::Array(names) => names.clone(),
        NodeKind::String(name) if name == "null" => vec![value.clone()],
        _ => return,
    };
    // The reader rejects a list without a type.
    if names.is_empty() || names.iter().any(|name| name.as_str().is_none()) {
        return;
    }
    let is_null = |name: &Node| name.as_str() == Some("null");
    let may_be_null = names.iter().any(is_null);
    let mut others: Vec<Node> = names.into_iter().filter(|name| !is_null(name)).collect();
    // Integers are numbers.
    if others.iter().any(|name| name.as_str() == Some("number")) {
        others.retain(|name| name.as_str() != Some("integer"));
    }
    remove(node, "type");
    match others.as_slice() {
        [] if !null.is_valid => return insert(node, "not", empty(&value.at)),
        [] => {
            let null = Node::of(value.at.clone(), NodeKind::Null);
            insert(
                node,
                "enum",
                Node::of(value.at.clone(), NodeKind::Array(vec![null])),
            );
            return;
        }
        [only] => insert(node, "type", only.clone()),
        _ if node.get("enum").is_some() => {}
        _ if has_typed_alternatives(node, &others, null) => {}
        _ => alternatives(node, &value.at, &others),
    }
    // What is beside the list may exclude `null`.
    if may_be_null && null.is_valid {
        insert(node, "nullable", flag(&value.at));
    }
}

/// Whether a schema has alternatives of these types, so that the list of types adds nothing.
fn has_typed_alternatives(node: &Node, types: &[Node], null: Null) -> bool {
    let is_listed = |kind: &Node| {
        let is_number = kind.as_str() == Some("integer");
        let same = |listed: &Node| {
            listed.same_value(kind) || (is_number && listed.as_str() == Some("number"))
        };
        types.iter().any(same)
    };
    let fits = |part: &Node| {
        part.get("type").is_some_and(is_listed) && (null.is_valid || part.get("nullable").is_none())
    };
    let mut keywords = OF_TYPES.iter().flat_map(|(_, keywords)| *keywords);
    keywords.all(|keyword| node.get(keyword).is_none())
        && ["oneOf", "anyOf"].iter().any(|keyword| {
            let parts = node.get(keyword).and_then(Node::as_array);
            parts.is_some_and(|parts| parts.iter().all(fits))
        })
}

/// Distributes the keywords among alternatives of one type each. Alternatives that the schema
/// has already become a part of `allOf`.
fn alternatives(node: &mut Node, at: &Location, types: &[Node]) {
    let mut parts = Vec::new();
    for kind in types {
        let mut part = empty(at);
        insert(&mut part, "type", kind.clone());
        let name = match kind.as_str() {
            Some("integer") => "number",
            other => other.unwrap_or_default(),
        };
        let own = OF_TYPES.iter().find(|(kind, _)| *kind == name);
        for keyword in own.into_iter().flat_map(|(_, keywords)| *keywords) {
            let applies = *keyword != "format" || types.len() == 1 || fits(node, name);
            if let Some(value) = node.get(keyword).filter(|_| applies).cloned() {
                insert(&mut part, keyword, value);
            }
        }
        any_items(&mut part);
        parts.push(part);
    }
    for (_, keywords) in OF_TYPES {
        for keyword in keywords {
            remove(node, keyword);
        }
    }
    if let Some(own) = remove(node, "oneOf") {
        let mut part = empty(&own.at);
        insert(&mut part, "oneOf", own);
        all_of(node, part);
    }
    insert(node, "oneOf", Node::of(at.clone(), NodeKind::Array(parts)));
}

/// Adds a part to `allOf`, before the other ones.
pub(super) fn all_of(node: &mut Node, part: Node) {
    let at = part.at.clone();
    let mut parts = vec![part];
    if let Some(all) = remove(node, "allOf")
        && let NodeKind::Array(others) = all.kind
    {
        parts.extend(others);
    }
    insert(node, "allOf", Node::of(at, NodeKind::Array(parts)));
}

/// Whether the format of a schema belongs to a type.
fn fits(node: &Node, kind: &str) -> bool {
    let format = node
        .get("format")
        .and_then(Node::as_str)
        .unwrap_or_default();
    let is_numeric = ["int32", "int64", "uint32", "uint64", "float", "double"].contains(&format);
    is_numeric == (kind == "number")
}

/// An alternative that is `null` becomes `nullable`, unless what is beside the alternatives
/// excludes `null`.
pub(super) fn null_alternative(node: &mut Node, null: Null) {
    for keyword in ["anyOf", "oneOf"] {
        let parts = node.get(keyword).and_then(Node::as_array);
        let parts = parts.unwrap_or_default();
        let is_excluded = !null.is_valid
            && (parts.iter().all(is_null) || (keyword == "oneOf" && null.is_repeated));
        if is_excluded || !parts.iter().any(is_null) {
            continue;
        }
        let Some(NodeKind::Array(parts)) = remove(node, keyword).map(|list| list.kind) else {
            continue;
        };
        let at = parts.first().map_or(&node.at, |part| &part.at).clone();
        let (nulls, others): (Vec<Node>, Vec<Node>) = parts.into_iter().partition(is_null);
        let null_at = nulls.first().map_or(&at, |null| &null.at).clone();
        match <[Node; 1]>::try_from(others) {
            Ok([only]) => merge(node, only),
            Err(others) if others.is_empty() => {
                let null = Node::of(null_at.clone(), NodeKind::Null);
                insert(node, "enum", Node::of(null_at, NodeKind::Array(vec![null])));
                return;
            }
            Err(others) => insert(node, keyword, Node::of(at, NodeKind::Array(others))),
        }
        if null.is_valid {
            insert(node, "nullable", flag(&null_at));
        }
    }
}

/// Whether a rewritten schema allows `null` and nothing else.
fn is_null(part: &Node) -> bool {
    let values = part.get("enum").and_then(Node::as_array);
    values.is_some_and(|values| !values.is_empty() && values.iter().all(Node::is_null))
}

/// Puts the only alternative into the schema that has it. Where both say something about a
/// value, the alternative stays a schema of its own.
fn merge(node: &mut Node, only: Node) {
    const TEXTS: [&str; 7] = [
        "title",
        "description",
        "default",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    let is_text = |name: &String| TEXTS.contains(&name.as_str()) || name.starts_with("x-");
    let is_plain = node
        .as_object()
        .is_some_and(|members| members.keys().all(is_text));
    if !is_plain || only.get("$ref").is_some() {
        return all_of(node, only);
    }
    if let NodeKind::Object(others) = only.kind
        && let Some(members) = members(node)
    {
        for (name, member) in others {
            members.entry(name).or_insert(member);
        }
    }
}
