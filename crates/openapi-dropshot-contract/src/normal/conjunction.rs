//! Rewrites `allOf` of texts, numbers and arrays as one schema, and finds which of two schemas
//! of the same value is the narrower one.

use super::{
    Kind, LONGEST_CHAIN, Left, MOST_COPIED, Normalizer, Place, kind_of, null::is_nullable, steps,
    target,
};
use crate::dialect::{empty, insert, members, remove};
use crate::model::{Node, NodeKind, compare_numbers};
use indexmap::IndexMap;
use std::cmp::Ordering;

/// The keywords that do not restrict values.
const TEXTS: [&str; 10] = [
    "title",
    "description",
    "default",
    "example",
    "deprecated",
    "externalDocs",
    "xml",
    "readOnly",
    "writeOnly",
    "nullable",
];

/// The keywords that restrict values most with the value `false`.
const CLOSING: [&str; 3] = [
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Returns the keywords of a schema that restrict values, except `null`.
fn restrictions(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let members = node.as_object().into_iter().flatten();
    let all = members.map(|(name, member)| (name.as_str(), &member.value));
    all.filter(|(name, value)| {
        let is_idle = value.as_bool() == Some(false) && !CLOSING.contains(name);
        !TEXTS.contains(name) && !name.starts_with("x-") && !is_idle
    })
}

/// Returns whether a schema has several parts of `allOf`, or one with rules beside it.
pub(super) fn has_several(node: &Node) -> bool {
    let parts = node.get("allOf").and_then(Node::as_array);
    parts
        .is_some_and(|parts| parts.len() > 1 || restrictions(node).any(|(name, _)| name != "allOf"))
}

impl Normalizer {
    /// Joins the parts of `allOf`, if they are texts, numbers or arrays and there are rules
    /// in more than one of them.
    pub(super) fn conjunction(&mut self, node: &mut Node) {
        let Some(parts) = node.get("allOf").and_then(Node::as_array) else {
            return;
        };
        if !has_several(node) {
            return;
        }
        let kind = kind_of(&self.components, node);
        if kind == Some(Kind::Object) {
            return self.join_members(node);
        }
        if !matches!(kind, Some(Kind::Scalar | Kind::Array)) {
            return;
        }
        let mut joined = node.clone();
        remove(&mut joined, "allOf");
        let joined = parts.iter().try_fold(joined, |joined, part| {
            self.joined(joined, part, Left::of(&steps()))
        });
        if let Some(mut joined) = joined {
            if let Some(items) = members(&mut joined).and_then(|members| members.get_mut("items")) {
                self.schema(&mut items.value, Place::Part, false);
            }
            *node = joined;
        }
    }

    /// Joins the definitions of members that several parts of `allOf` describe, where none of
    /// them says all.
    fn join_members(&mut self, node: &mut Node) {
        let joined = shared_members(&self.components, node);
        if joined.is_empty() {
            return;
        }
        self.copied += joined.iter().map(|(_, whole)| whole.size()).sum::<usize>();
        if self.copied > MOST_COPIED {
            return;
        }
        if node.get("properties").is_none() {
            let at = node.at.clone();
            insert(node, "properties", empty(&at));
        }
        for (name, mut whole) in joined {
            self.schema(&mut whole, Place::Member, false);
            // Where the definitions contradict each other, the generator says so.
            let is_left = whole.get("allOf").is_some();
            if is_left && kind_of(&self.components, &whole) != Some(Kind::Object) {
                continue;
            }
            let properties = members(node).and_then(|members| members.get_mut("properties"));
            if let Some(properties) = properties {
                insert(&mut properties.value, &name, whole);
            }
        }
    }

    /// Adds the keywords of a part; `None` if no schema says both.
    fn joined(&self, mut joined: Node, part: &Node, left: Left<'_>) -> Option<Node> {
        let left = left.next()?;
        if let Some(reference) = part.get("$ref") {
            return self.joined(joined, target(&self.components, reference)?, left);
        }
        for (bound, flag, narrower) in BOUNDS {
            join_bound(&mut joined, part, bound, flag, narrower)?;
        }
        for (name, member) in part.as_object()? {
            let value = &member.value;
            // Whether all parts allow `null` was decided before.
            let is_bound = |(bound, flag, _): &(&str, &str, _)| name == bound || name == flag;
            if name == "nullable" || BOUNDS.iter().any(is_bound) {
                continue;
            }
            if name == "allOf" {
                let inner = value.as_array()?.iter();
                joined = inner
                    .into_iter()
                    .try_fold(joined, |joined, inner| self.joined(joined, inner, left))?;
                continue;
            }
            let Some(own) = joined.get(name) else {
                insert(&mut joined, name, value.clone());
                continue;
            };
            if let Some(value) = narrower(name, own, value)? {
                insert(&mut joined, name, value);
            }
        }
        Some(joined)
    }
}

/// The bounds of numbers, the flags that exclude them, and how a narrower bound compares.
const BOUNDS: [(&str, &str, Ordering); 2] = [
    ("minimum", "exclusiveMinimum", Ordering::Greater),
    ("maximum", "exclusiveMaximum", Ordering::Less),
];

/// Adds the bound of a part, with its flag, if it is the narrower one; `None` if the two cannot
/// be compared. A flag without a bound has no effect.
fn join_bound(
    joined: &mut Node,
    part: &Node,
    bound: &str,
    flag: &str,
    narrower: Ordering,
) -> Option<()> {
    let Some(value) = part.get(bound) else {
        return Some(());
    };
    let is_exclusive = |node: &Node| node.get(flag).and_then(Node::as_bool) == Some(true);
    let order = match joined.get(bound) {
        Some(own) => compare_numbers(value.as_number()?, own.as_number()?)?,
        None => narrower,
    };
    if order == narrower {
        insert(joined, bound, value.clone());
        remove(joined, flag);
    }
    let counts = order == narrower || order == Ordering::Equal;
    if let Some(value) = part.get(flag).filter(|_| counts && is_exclusive(part)) {
        insert(joined, flag, value.clone());
    }
    Some(())
}

/// Returns the members that several parts of `allOf` describe, where none of them says all,
/// each with a schema that says all.
fn shared_members(components: &IndexMap<String, Node>, node: &Node) -> Vec<(String, Node)> {
    let mut definitions = IndexMap::new();
    definitions_of(components, node, &mut definitions, Left::of(&steps()));
    let find = finder(components);
    let mut joined = Vec::new();
    for (name, parts) in definitions {
        let mut kinds = parts.iter().map(|part| kind_of(components, part));
        let first = kinds.next();
        let are_alike = kinds.all(|kind| Some(kind) == first);
        let mut all = parts.iter();
        let says_all = all.any(|part| parts.iter().all(|other| is_wider(&find, other, part)));
        if parts.len() < 2 || !are_alike || says_all {
            continue;
        }
        let at = node.at.clone();
        let parts: Vec<Node> = parts.into_iter().cloned().collect();
        let mut whole = empty(&at);
        insert(&mut whole, "allOf", Node::of(at, NodeKind::Array(parts)));
        joined.push((name.to_owned(), whole));
    }
    joined
}

/// Returns the value that a keyword needs to have to say what both say: `Some(None)` if the
/// own one says it already, `None` if no value does.
fn narrower(name: &str, own: &Node, other: &Node) -> Option<Option<Node>> {
    let by_order = |wanted: Ordering| {
        let order = compare_numbers(own.as_number()?, other.as_number()?)?;
        Some((order == wanted).then(|| other.clone()))
    };
    match name {
        "readOnly" | "writeOnly" | "deprecated" | "uniqueItems" => {
            Some((own.as_bool() != Some(true)).then(|| other.clone()))
        }
        _ if TEXTS.contains(&name) || name.starts_with("x-") => Some(None),
        _ if own.same_value(other) => Some(None),
        "type" => match (own.as_str()?, other.as_str()?) {
            ("integer", "number") => Some(None),
            ("number", "integer") => Some(Some(other.clone())),
            _ => None,
        },
        "items" => {
            let mut both = empty(&own.at);
            let parts = vec![own.clone(), other.clone()];
            insert(
                &mut both,
                "allOf",
                Node::of(own.at.clone(), NodeKind::Array(parts)),
            );
            Some(Some(both))
        }
        "minLength" | "minItems" => by_order(Ordering::Less),
        "maxLength" | "maxItems" => by_order(Ordering::Greater),
        "enum" => {
            let others = other.as_array()?;
            let is_other = |value: &&Node| others.iter().any(|other| other.same_value(value));
            let both: Vec<Node> = own.as_array()?.iter().filter(is_other).cloned().collect();
            (!both.is_empty()).then(|| Some(Node::of(own.at.clone(), NodeKind::Array(both))))
        }
        _ => None,
    }
}

/// Returns whether one schema allows everything that another one allows, as far as their
/// keywords show.
pub(crate) fn is_wider<'n>(
    target: &dyn Fn(&Node) -> Option<&'n Node>,
    wide: &'n Node,
    narrow: &'n Node,
) -> bool {
    is_wider_within(target, wide, narrow, Left::of(&steps()))
}

fn is_wider_within<'n>(
    target: &dyn Fn(&Node) -> Option<&'n Node>,
    wide: &'n Node,
    narrow: &'n Node,
    left: Left<'_>,
) -> bool {
    let Some(left) = left.next() else {
        return false;
    };
    let wide = resolved(target, wide);
    let narrow = resolved(target, narrow);
    if wide.same_value(narrow) {
        return true;
    }
    let parts = narrow.get("allOf").and_then(Node::as_array);
    let mut parts = parts.into_iter().flatten();
    if parts.any(|part| is_wider_within(target, wide, part, left)) {
        return true;
    }
    if is_nullable(narrow) && !is_nullable(wide) && restrictions(wide).next().is_some() {
        return false;
    }
    restrictions(wide).all(|(name, value)| {
        let Some(other) = narrow.get(name) else {
            return false;
        };
        let is_part = |values: &[Node], others: &[Node]| {
            let has = |other: &Node| values.iter().any(|value| value.same_value(other));
            others.iter().all(has)
        };
        match name {
            // It concerns the members that are not named: these need to be the same, too.
            "additionalProperties" => {
                let names = |node: &'n Node| node.get("properties").and_then(Node::as_object);
                let mut others = names(narrow).into_iter().flatten();
                let own = names(wide);
                value.same_value(other)
                    && others.all(|(name, _)| own.is_some_and(|own| own.contains_key(name)))
            }
            _ if value.same_value(other) => true,
            "type" => value.as_str() == Some("number") && other.as_str() == Some("integer"),
            "items" => is_wider_within(target, value, other, left),
            "properties" => {
                let mut properties = value.as_object().into_iter().flatten();
                properties.all(|(name, member)| {
                    let other = other.get(name);
                    other.is_some_and(|other| is_wider_within(target, &member.value, other, left))
                })
            }
            "required" => match (value.as_array(), other.as_array()) {
                (Some(names), Some(others)) => is_part(others, names),
                _ => false,
            },
            "enum" => match (value.as_array(), other.as_array()) {
                (Some(values), Some(others)) => is_part(values, others),
                _ => false,
            },
            _ => false,
        }
    })
}

/// Follows references, and `allOf` that has one part and nothing beside it.
fn resolved<'n>(target: &dyn Fn(&Node) -> Option<&'n Node>, node: &'n Node) -> &'n Node {
    let mut node = node;
    for _ in 0..LONGEST_CHAIN {
        let next = match (node.get("$ref"), node.get("allOf").and_then(Node::as_array)) {
            (Some(reference), _) => target(reference),
            (None, Some([only])) if restrictions(node).count() == 1 => Some(only),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// Collects the definitions of each member in an object and the parts of its `allOf`.
pub(super) fn definitions_of<'n>(
    components: &'n IndexMap<String, Node>,
    node: &'n Node,
    definitions: &mut IndexMap<&'n str, Vec<&'n Node>>,
    left: Left<'_>,
) {
    let Some(left) = left.next() else {
        return;
    };
    if let Some(reference) = node.get("$ref") {
        if let Some(target) = target(components, reference) {
            definitions_of(components, target, definitions, left);
        }
        return;
    }
    let properties = node.get("properties").and_then(Node::as_object);
    for (name, member) in properties.into_iter().flatten() {
        definitions.entry(name).or_default().push(&member.value);
    }
    let parts = node.get("allOf").and_then(Node::as_array);
    for part in parts.into_iter().flatten() {
        definitions_of(components, part, definitions, left);
    }
}

/// Finds the component to which a reference leads, in one of these.
pub(super) fn finder<'n>(
    components: &'n IndexMap<String, Node>,
) -> impl Fn(&Node) -> Option<&'n Node> {
    move |reference| target(components, reference)
}
