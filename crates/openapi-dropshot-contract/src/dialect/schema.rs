//! Chooses one spelling if JSON Schema 2020-12 has several for the same meaning.

use super::{
    Rewriter,
    types::{null_alternative, types},
};
use crate::grammar::{ObjectKind, Since, each_part_mut, is_annotation, is_closing};
use crate::model::{Node, NodeKind};
use crate::null::{allows_null, repeats_null};
use crate::rules::document as rules;
use indexmap::IndexMap;

/// The keywords that do not restrict a value.
const WITHOUT_EFFECT: [&str; 4] = ["$comment", "$schema", "$vocabulary", "contentSchema"];

/// How a schema treats `null`.
#[derive(Clone, Copy)]
pub(super) struct Null {
    /// Whether `null` is valid.
    pub(super) is_valid: bool,
    /// Whether more than one alternative of `oneOf` allows `null`, so that `oneOf` rejects it.
    pub(super) is_repeated: bool,
}

impl Rewriter<'_> {
    /// Rewrites a schema and the schemas inside of it.
    pub(super) fn schema(&mut self, node: &mut Node) {
        let is_newer = self.version > Since::V30;
        if let NodeKind::Bool(allows) = node.kind
            && is_newer
        {
            node.kind = NodeKind::Object(IndexMap::new());
            if !allows {
                node.set("not", Node::object(&node.at.clone()));
            }
            return;
        }
        if node.as_object().is_none() {
            return;
        }
        let null = is_newer.then(|| Null {
            is_valid: allows_null(self.written, node),
            is_repeated: repeats_null(self.written, node),
        });
        each_part_mut(node, ObjectKind::Schema, &mut |keyword, kind, part| {
            let stays = is_closing(keyword.name) && part.as_bool().is_some();
            if kind == ObjectKind::Schema && !stays {
                self.schema(part);
            }
        });
        let Some(null) = null else {
            return self.raise(node);
        };
        for keyword in WITHOUT_EFFECT {
            node.remove(keyword);
        }
        // The discriminator restricts no value. If it has a default, its property alone does not choose
        // the alternative.
        let has_default = (node.get("discriminator"))
            .is_some_and(|discriminator| discriminator.get("defaultMapping").is_some());
        if has_default && (node.get("oneOf").is_some() || node.get("anyOf").is_some()) {
            node.remove("discriminator");
        }
        self.nullable(node);
        constant(node);
        self.exclusive_bounds(node);
        encoding(node);
        names(node);
        unevaluated(node);
        items(node);
        let of_types = types(node, null);
        any_items(node);
        let of_alternatives = null_alternative(node, null);
        reference(node);
        if let Some(at) = of_alternatives.or(of_types) {
            node.allow_null(&at);
        }
    }

    /// Removes `nullable`, which has no meaning in OpenAPI 3.1.
    fn nullable(&mut self, node: &mut Node) {
        if let Some(nullable) = node.remove("nullable") {
            if node.get("default").is_some_and(Node::is_null) {
                node.remove("default");
            }
            let message = "`nullable` has no meaning in OpenAPI 3.1";
            let problem = rules::KEYWORD_OF_OLDER_VERSION.violation(&nullable.at, message);
            self.problems.push(problem);
        }
    }
}

/// Converts `const` to an `enum` with one value. If an `enum` beside it does not contain the value, no
/// value is valid for both.
fn constant(node: &mut Node) {
    if let Some(value) = node.remove("const") {
        let at = value.at.clone();
        let values = node.get("enum").and_then(Node::as_array);
        let has_value = |values: &[Node]| values.iter().any(|other| other.same_value(&value));
        let is_listed = values.is_none_or(has_value);
        let only = Node::list(&at, vec![value]);
        match is_listed {
            true => node.set("enum", only),
            false => node.add_to_all_of(Node::object(&at).with("enum", only)),
        }
    }
}

/// Returns whether an `enum` of a rewritten schema was written as `const`. In that case the list is at
/// the same place as its only value.
pub(crate) fn is_constant(values: &Node) -> bool {
    let place = |node: &Node| (node.at.line, node.at.column);
    match values.as_array() {
        Some([only]) => place(only) == place(values),
        _ => false,
    }
}

/// Converts `contentEncoding` and `contentMediaType` of a string to `format`.
fn encoding(node: &mut Node) {
    let encoding = node.remove("contentEncoding");
    let media_type = node.remove("contentMediaType");
    if node.get("format").is_some() {
        return;
    }
    let (written, format) = match (encoding, media_type) {
        (Some(encoding), _) if encoding.as_str() == Some("base64") => (encoding, "byte"),
        (None, Some(media_type)) if media_type.as_str() == Some("application/octet-stream") => {
            (media_type, "binary")
        }
        _ => return,
    };
    node.set("format", Node::text(&written.at, format));
}

/// Removes `propertyNames` if it only requires that names are strings, which they always are.
fn names(node: &mut Node) {
    let is_any = node.get("propertyNames").is_some_and(|names| {
        let members = names.as_object().into_iter().flatten();
        let mut rules = members.filter(|(keyword, _)| !is_annotation(keyword));
        rules.all(|(keyword, member)| keyword == "type" && member.value.as_str() == Some("string"))
    });
    if is_any {
        node.remove("propertyNames");
    }
}

/// Replaces `unevaluatedProperties` by `additionalProperties`, and `unevaluatedItems` by `items`, if both
/// mean the same. Without alternatives and conditions, the unevaluated members are the members without a
/// declared property, and the unevaluated elements are those after `prefixItems`. Beside
/// `additionalProperties` all members are evaluated, and beside `items` all elements.
fn unevaluated(node: &mut Node) {
    const OTHERS: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "if"];
    let allows = |value: &Node| {
        value.as_bool() == Some(true) || value.as_object().is_some_and(IndexMap::is_empty)
    };
    for (keyword, all, own) in [
        (
            "unevaluatedProperties",
            "additionalProperties",
            ["dependentSchemas", "patternProperties"].as_slice(),
        ),
        ("unevaluatedItems", "items", &["contains"]),
    ] {
        if node.get(keyword).is_some_and(allows) || node.get(all).is_some() {
            node.remove(keyword);
        }
        let mut others = OTHERS.iter().chain(own);
        if others.all(|keyword| node.get(keyword).is_none())
            && let Some(value) = node.remove(keyword)
        {
            // All keywords except `additionalProperties` contain only schemas, not booleans.
            let is_never = all == "items" && value.as_bool() == Some(false);
            let value = match is_never {
                true => Node::object(&value.at).with("not", Node::object(&value.at)),
                false => value,
            };
            node.set(all, value);
        }
    }
}

/// Converts a list of `prefixItems` with equal schemas, after which no elements are allowed, to an array
/// with a maximum length.
fn items(node: &mut Node) {
    let plain = |part: &Node| {
        let mut part = part.clone();
        part.remove("title");
        part.remove("description");
        part
    };
    let parts = node.items("prefixItems");
    let Some(first) = parts.first().map(plain) else {
        return;
    };
    let count = u64::try_from(parts.len()).unwrap_or(u64::MAX);
    let most = node.get("maxItems").and_then(Node::as_u64);
    let is_bounded = most.is_some_and(|most| most <= count);
    // `items: false` was already rewritten.
    let is_closed = node
        .get("items")
        .is_some_and(|items| items.get("not").is_some());
    let same = parts.iter().all(|part| plain(part).same_value(&first));
    if same && (is_bounded || is_closed) {
        let at = first.at.clone();
        node.remove("prefixItems");
        node.set("items", first);
        if !is_bounded {
            node.set("maxItems", Node::new(&at, NodeKind::Number(count.into())));
        }
    }
}

/// Adds `items` if it is absent: any element is allowed. With `prefixItems`, this applies to the elements
/// after them.
pub(super) fn any_items(node: &mut Node) {
    let is_array = node.word("type") == Some("array");
    if is_array && node.get("$ref").is_none() {
        node.get_or_add("items");
    }
}

/// Converts a reference with keywords beside it to a part of `allOf`.
fn reference(node: &mut Node) {
    let is_alone = node.as_object().is_some_and(|members| members.len() == 1);
    if !is_alone && let Some(target) = node.remove("$ref") {
        node.add_to_all_of(Node::object(&target.at.clone()).with("$ref", target));
    }
}
