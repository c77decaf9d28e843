//! Rewrites a list of types as one type or as `oneOf`, and finds where `null` is allowed.

use super::schema::{Null, any_items};
use crate::grammar::{Effect, ObjectKind, is_free};
use crate::model::{Location, Node, NodeKind};
use crate::null::is_null;

/// The keywords that apply only to values of one type, and the other keywords that belong to a schema of that type.
fn keywords_of(kind: &str) -> impl Iterator<Item = &'static str> {
    let kind = match kind {
        "integer" => "number",
        other => other,
    };
    let has_format = ["string", "number"].contains(&kind);
    let members = ObjectKind::Schema.members().iter();
    let own = members.filter(move |member| match member.name {
        "format" => has_format,
        "discriminator" => kind == "object",
        _ => matches!(member.effect, Effect::Of(of) if of == kind),
    });
    own.map(|member| member.name)
}

/// All keywords that apply only to values of one type.
fn keywords_of_all() -> impl Iterator<Item = &'static str> {
    let kinds = ["string", "number", "array", "object"];
    kinds.into_iter().flat_map(keywords_of)
}

/// Converts a list of types to one type or to alternatives. Returns the place where the list allows `null`.
pub(super) fn types(node: &mut Node, null: Null) -> Option<Location> {
    let value = node.get("type").cloned()?;
    let names: Vec<Node> = match &value.kind {
        NodeKind::Array(names) => names.clone(),
        NodeKind::String(name) if name == "null" => vec![value.clone()],
        _ => return None,
    };
    // The reader rejects a list without a type.
    if names.is_empty() || names.iter().any(|name| name.as_str().is_none()) {
        return None;
    }
    let is_null = |name: &Node| name.as_str() == Some("null");
    let allowed = names.iter().find(|name| is_null(name)).cloned();
    let mut others: Vec<Node> = names.into_iter().filter(|name| !is_null(name)).collect();
    // `number` includes the integers.
    if others.iter().any(|name| name.as_str() == Some("number")) {
        others.retain(|name| name.as_str() != Some("integer"));
    }
    node.remove("type");
    match others.as_slice() {
        [] => {
            match null.is_valid {
                true => node.set("enum", only_null(&value.at)),
                false => node.set("not", Node::object(&value.at)),
            }
            return None;
        }
        [only] => node.set("type", only.clone()),
        _ if node.get("enum").is_some() => {}
        _ if has_typed_alternatives(node, &others, null) => {}
        _ => alternatives(node, &value.at, &others),
    }
    // Keywords beside the list may exclude `null`.
    allowed.filter(|_| null.is_valid).map(|name| name.at)
}

/// The list of values of an `enum` that allows only `null`.
fn only_null(at: &Location) -> Node {
    Node::list(at, vec![Node::new(at, NodeKind::Null)])
}

/// Whether a schema has alternatives of these types, so that the list of types adds nothing.
fn has_typed_alternatives(node: &Node, types: &[Node], null: Null) -> bool {
    let is_listed = |kind: &str| {
        let mut listed = types.iter().filter_map(Node::as_str);
        listed.any(|listed| listed == kind || (listed == "number" && kind == "integer"))
    };
    let fits = |part: &Node| {
        let kind = part.type_name();
        kind.is_some_and(is_listed) && (null.is_valid || part.null().is_none())
    };
    keywords_of_all().all(|keyword| node.get(keyword).is_none())
        && ["oneOf", "anyOf"].iter().any(|keyword| {
            let parts = node.get(keyword).and_then(Node::as_array);
            parts.is_some_and(|parts| parts.iter().all(fits))
        })
}

/// Distributes the keywords to alternatives of one type each. If the schema already has alternatives, these become a part of
/// `allOf`.
fn alternatives(node: &mut Node, at: &Location, types: &[Node]) {
    let mut parts = Vec::new();
    for kind in types {
        let mut part = Node::object(&kind.at).with("type", kind.clone());
        let name = kind.as_str().unwrap_or_default();
        for keyword in keywords_of(name) {
            let applies = keyword != "format" || types.len() == 1 || fits(node, name);
            if let Some(value) = node.get(keyword).filter(|_| applies).cloned() {
                part.set(keyword, value);
            }
        }
        any_items(&mut part);
        parts.push(part);
    }
    for keyword in keywords_of_all() {
        node.remove(keyword);
    }
    if let Some(own) = node.remove("oneOf") {
        node.add_to_all_of(Node::object(&own.at.clone()).with("oneOf", own));
    }
    node.set("oneOf", Node::list(at, parts));
}

/// Whether the format of a schema belongs to a type.
fn fits(node: &Node, kind: &str) -> bool {
    let format = node.word("format").unwrap_or_default();
    let is_numeric = ["int32", "int64", "uint32", "uint64", "float", "double"].contains(&format);
    is_numeric == ["number", "integer"].contains(&kind)
}

/// Removes the alternatives that are `null`, unless the keywords beside the alternatives exclude `null`. Returns the place where
/// they allow it.
pub(super) fn null_alternative(node: &mut Node, null: Null) -> Option<Location> {
    let mut allowed = None;
    for keyword in ["anyOf", "oneOf"] {
        let parts = node.items(keyword);
        let is_excluded = !null.is_valid
            && (parts.iter().all(is_null) || (keyword == "oneOf" && null.is_repeated));
        if is_excluded || !parts.iter().any(is_null) {
            continue;
        }
        let Some(NodeKind::Array(parts)) = node.remove(keyword).map(|list| list.kind) else {
            continue;
        };
        let at = parts.first().map_or(&node.at, |part| &part.at).clone();
        let (nulls, others): (Vec<Node>, Vec<Node>) = parts.into_iter().partition(is_null);
        let null_at = nulls.first().map_or(&at, |null| &null.at).clone();
        match <[Node; 1]>::try_from(others) {
            Ok([only]) if is_free(node) => node.merge(only),
            // If both restrict the value, the alternative stays a separate schema.
            Ok([only]) => node.add_to_all_of(only),
            Err(others) if others.is_empty() => {
                node.set("enum", only_null(&null_at));
                return None;
            }
            Err(others) => node.set(keyword, Node::list(&at, others)),
        }
        allowed = Some(null_at).filter(|_| null.is_valid);
    }
    allowed
}
