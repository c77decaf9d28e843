//! Rewrites `allOf` of strings, numbers and arrays as one schema, and finds which of two schemas of
//! the same value is the narrower one.

use super::{
    Budget, LONGEST_CHAIN, MOST_COPIED, Normalizer, Position, ValueKind, conjuncts, kind_of,
};
use crate::grammar::{EXCLUSIVE_BOUNDS, is_annotation, is_closing, is_free};
use crate::model::{Document, Node, Schema, compare_numbers};
use indexmap::IndexMap;
use std::cell::Cell;
use std::cmp::Ordering;

/// Returns the keywords of a schema that restrict values, except `null`.
fn restrictions(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let members = node.without_null().members();
    members.filter(|(name, value)| {
        let is_off = value.as_bool() == Some(false) && !is_closing(name);
        !is_annotation(name) && !is_off
    })
}

/// Returns whether a schema has several parts of `allOf`, or one part and other restrictions beside
/// `allOf`.
pub(super) fn has_several(node: &Node) -> bool {
    let parts = node.items("allOf").len();
    parts > 1 || (parts == 1 && restrictions(node).any(|(name, _)| name != "allOf"))
}

impl Normalizer<'_> {
    /// Combines the parts of `allOf` if they are strings, numbers or arrays and more than one of
    /// them has restrictions.
    pub(super) fn conjunction(&mut self, node: &mut Node) {
        if !has_several(node) {
            return;
        }
        match kind_of(self.before, node) {
            Some(ValueKind::Object) => return self.join_members(node),
            Some(ValueKind::Scalar | ValueKind::Array) => {}
            Some(ValueKind::Alternatives) | None => return,
        }
        let mut joined = node.clone();
        joined.remove("allOf");
        let steps = Cell::default();
        let joined = node.items("allOf").iter().try_fold(joined, |joined, part| {
            self.joined(joined, part, Budget::new(&steps))
        });
        if let Some(mut joined) = joined {
            let first = joined.get_mut("prefixItems").and_then(Node::items_mut);
            for part in first.into_iter().flatten() {
                self.schema(part, Position::Part, false);
            }
            if let Some(items) = joined.get_mut("items") {
                self.schema(items, Position::Part, false);
            }
            *node = joined;
        }
    }

    /// Combines the definitions of members that several parts of `allOf` describe, if no part
    /// contains the whole definition.
    fn join_members(&mut self, node: &mut Node) {
        let joined = shared_members(self.before, node);
        if joined.is_empty() {
            return;
        }
        self.copied += joined.iter().map(|(_, whole)| whole.size()).sum::<usize>();
        if self.copied > MOST_COPIED {
            return;
        }
        for (name, mut whole) in joined {
            self.schema(&mut whole, Position::Member, false);
            // If the definitions contradict each other, the generator reports it.
            let is_left = whole.get("allOf").is_some();
            if is_left && kind_of(self.before, &whole) != Some(ValueKind::Object) {
                continue;
            }
            if let Some(properties) = node.get_or_add("properties") {
                properties.set(&name, whole);
            }
        }
    }

    /// Adds the keywords of a part. Returns `None` if a single schema cannot express both.
    fn joined(&self, mut joined: Node, part: &Node, left: Budget<'_>) -> Option<Node> {
        let left = left.next()?;
        if part.get("$ref").is_some() {
            return self.joined(joined, self.before.target(part)?, left);
        }
        // It was already decided whether all parts allow `null`.
        let mut part = part.clone();
        part.remove_null();
        // `items` and `unevaluatedItems` depend on the `prefixItems` beside them.
        let has_first = |node: &Node| node.get("prefixItems").is_some();
        if (has_first(&joined) && describes_elements(&part))
            || (has_first(&part) && describes_elements(&joined))
        {
            return None;
        }
        for bounds in EXCLUSIVE_BOUNDS {
            join_bound(&mut joined, &part, bounds)?;
        }
        for (name, member) in part.as_object()? {
            let value = &member.value;
            let is_bound = |(exclusive, inclusive, _): &(&str, &str, _)| {
                name == exclusive || name == inclusive
            };
            if EXCLUSIVE_BOUNDS.iter().any(is_bound) {
                continue;
            }
            if name == "allOf" {
                for inner in value.as_array()? {
                    joined = self.joined(joined, inner, left)?;
                }
                continue;
            }
            let Some(own) = joined.get(name) else {
                joined.set(name, value.clone());
                continue;
            };
            if let Some(value) = narrower(name, own, value)? {
                joined.set(name, value);
            }
        }
        Some(joined)
    }
}

/// Returns whether a schema restricts the elements of an array.
fn describes_elements(node: &Node) -> bool {
    ["prefixItems", "items", "unevaluatedItems"]
        .iter()
        .any(|keyword| node.get(keyword).is_some_and(|own| !is_free(own)))
}

/// Applies the bound of a part if it is narrower. Returns `None` if the two bounds cannot be
/// compared.
fn join_bound(
    joined: &mut Node,
    part: &Node,
    (exclusive, inclusive, narrower): (&str, &str, Ordering),
) -> Option<()> {
    let bound = |node: &Node| {
        let own = |keyword| node.get(keyword).cloned().map(|bound| (keyword, bound));
        own(exclusive).or_else(|| own(inclusive))
    };
    let Some((keyword, value)) = bound(part) else {
        return Some(());
    };
    let order = match bound(joined) {
        Some((_, own)) => compare_numbers(value.as_number()?, own.as_number()?)?,
        None => narrower,
    };
    if order == narrower || (order == Ordering::Equal && keyword == exclusive) {
        joined.remove(exclusive);
        joined.remove(inclusive);
        joined.set(keyword, value);
    }
    Some(())
}

/// Returns the members that several parts of `allOf` describe, if no part contains the whole
/// definition. Each member has a schema with the whole definition.
fn shared_members(root: &Node, node: &Node) -> Vec<(String, Node)> {
    let mut joined = Vec::new();
    for (name, parts) in definitions_of(root, node) {
        // A part without a type, such as one with only an `enum`, restricts the values of the type that another part has.
        let mut kinds = parts.iter().filter_map(|part| kind_of(root, part));
        let first = kinds.next();
        let are_alike = kinds.all(|kind| Some(kind) == first);
        let mut all = parts.iter();
        let says_all = all.any(|part| parts.iter().all(|other| is_wider(root, other, part)));
        if parts.len() < 2 || !are_alike || says_all {
            continue;
        }
        let parts = parts.into_iter().cloned().collect();
        let whole = Node::object(&node.at).with("allOf", Node::list(&node.at, parts));
        joined.push((name.to_owned(), whole));
    }
    joined
}

/// Returns the value of a keyword that has the effect of both values: `Some(None)` if that is the
/// existing value, `None` if no value has this effect.
fn narrower(name: &str, own: &Node, other: &Node) -> Option<Option<Node>> {
    let by_order = |wanted: Ordering| {
        let order = compare_numbers(own.as_number()?, other.as_number()?)?;
        Some((order == wanted).then(|| other.clone()))
    };
    match name {
        "readOnly" | "writeOnly" | "deprecated" | "uniqueItems" => {
            Some((own.as_bool() != Some(true)).then(|| other.clone()))
        }
        _ if is_annotation(name) => Some(None),
        _ if own.same_value(other) => Some(None),
        "type" => match (own.as_str()?, other.as_str()?) {
            ("integer", "number") => Some(None),
            ("number", "integer") => Some(Some(other.clone())),
            _ => None,
        },
        // Every array without `items` already got an `items` that allows everything.
        "items" if other.is_empty_container() => Some(None),
        "items" if own.is_empty_container() => Some(Some(other.clone())),
        "items" => {
            let parts = Node::list(&own.at, vec![own.clone(), other.clone()]);
            Some(Some(Node::object(&own.at).with("allOf", parts)))
        }
        "minLength" | "minItems" => by_order(Ordering::Less),
        "maxLength" | "maxItems" => by_order(Ordering::Greater),
        "enum" => {
            let others = other.as_array()?;
            let is_other = |value: &&Node| others.iter().any(|other| other.same_value(value));
            let both: Vec<Node> = own.as_array()?.iter().filter(is_other).cloned().collect();
            (!both.is_empty()).then(|| Some(Node::list(&own.at, both)))
        }
        _ => None,
    }
}

impl Document {
    /// Returns whether a schema allows everything that another schema allows, as far as their
    /// keywords show.
    pub fn is_wider(&self, wide: &Schema, narrow: &Schema) -> bool {
        let node = |schema: &Schema| self.root.pointer(&schema.at.pointer);
        let nodes = node(wide).zip(node(narrow));
        nodes.is_some_and(|(wide, narrow)| is_wider(&self.root, wide, narrow))
    }
}

/// Returns whether one schema allows everything that another schema allows, as far as their
/// keywords show.
pub(super) fn is_wider(root: &Node, wide: &Node, narrow: &Node) -> bool {
    is_wider_within(root, wide, narrow, Budget::new(&Cell::default()))
}

fn is_wider_within(root: &Node, wide: &Node, narrow: &Node, left: Budget<'_>) -> bool {
    let Some(left) = left.next() else {
        return false;
    };
    let wide = without_wrappers(root, wide);
    let narrow = without_wrappers(root, narrow);
    if wide.same_value(narrow) {
        return true;
    }
    let mut parts = narrow.items("allOf").iter();
    if parts.any(|part| is_wider_within(root, wide, part, left)) {
        return true;
    }
    let allows_more = narrow.null().is_some() && wide.null().is_none();
    if allows_more && restrictions(wide).next().is_some() {
        return false;
    }
    let narrow = narrow.without_null();
    restrictions(wide).all(|(name, value)| {
        let Some(other) = narrow.get(name) else {
            return false;
        };
        let is_part = |values: &[Node], others: &[Node]| {
            let has = |other: &Node| values.iter().any(|value| value.same_value(other));
            others.iter().all(has)
        };
        match name {
            // The keyword applies to the members without a declared property, so both schemas must
            // declare the same properties.
            "additionalProperties" => {
                let mut others = narrow.entries("properties");
                let own = wide.get("properties");
                value.same_value(other)
                    && others.all(|(name, _)| own.is_some_and(|own| own.get(name).is_some()))
            }
            "type" => {
                let (wide, narrow) = (wide.without_null().type_name(), narrow.type_name());
                wide == narrow || (wide, narrow) == (Some("number"), Some("integer"))
            }
            _ if value.same_value(other) => true,
            "minLength" | "maxLength" | "minItems" | "maxItems" => {
                matches!(narrower(name, other, value), Some(None))
            }
            "items" => is_wider_within(root, value, other, left),
            "properties" => value.members().all(|(name, own)| {
                let other = other.get(name);
                other.is_some_and(|other| is_wider_within(root, own, other, left))
            }),
            "required" | "enum" => match (value.as_array(), other.as_array()) {
                (Some(names), Some(others)) if name == "required" => is_part(others, names),
                (Some(values), Some(others)) => is_part(values, others),
                _ => false,
            },
            _ => false,
        }
    })
}

/// Follows references, and an `allOf` with one part and no other restrictions beside it.
fn without_wrappers<'n>(root: &'n Node, mut node: &'n Node) -> &'n Node {
    for _ in 0..LONGEST_CHAIN {
        node = match node.items("allOf") {
            [only] if restrictions(node).count() == 1 => only,
            _ => match root.target(node) {
                Some(target) => target,
                None => break,
            },
        };
    }
    node
}

/// Returns the definitions of each member in an object and in the parts of its `allOf`.
pub(super) fn definitions_of<'n>(
    root: &'n Node,
    node: &'n Node,
) -> IndexMap<&'n str, Vec<&'n Node>> {
    let mut definitions: IndexMap<&str, Vec<&Node>> = IndexMap::new();
    for part in conjuncts(root, node) {
        for (name, member) in part.entries("properties") {
            definitions.entry(name).or_default().push(member);
        }
    }
    definitions
}
