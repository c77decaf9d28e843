//! Rewrites schemas: the keywords of JSON Schema 2020-12 as those of OpenAPI 3.0.

use super::{
    Rewriter, empty, flag, insert, members,
    null::Null,
    remove,
    types::{all_of, null_alternative, types},
    values,
};
use crate::model::{Location, Node, NodeKind, compare_numbers};
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::cmp::Ordering;

/// The keywords that say nothing about a value.
const IDLE: [&str; 4] = ["$comment", "$schema", "$vocabulary", "contentSchema"];

impl Rewriter<'_> {
    /// Rewrites a schema and the schemas inside of it.
    pub(super) fn schema(&mut self, node: &mut Node) {
        if let NodeKind::Bool(allows) = node.kind {
            node.kind = NodeKind::Object(IndexMap::new());
            if !allows {
                insert(node, "not", empty(&node.at.clone()));
            }
            return;
        }
        if members(node).is_none() {
            return;
        }
        let null = Null::of(self.written, node);
        self.parts(node);
        for keyword in IDLE {
            remove(node, keyword);
        }
        self.nullable(node);
        constant(node);
        examples(node);
        bound(node, "exclusiveMinimum", "minimum", Ordering::Greater);
        bound(node, "exclusiveMaximum", "maximum", Ordering::Less);
        encoding(node);
        names(node);
        unevaluated(node);
        items(node);
        types(node, null);
        any_items(node);
        null_alternative(node, null);
        reference(node);
    }

    /// Rewrites the schemas inside of a schema.
    fn parts(&mut self, node: &mut Node) {
        for (keyword, member) in members(node).into_iter().flatten() {
            let value = &mut member.value;
            match keyword.as_str() {
                "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                    values(value).for_each(|part| self.schema(part));
                }
                "items" | "not" | "if" | "then" | "else" | "contains" | "propertyNames" => {
                    self.schema(value);
                }
                "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems"
                    if value.as_bool().is_none() =>
                {
                    self.schema(value);
                }
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                    if let NodeKind::Array(parts) = &mut value.kind {
                        parts.iter_mut().for_each(|part| self.schema(part));
                    }
                }
                _ => {}
            }
        }
    }

    /// Removes `nullable`, which means nothing in OpenAPI 3.1.
    fn nullable(&mut self, node: &mut Node) {
        if let Some(nullable) = remove(node, "nullable") {
            if node.get("default").is_some_and(Node::is_null) {
                remove(node, "default");
            }
            let message = "`nullable` has no meaning in OpenAPI 3.1";
            let problem = rules::KEYWORD_OF_OLDER_VERSION.violation(&nullable.at, message);
            self.problems.push(problem);
        }
    }
}

fn text(at: &Location, text: &str) -> Node {
    Node::of(at.clone(), NodeKind::String(text.to_owned()))
}

/// `const` becomes an `enum` of one value. If an `enum` beside it lacks the value, no value fulfils
/// both.
fn constant(node: &mut Node) {
    if let Some(value) = remove(node, "const") {
        let at = value.at.clone();
        let values = node.get("enum").and_then(Node::as_array);
        let has_value = |values: &[Node]| values.iter().any(|other| other.same_value(&value));
        let is_listed = values.is_none_or(has_value);
        let only = Node::of(at.clone(), NodeKind::Array(vec![value]));
        if is_listed {
            return insert(node, "enum", only);
        }
        let mut part = empty(&at);
        insert(&mut part, "enum", only);
        all_of(node, part);
    }
}

/// Returns whether an `enum` of a rewritten schema was written as `const`: it then stands at the
/// place of its only value.
pub(crate) fn is_constant(values: &Node) -> bool {
    let place = |node: &Node| (node.at.line, node.at.column);
    match values.as_array() {
        Some([only]) => place(only) == place(values),
        _ => false,
    }
}

/// The first of `examples` becomes the `example`.
fn examples(node: &mut Node) {
    if let Some(examples) = remove(node, "examples")
        && node.get("example").is_none()
        && let NodeKind::Array(values) = examples.kind
        && let Some(first) = values.into_iter().next()
    {
        insert(node, "example", first);
    }
}

/// An exclusive bound that is a number becomes a bound and a flag. Of two bounds, the
/// narrower one counts.
fn bound(node: &mut Node, exclusive: &str, inclusive: &str, narrower: Ordering) {
    let Some(value) = node
        .get(exclusive)
        .filter(|value| value.as_number().is_some())
    else {
        return;
    };
    let value = value.clone();
    remove(node, exclusive);
    let other = node.get(inclusive).and_then(Node::as_number);
    let order = value.as_number().zip(other);
    let order = order.and_then(|(own, other)| compare_numbers(own, other));
    if order.is_none_or(|order| order == narrower || order == Ordering::Equal) {
        insert(node, exclusive, flag(&value.at));
        insert(node, inclusive, value);
    }
}

/// `contentEncoding` and `contentMediaType` of a string become its `format`.
fn encoding(node: &mut Node) {
    let encoding = remove(node, "contentEncoding");
    let media_type = remove(node, "contentMediaType");
    if node.get("format").is_some() {
        return;
    }
    let format = match (&encoding, &media_type) {
        (Some(encoding), _) if encoding.as_str() == Some("base64") => Some((encoding, "byte")),
        (None, Some(media_type)) if media_type.as_str() == Some("application/octet-stream") => {
            Some((media_type, "binary"))
        }
        _ => None,
    };
    if let Some((node_of, format)) = format {
        let format = text(&node_of.at, format);
        insert(node, "format", format);
    }
}

/// Names of members are strings anyway.
fn names(node: &mut Node) {
    let is_any = node.get("propertyNames").is_some_and(|names| {
        let members = names.as_object().into_iter().flatten();
        let mut rules = members.filter(|(keyword, _)| {
            !["title", "description", "example"].contains(&keyword.as_str())
        });
        rules.all(|(keyword, member)| keyword == "type" && member.value.as_str() == Some("string"))
    });
    if is_any {
        remove(node, "propertyNames");
    }
}

/// Without alternatives and conditions, members that are not evaluated are those that are
/// not named. Beside `additionalProperties` all members are evaluated, and beside `items` all
/// elements.
fn unevaluated(node: &mut Node) {
    const OTHERS: [&str; 7] = [
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "dependentSchemas",
        "patternProperties",
    ];
    let allows = |value: &Node| {
        value.as_bool() == Some(true) || value.as_object().is_some_and(IndexMap::is_empty)
    };
    for (keyword, all) in [
        ("unevaluatedProperties", "additionalProperties"),
        ("unevaluatedItems", "items"),
    ] {
        if node.get(keyword).is_some_and(allows) || node.get(all).is_some() {
            remove(node, keyword);
        }
    }
    if let Some(value) = node.get("unevaluatedProperties").cloned()
        && OTHERS.iter().all(|keyword| node.get(keyword).is_none())
    {
        remove(node, "unevaluatedProperties");
        insert(node, "additionalProperties", value);
    }
}

/// A list of elements that all have the same schema is an array of a fixed length.
fn items(node: &mut Node) {
    let Some(parts) = node.get("prefixItems").and_then(Node::as_array) else {
        return;
    };
    let count = u64::try_from(parts.len()).unwrap_or(u64::MAX);
    let Some(first) = parts.first().cloned() else {
        return;
    };
    let is_full = node.get("minItems").and_then(Node::as_u64) == Some(count);
    let is_bounded = node.get("maxItems").and_then(Node::as_u64) == Some(count);
    // `items: false` was rewritten before.
    let is_closed = node
        .get("items")
        .is_some_and(|items| items.get("not").is_some());
    let plain = |part: &Node| {
        let mut part = part.clone();
        remove(&mut part, "title");
        remove(&mut part, "description");
        part
    };
    let same = parts
        .iter()
        .all(|part| plain(part).same_value(&plain(&first)));
    if same && is_full && (is_bounded || is_closed) {
        let at = first.at.clone();
        remove(node, "prefixItems");
        insert(node, "items", plain(&first));
        insert(
            node,
            "maxItems",
            Node::of(at, NodeKind::Number(count.into())),
        );
    }
}

/// Without `items`, an element may be any value; with `prefixItems`, this is about the elements after those.
pub(super) fn any_items(node: &mut Node) {
    let is_array = node.get("type").and_then(Node::as_str) == Some("array");
    let has_items = ["items", "$ref"]
        .iter()
        .any(|keyword| node.get(keyword).is_some());
    if is_array && !has_items {
        let at = node.at.clone();
        insert(node, "items", empty(&at));
    }
}

/// A reference with keywords beside it becomes a part of `allOf`.
fn reference(node: &mut Node) {
    if node.get("$ref").is_none() || node.as_object().is_some_and(|members| members.len() == 1) {
        return;
    }
    let Some(target) = remove(node, "$ref") else {
        return;
    };
    let at = target.at.clone();
    let mut part = empty(&at);
    insert(&mut part, "$ref", target);
    all_of(node, part);
}
