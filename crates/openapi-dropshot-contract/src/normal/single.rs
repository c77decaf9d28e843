//! Rewrites single schemas: the type that keywords imply, keywords without an effect, `not: {}`, and values of several types.

use super::{Normalizer, Position, ValueKind, conjunction::definitions_of, conjuncts, kind_of};
use crate::grammar::{is_free, keywords_of_types};
use crate::model::{Location, Node, NodeKind};
use crate::null::allows_null;
use crate::rules::document as rules;
use std::collections::{BTreeSet, HashSet};

/// String formats that imply the type `string`, because no other type has them.
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

/// Returns whether a schema has an alternative that restricts anything.
pub(super) fn has_alternatives(node: &Node) -> bool {
    let mut parts = ["oneOf", "anyOf"]
        .into_iter()
        .flat_map(|keyword| node.items(keyword));
    parts.any(|part| !is_free(part))
}

/// Returns whether a schema has `not: {}`, so that no value is valid.
fn is_never(node: &Node) -> bool {
    node.get("not").is_some_and(is_free)
}

/// Returns the `type` of a schema, or the type that its keywords imply.
pub(super) fn type_of(node: &Node) -> Option<&str> {
    if node.get("type").is_some() {
        return node.type_name();
    }
    let has_effect = |keyword: &str| {
        // `additionalProperties: {}` and `items: {}` restrict nothing, but an author who writes them means an object or an array.
        let is_open = ["additionalProperties", "items"].contains(&keyword);
        node.get(keyword)
            .is_some_and(|value| is_open || value.size() > 1 || !value.is_empty_container())
    };
    let mut keywords = keywords_of_types();
    let implied = keywords.find(|(keyword, _)| has_effect(keyword));
    let format = node.word("format");
    let is_of_texts = format.is_some_and(|format| FORMATS.contains(&format));
    let implied = implied.map(|(_, kind)| kind);
    implied.or(is_of_texts.then_some("string"))
}

/// Returns whether a schema, or a part of its `allOf`, has `type` or `enum`, which determines the type of its values.
pub(super) fn writes_type(root: &Node, node: &Node) -> bool {
    let writes = |node: &Node| node.get("type").is_some() || node.get("enum").is_some();
    writes(node) || conjuncts(root, node).into_iter().any(writes)
}

impl Node {
    pub(super) fn is_empty_container(&self) -> bool {
        match &self.kind {
            NodeKind::Array(items) => items.is_empty(),
            NodeKind::Object(members) => members.is_empty(),
            _ => false,
        }
    }
}

/// Returns whether an alternative is a component.
fn is_named(part: &Node) -> bool {
    let part = part.without_null();
    let all = part.items("allOf");
    part.get("$ref").is_some() || matches!(all, [only] if only.get("$ref").is_some())
}

impl Normalizer<'_> {
    /// Adds the `type` that the keywords of a schema imply.
    pub(super) fn assume_type(&mut self, node: &mut Node, is_typed: bool) {
        if node.get("type").is_some() || node.get("enum").is_some() || is_never(node) {
            return;
        }
        let Some(kind) = type_of(node).map(str::to_owned) else {
            return;
        };
        // The alternatives or the other parts of `allOf` may have the type.
        let is_composed = has_alternatives(node) || node.get("allOf").is_some();
        if is_composed && kind != "object" {
            return;
        }
        let at = node.at.clone();
        if !is_composed && !is_typed {
            let message = format!(
                "this schema has no `type`, but keywords of type `{kind}`: this type is assumed"
            );
            let help = format!("write `type: {kind}`");
            let problem = rules::ASSUMED_TYPE.problem(&at, message, help);
            self.warnings.push(problem);
        }
        node.set("type", Node::text(&at, kind));
    }

    /// Removes keywords that have no effect on values of the type.
    pub(super) fn remove_keywords_of_other_types(&mut self, node: &mut Node, is_nullable: bool) {
        let Some(kind) = node.word("type").map(str::to_owned) else {
            return;
        };
        // An `allOf` with only a reference is another notation of the reference.
        let target = match node.items("allOf") {
            [only] => self.before.target(only),
            _ => None,
        };
        let is_alone = || keywords_of_types().all(|(keyword, _)| node.get(keyword).is_none());
        // The type beside the reference excludes the `null` that the reference allows.
        let excludes_null = !is_nullable
            && target.is_some_and(|target| {
                let writes_type = writes_type(self.before, target);
                target.null().is_some() || (writes_type && allows_null(self.before, target))
            });
        if target.and_then(type_of) == Some(kind.as_str())
            && is_alone()
            && !has_alternatives(node)
            && !excludes_null
        {
            node.remove("type");
            return;
        }
        let own = match kind.as_str() {
            "integer" => "number",
            other => other,
        };
        for (keyword, _) in keywords_of_types().filter(|(_, kind)| *kind != own) {
            // The linter reports these keywords.
            node.remove(keyword);
        }
        if ["object", "array", "boolean"].contains(&own) {
            self.remove_with_warning(node, "format", &format!("on a schema of type `{kind}`"));
        }
    }

    /// Removes keywords that have no effect at the position of a schema.
    pub(super) fn remove_misplaced_keywords(&mut self, node: &mut Node, position: Position) {
        if position != Position::Member && position != Position::Conjunct {
            for keyword in ["readOnly", "writeOnly"] {
                if node.is_set(keyword) {
                    let place = "here: it has an effect only on a property";
                    self.remove_with_warning(node, keyword, place);
                }
            }
        }
        if position == Position::Part {
            self.remove_with_warning(node, "default", "here: this value cannot be absent");
        }
        if node.get("discriminator").is_some() {
            let mut parts = node.items("oneOf").iter().chain(node.items("anyOf"));
            let place = match parts.clone().next() {
                None if !describes_tag(node) => {
                    // The linter reports that the property is not described.
                    node.remove("discriminator");
                    return;
                }
                None => "without `oneOf` or `anyOf`",
                Some(_) if parts.all(is_named) => return,
                Some(_) => "if an alternative is not a component, because it would have no name",
            };
            self.remove_with_warning(node, "discriminator", place);
        }
    }

    /// Removes the values that an `enum` lists again.
    pub(super) fn remove_repeated_values(&mut self, node: &mut Node) {
        let Some(values) = node.get_mut("enum").and_then(Node::items_mut) else {
            return;
        };
        let mut seen = HashSet::new();
        values.retain(|value| {
            // Equal values have equal texts, except for `1` and `1.0`. The members of objects are sorted, or are in the order of
            // the text.
            let is_new = seen.insert(value.to_json().to_string());
            if !is_new {
                let message = format!("`enum` lists {} twice", value.summary());
                let problem = rules::DUPLICATE_ENUM_VALUE.violation(&value.at, message);
                self.warnings.push(problem);
            }
            is_new
        });
    }

    fn remove_with_warning(&mut self, node: &mut Node, keyword: &str, place: &str) {
        if let Some(value) = node.remove(keyword) {
            let keyword = value.at.keyword(keyword);
            let message = format!("`{keyword}` has no effect {place}");
            let problem = rules::IDLE_KEYWORD.problem(&value.at, message, "remove it");
            self.warnings.push(problem);
        }
    }

    /// Declares the members that are required but not described: they may have any value.
    pub(super) fn describe_required(&mut self, node: &mut Node) {
        if kind_of(self.before, node) != Some(ValueKind::Object) {
            return;
        }
        let mut required = Vec::new();
        required_of(node, &mut required);
        if required.is_empty() {
            return;
        }
        let known = definitions_of(self.before, node);
        required.retain(|(name, _)| !known.contains_key(name.as_str()));
        if !required.is_empty()
            && let Some(properties) = node.get_or_add("properties")
        {
            for (name, at) in required {
                properties.set(&name, Node::object(&at));
            }
        }
    }
}

/// Returns whether a schema describes the property that its discriminator names.
fn describes_tag(node: &Node) -> bool {
    let discriminator = node.get("discriminator");
    let name = discriminator.and_then(|own| own.word("propertyName"));
    name.is_some_and(|name| node.entries("properties").any(|(own, _)| own == name))
}

/// Adds the names in `required` of a schema and of the parts of its `allOf`.
fn required_of(node: &Node, names: &mut Vec<(String, Location)>) {
    let texts = node.items("required").iter();
    names.extend(texts.filter_map(|name| Some((name.as_str()?.to_owned(), name.at.clone()))));
    for part in node.items("allOf") {
        required_of(part, names);
    }
}

/// Moves annotations to the schema itself from parts of `allOf` that have only annotations, or that refer to schemas with only
/// annotations. Existing annotations of the schema are kept.
pub(super) fn move_annotations_of_parts(root: &Node, node: &mut Node) {
    let is_free = |part: &Node| is_free(root.resolve(part));
    let parts = node.items("allOf");
    if !parts.iter().any(is_free) || parts.iter().all(is_free) {
        return;
    }
    let (free, others): (Vec<Node>, Vec<Node>) = parts.iter().cloned().partition(is_free);
    for part in free.iter().map(|part| root.resolve(part)) {
        for (name, member) in part.as_object().into_iter().flatten() {
            if node.get(name).is_none() {
                node.set(name, member.value.clone());
            }
        }
    }
    if let Some(parts) = node.get_mut("allOf") {
        parts.kind = NodeKind::Array(others);
    }
}

/// Removes `not: {}` where it only excludes an alternative, the elements of an empty array, or optional members without a declared
/// name.
pub(super) fn never(node: &mut Node) {
    let at = node.at.clone();
    if node.get("additionalProperties").is_some_and(is_never) {
        let closed = Node::new(&at, NodeKind::Bool(false));
        node.set("additionalProperties", closed);
    }
    let is_prefixed = node.get("prefixItems").is_some();
    let is_required = node.get("minItems").is_some();
    if node.get("items").is_some_and(is_never) && !is_prefixed && !is_required {
        node.set("items", Node::object(&at));
        node.set("maxItems", Node::new(&at, NodeKind::Number(0.into())));
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(parts) = node.get_mut(keyword).and_then(Node::items_mut)
            && !parts.iter().all(is_never)
        {
            parts.retain(|part| !is_never(part));
        }
    }
    let required: Vec<String> = node.words("required").map(str::to_owned).collect();
    let closed = node.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    let properties = node.get_mut("properties").and_then(Node::members_mut);
    if closed && let Some(properties) = properties {
        // A closed object already rejects members that it does not declare.
        properties.retain(|name, member| required.contains(name) || !is_never(&member.value));
    }
}

/// Bounds the number of elements if `items` allows no elements after those of `prefixItems`.
pub(super) fn elements(node: &mut Node) {
    let count = node.items("prefixItems").len();
    let Some(items) = node.get("items").filter(|items| is_never(items)) else {
        return;
    };
    let (count, at) = (u64::try_from(count).unwrap_or(u64::MAX), items.at.clone());
    if count == 0 {
        return;
    }
    node.set("items", Node::object(&at));
    let most = node.get("maxItems").and_then(Node::as_u64);
    if most.is_none_or(|most| most > count) {
        node.set("maxItems", Node::new(&at, NodeKind::Number(count.into())));
    }
}

/// Removes the restrictions of strings and numbers beside `enum`, and the format of strings. They are not needed, because the
/// linter rejects an enum value that violates them. The format of numbers is kept, because it chooses the Rust type.
pub(super) fn remove_keywords_beside_enum(node: &mut Node) {
    let values = node.get("enum").and_then(Node::as_array);
    let values = values.unwrap_or_default();
    let has_text = values.iter().any(|value| value.as_str().is_some());
    if has_text || values.iter().any(|value| value.as_number().is_some()) {
        let rules = keywords_of_types().filter(|(_, kind)| ["string", "number"].contains(kind));
        let format = has_text.then_some("format");
        for keyword in rules.map(|(keyword, _)| keyword).chain(format) {
            node.remove(keyword);
        }
    }
}

/// Splits an `enum` of strings and other values into alternatives. An enum of `true` and `false` becomes any boolean. If only the
/// `enum` says that `null` is allowed, sets the place for `null`. Returns whether `null` is the only value.
pub(super) fn enumeration(node: &mut Node, null: &mut Option<Location>) -> bool {
    let Some(values) = node.get("enum").and_then(Node::as_array) else {
        return false;
    };
    let values = values.to_vec();
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
        // Dropshot writes a type beside an enum whose only value is `null`.
        for keyword in ["type", "format"] {
            node.remove(keyword);
        }
        return true;
    }
    let at = node.at.clone();
    let has_null = values.iter().any(Node::is_null);
    let allowed = || has_null.then(|| at.clone());
    let kind = node.word("type");
    if kinds.len() == 1 && kinds.contains("boolean") && kind.is_none_or(|kind| kind == "boolean") {
        let has = |wanted: bool| values.iter().any(|value| value.as_bool() == Some(wanted));
        if has(true) && has(false) {
            node.remove("enum");
            node.set("type", Node::text(&at, "boolean"));
            *null = null.take().or_else(allowed);
        }
        return false;
    }
    let is_simple = kinds
        .iter()
        .all(|kind| ["string", "integer", "boolean"].contains(kind));
    if kind.is_some() || kinds.len() < 2 || !is_simple || has_alternatives(node) {
        return false;
    }
    let parts = kinds.iter().map(|kind| {
        let own = values.iter().filter(|value| group(value) == Some(kind));
        let own = Node::list(&at, own.cloned().collect());
        let part = Node::object(&at).with("type", Node::text(&at, *kind));
        let mut part = part.with("enum", own);
        enumeration(&mut part, &mut None);
        part
    });
    let parts = Node::list(&at, parts.collect());
    node.remove("enum");
    node.set("oneOf", parts);
    *null = null.take().or_else(allowed);
    false
}
