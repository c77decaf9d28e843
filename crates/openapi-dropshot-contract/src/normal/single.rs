//! Rewrites single schemas: the type that keywords imply, keywords without an effect,
//! `not: {}`, and values of several types.

use super::{
    Kind, Left, Normalizer, Place, kind_of,
    null::{allows_null, is_nullable},
    steps, target,
};
use crate::dialect::{empty, insert, members, remove};
use crate::model::{Location, Node, NodeKind};
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The keywords that belong to the values of one type.
const OF_TYPES: [(&str, &[&str]); 4] = [
    ("string", &["minLength", "maxLength", "pattern"]),
    (
        "number",
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
    ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ],
    ),
];

/// The formats of strings that imply the type, because no other type has them.
const FORMATS: [&str; 14] = [
    "date",
    "date-time",
    "time",
    "uuid",
    "byte",
    "binary",
    "password",
    "email",
    "hostname",
    "uri",
    "url",
    "ipv4",
    "ipv6",
    "duration",
];

/// Returns whether a schema has alternatives that restrict anything.
pub(super) fn has_alternatives(node: &Node) -> bool {
    ["oneOf", "anyOf"].iter().any(|keyword| {
        let parts = node.get(keyword).and_then(Node::as_array);
        parts.is_some_and(|parts| !parts.iter().all(is_free))
    })
}

/// Returns whether a schema allows every value.
pub(super) fn is_free(node: &Node) -> bool {
    const TEXTS: [&str; 6] = [
        "title",
        "description",
        "example",
        "deprecated",
        "externalDocs",
        "default",
    ];
    let Some(members) = node.as_object() else {
        return false;
    };
    let is_text = |name: &String| TEXTS.contains(&name.as_str()) || name.starts_with("x-");
    members.keys().all(is_text)
}

/// Returns whether no value fulfils a schema, because it has `not: {}`.
fn is_never(node: &Node) -> bool {
    node.get("not").is_some_and(is_free)
}

/// Returns the `type` of a schema, or the one that its keywords imply.
pub(super) fn type_of(node: &Node) -> Option<&str> {
    if let Some(kind) = node.get("type") {
        return kind.as_str();
    }
    let has_effect = |keyword: &&str| {
        node.get(keyword)
            .is_some_and(|value| value.size() > 1 || !value.is_empty_container())
    };
    let implied = OF_TYPES
        .iter()
        .find(|(_, keywords)| keywords.iter().any(&has_effect));
    if let Some((kind, _)) = implied {
        return Some(kind);
    }
    let format = node.get("format").and_then(Node::as_str);
    format
        .filter(|format| FORMATS.contains(format))
        .map(|_| "string")
}

/// Returns whether a schema, or a part of its `allOf`, has `type` or `enum`, so that its
/// values are of one kind.
pub(super) fn writes_type(
    components: &IndexMap<String, Node>,
    node: &Node,
    left: Left<'_>,
) -> bool {
    let Some(left) = left.next() else {
        return false;
    };
    if let Some(reference) = node.get("$ref") {
        let target = target(components, reference);
        return target.is_some_and(|target| writes_type(components, target, left));
    }
    let parts = node.get("allOf").and_then(Node::as_array);
    let mut parts = parts.into_iter().flatten();
    node.get("type").is_some()
        || node.get("enum").is_some()
        || parts.any(|part| writes_type(components, part, left))
}

impl Node {
    fn is_empty_container(&self) -> bool {
        match &self.kind {
            NodeKind::Array(items) => items.is_empty(),
            NodeKind::Object(members) => members.is_empty(),
            _ => false,
        }
    }
}

/// Returns whether an alternative is a component.
fn is_named(part: &Node) -> bool {
    let all = part.get("allOf").and_then(Node::as_array);
    part.get("$ref").is_some() || matches!(all, Some([only]) if only.get("$ref").is_some())
}

impl Normalizer {
    /// Adds the `type` that the keywords of a schema imply.
    pub(super) fn assume_type(&mut self, node: &mut Node, is_typed: bool) {
        if node.get("type").is_some() || node.get("enum").is_some() || is_never(node) {
            return;
        }
        let Some(kind) = type_of(node).map(str::to_owned) else {
            return;
        };
        // The alternatives, or the other parts of `allOf`, may have the type.
        let is_composed = has_alternatives(node) || node.get("allOf").is_some();
        if is_composed && kind != "object" {
            return;
        }
        let at = node.at.clone();
        if !is_composed && !is_typed {
            let message = format!(
                "this schema has no `type`, and keywords of type `{kind}`: the type is assumed"
            );
            let help = format!("write `type: {kind}`");
            let problem = rules::ASSUMED_TYPE.problem(&at, message, help);
            self.warnings.push(problem);
        }
        insert(node, "type", Node::of(at, NodeKind::String(kind)));
    }

    /// Removes keywords that have no effect.
    pub(super) fn idle(&mut self, node: &mut Node, place: Place) {
        let Some(kind) = node.get("type").and_then(Node::as_str).map(str::to_owned) else {
            return self.idle_at(node, place);
        };
        // `allOf` around a reference is another way to write the reference.
        let all = node.get("allOf").and_then(Node::as_array);
        let reference = match all {
            Some([only]) => only.get("$ref"),
            _ => None,
        };
        let target = reference.and_then(|reference| target(&self.components, reference));
        let is_alone = OF_TYPES
            .iter()
            .flat_map(|(_, keywords)| *keywords)
            .all(|keyword| node.get(keyword).is_none());
        // The type excludes the `null` that the reference allows.
        let excludes_null = !is_nullable(node)
            && target.is_some_and(|target| allows_null(&self.components, target));
        if is_alone
            && target.and_then(type_of) == Some(kind.as_str())
            && !has_alternatives(node)
            && !excludes_null
        {
            remove(node, "type");
            return self.idle_at(node, place);
        }
        let own = match kind.as_str() {
            "integer" => "number",
            other => other,
        };
        let others = OF_TYPES.iter().filter(|(kind, _)| *kind != own);
        for keyword in others.flat_map(|(_, keywords)| *keywords) {
            // The linter warns of these.
            remove(node, keyword);
        }
        for (flag, bound) in [
            ("exclusiveMinimum", "minimum"),
            ("exclusiveMaximum", "maximum"),
        ] {
            if node.get(flag).is_some() && node.get(bound).is_none() {
                self.drop_idle(node, flag, &format!("without `{bound}`"));
            }
        }
        if ["object", "array", "boolean"].contains(&own) && node.get("format").is_some() {
            self.drop_idle(node, "format", &format!("on a schema of type `{kind}`"));
        }
        self.idle_at(node, place);
    }

    /// Removes keywords that have no effect at the place of a schema.
    fn idle_at(&mut self, node: &mut Node, place: Place) {
        if place != Place::Member && place != Place::Conjunct {
            for keyword in ["readOnly", "writeOnly"] {
                if node.get(keyword).and_then(Node::as_bool) == Some(true) {
                    self.drop_idle(node, keyword, "here: it belongs to a property");
                }
            }
        }
        if place == Place::Part && node.get("default").is_some() {
            self.drop_idle(node, "default", "here: this value cannot be absent");
        }
        if node.get("discriminator").is_some() {
            let parts = ["oneOf", "anyOf"].map(|keyword| node.get(keyword)?.as_array());
            let parts: Vec<&Node> = parts.into_iter().flatten().flatten().collect();
            let place = match parts.as_slice() {
                [] if !describes_tag(node) => {
                    // The linter warns of the property that is not described.
                    remove(node, "discriminator");
                    return;
                }
                [] => "without `oneOf` or `anyOf`",
                parts if parts.iter().copied().all(is_named) => return,
                _ => "where an alternative is no component: it would have no name",
            };
            self.drop_idle(node, "discriminator", place);
        }
    }

    fn drop_idle(&mut self, node: &mut Node, keyword: &str, place: &str) {
        if let Some(value) = remove(node, keyword) {
            let message = format!("`{keyword}` has no effect {place}");
            let problem = rules::IDLE_KEYWORD.problem(&value.at, message, "remove it");
            self.warnings.push(problem);
        }
    }

    /// Describes the members that are required and nowhere described: they may have any
    /// value.
    pub(super) fn describe_required(&mut self, node: &mut Node) {
        let is_object = kind_of(&self.components, node) == Some(Kind::Object);
        if !is_object {
            return;
        }
        let mut required = Vec::new();
        required_of(node, &mut required);
        if required.is_empty() {
            return;
        }
        let mut known = BTreeSet::new();
        property_names(&self.components, node, &mut known, Left::of(&steps()));
        required.retain(|(name, _)| !known.contains(name));
        if required.is_empty() {
            return;
        }
        if node.get("properties").is_none() {
            let at = node.at.clone();
            insert(node, "properties", empty(&at));
        }
        let properties = members(node).and_then(|members| members.get_mut("properties"));
        if let Some(properties) = properties {
            for (name, at) in required {
                insert(&mut properties.value, &name, empty(&at));
            }
        }
    }
}

/// Returns whether a schema describes the property that its discriminator names.
fn describes_tag(node: &Node) -> bool {
    let discriminator = node.get("discriminator");
    let name = discriminator.and_then(|own| own.get("propertyName")?.as_str());
    let properties = node.get("properties");
    name.is_some_and(|name| properties.is_some_and(|own| own.get(name).is_some()))
}

/// Adds the names in `required` of a schema and of the parts of its `allOf`.
fn required_of(node: &Node, names: &mut Vec<(String, Location)>) {
    let list = node.get("required").and_then(Node::as_array);
    let texts = list.into_iter().flatten();
    names.extend(texts.filter_map(|name| Some((name.as_str()?.to_owned(), name.at.clone()))));
    let parts = node.get("allOf").and_then(Node::as_array);
    for part in parts.into_iter().flatten() {
        required_of(part, names);
    }
}

/// Adds the names of the properties of a schema and of the parts of its `allOf`.
pub(super) fn property_names(
    components: &IndexMap<String, Node>,
    node: &Node,
    names: &mut BTreeSet<String>,
    left: Left<'_>,
) {
    let Some(left) = left.next() else {
        return;
    };
    if let Some(reference) = node.get("$ref") {
        if let Some(target) = target(components, reference) {
            property_names(components, target, names, left);
        }
        return;
    }
    let properties = node.get("properties").and_then(Node::as_object);
    names.extend(
        properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone()),
    );
    let parts = node.get("allOf").and_then(Node::as_array);
    for part in parts.into_iter().flatten() {
        property_names(components, part, names, left);
    }
}

/// Moves the texts of a part of `allOf` that has nothing else to the schema itself, unless
/// that has its own.
pub(super) fn texts_of_parts(node: &mut Node) {
    let Some(NodeKind::Array(parts)) = node.get("allOf").map(|parts| &parts.kind) else {
        return;
    };
    let (texts, others): (Vec<Node>, Vec<Node>) = parts.iter().cloned().partition(is_free);
    if texts.is_empty() || others.is_empty() {
        return;
    }
    for text in &texts {
        for (name, member) in text.as_object().into_iter().flatten() {
            if node.get(name).is_none() {
                insert(node, name, member.value.clone());
            }
        }
    }
    let parts = members(node).and_then(|members| members.get_mut("allOf"));
    if let Some(parts) = parts {
        parts.value.kind = NodeKind::Array(others);
    }
}

/// Leaves out what `not: {}` stands for nothing in: an alternative, the elements of an empty
/// array, members without a name that may not be there.
pub(super) fn never(node: &mut Node) {
    if node.get("additionalProperties").is_some_and(is_never) {
        let at = node.at.clone();
        insert(
            node,
            "additionalProperties",
            Node::of(at, NodeKind::Bool(false)),
        );
    }
    if node.get("items").is_some_and(is_never) && node.get("minItems").is_none() {
        let at = node.at.clone();
        insert(node, "items", empty(&at));
        insert(node, "maxItems", Node::of(at, NodeKind::Number(0.into())));
    }
    for keyword in ["oneOf", "anyOf"] {
        let parts = members(node).and_then(|members| members.get_mut(keyword));
        if let Some(parts) = parts
            && let NodeKind::Array(parts) = &mut parts.value.kind
            && !parts.iter().all(is_never)
        {
            parts.retain(|part| !is_never(part));
        }
    }
    let required: Vec<String> = {
        let list = node.get("required").and_then(Node::as_array);
        let texts = list.into_iter().flatten();
        texts
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    let closed = node.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    let properties = members(node).and_then(|members| members.get_mut("properties"));
    if closed && let Some(properties) = properties {
        // An object that is closed rejects what it does not name.
        let properties = members(&mut properties.value).into_iter();
        for properties in properties {
            properties.retain(|name, member| required.contains(name) || !is_never(&member.value));
        }
    }
}

/// Splits an `enum` of strings and of other values into alternatives; booleans of both values
/// are any boolean.
pub(super) fn enumeration(node: &mut Node) {
    let Some(values) = node.get("enum").and_then(Node::as_array) else {
        return;
    };
    let group = |value: &Node| match &value.kind {
        NodeKind::Null => None,
        NodeKind::Bool(_) => Some("boolean"),
        NodeKind::Number(number) if number.as_i128().is_some() => Some("integer"),
        NodeKind::Number(_) => Some("number"),
        NodeKind::String(_) => Some("string"),
        NodeKind::Array(_) => Some("array"),
        NodeKind::Object(_) => Some("object"),
    };
    let kinds: BTreeSet<&str> = values.iter().filter_map(group).collect();
    if kinds.is_empty() && !values.is_empty() {
        // dropshot writes a type beside the only value `null`.
        for keyword in ["type", "nullable", "format"] {
            remove(node, keyword);
        }
        return;
    }
    let kind = node.get("type").and_then(Node::as_str);
    if kinds.len() == 1 && kinds.contains("boolean") && kind.is_none_or(|kind| kind == "boolean") {
        let both = [true, false].map(|wanted| {
            let mut values = values.iter().filter_map(Node::as_bool);
            values.any(|value| value == wanted)
        });
        if both == [true, true] {
            let (at, null) = (node.at.clone(), values.iter().any(Node::is_null));
            remove(node, "enum");
            insert(
                node,
                "type",
                Node::of(at.clone(), NodeKind::String("boolean".to_owned())),
            );
            if null {
                insert(node, "nullable", crate::dialect::flag(&at));
            }
        }
        return;
    }
    let is_simple = kinds
        .iter()
        .all(|kind| ["string", "integer", "boolean"].contains(kind));
    if kind.is_some() || kinds.len() < 2 || !is_simple || has_alternatives(node) {
        return;
    }
    let at = node.at.clone();
    let has_null = values.iter().any(Node::is_null);
    let parts: Vec<Node> = kinds
        .iter()
        .map(|kind| {
            let own = values.iter().filter(|value| group(value) == Some(kind));
            let own: Vec<Node> = own.cloned().collect();
            let mut part = empty(&at);
            insert(
                &mut part,
                "type",
                Node::of(at.clone(), NodeKind::String((*kind).to_owned())),
            );
            insert(
                &mut part,
                "enum",
                Node::of(at.clone(), NodeKind::Array(own)),
            );
            enumeration(&mut part);
            part
        })
        .collect();
    remove(node, "enum");
    insert(node, "oneOf", Node::of(at.clone(), NodeKind::Array(parts)));
    if has_null {
        insert(node, "nullable", crate::dialect::flag(&at));
    }
}
