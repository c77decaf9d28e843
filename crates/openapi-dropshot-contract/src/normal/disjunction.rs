//! Moves the keywords beside `oneOf` or `anyOf` of objects into each alternative.

use super::{
    LONGEST_CHAIN, MOST_COPIED, Normalizer, ValueKind, conjunction::is_wider, conjuncts, kind_of,
    single::has_alternatives,
};
use crate::grammar::is_annotation;
use crate::model::{Node, NodeKind};
use std::collections::BTreeSet;

/// The keywords of objects that can stand beside alternatives.
const BESIDE: [&str; 6] = [
    "allOf",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

impl Normalizer<'_> {
    /// Moves the keywords beside the alternatives into each of them.
    pub(super) fn disjunction(&mut self, node: &mut Node) {
        self.lift(node, LONGEST_CHAIN);
        let keyword = match (node.get("oneOf"), node.get("anyOf")) {
            (Some(_), None) => "oneOf",
            (None, Some(_)) => "anyOf",
            _ => return,
        };
        let Some(parts) = node.get(keyword).and_then(Node::as_array) else {
            return;
        };
        let has_effect = |name: &&str| {
            node.get(name)
                .is_some_and(|value| value.size() > 1 || value.as_bool().is_some())
        };
        let beside: Vec<&str> = BESIDE.iter().copied().filter(has_effect).collect();
        let is_object = |part: &Node| kind_of(self.before, part) == Some(ValueKind::Object);
        if beside.is_empty() || !has_alternatives(node) || !parts.iter().all(is_object) {
            return;
        }
        if parts.iter().all(|part| self.implies(part, node, &beside)) {
            for name in beside {
                node.remove(name);
            }
            return;
        }
        let at = node.at.clone();
        let mut common = Node::object(&at).with("type", Node::text(&at, "object"));
        for name in &beside {
            if let Some(value) = node.get(name).cloned() {
                common.set(name, value);
            }
        }
        self.copied += common.size() * parts.len();
        if self.copied > MOST_COPIED {
            return;
        }
        let mut joined = Vec::new();
        for part in parts {
            let mut both = vec![part.clone(), common.clone()];
            if let Some(discriminator) = node.get("discriminator") {
                match tag(discriminator, part, &self.written) {
                    Some(tag) => both.push(tag),
                    None => return,
                }
            }
            joined.push(Node::object(&part.at).with("allOf", Node::list(&part.at, both)));
        }
        for part in &mut joined {
            self.conjunction(part);
            self.disjunction(part);
            self.describe_required(part);
        }
        node.remove("discriminator");
        for name in beside {
            node.remove(name);
        }
        node.set(keyword, Node::list(&at, joined));
    }

    /// If one part of `allOf` has alternatives and the others are objects, moves the alternatives
    /// into the schema itself.
    fn lift(&mut self, node: &mut Node, left: usize) {
        if has_alternatives(node) {
            return;
        }
        let parts = node.items("allOf");
        let has_own = BESIDE[1..].iter().any(|name| node.get(name).is_some());
        if parts.is_empty() || (parts.len() < 2 && !has_own) {
            return;
        }
        let mut kinds = parts.iter().map(|part| kind_of(self.before, part));
        let Some(union) = kinds.position(|kind| kind == Some(ValueKind::Alternatives)) else {
            return;
        };
        let is_object = |part: &Node| kind_of(self.before, part) == Some(ValueKind::Object);
        let (first, last) = parts.split_at(union);
        let Some((part, last)) = last.split_first() else {
            return;
        };
        if !first.iter().chain(last).all(is_object) {
            return;
        }
        let found = self.before.resolve(part).without_null();
        let keyword = match (found.get("oneOf"), found.get("anyOf")) {
            (Some(_), None) => "oneOf",
            (None, Some(_)) => "anyOf",
            (None, None) if left > 0 && found.get("allOf").is_some() => {
                let mut inner = found.clone();
                let all = inner.remove("allOf");
                if let Some(members) = inner.members_mut() {
                    members.retain(|keyword, _| !is_annotation(keyword));
                }
                let mut flat = [first, last].concat();
                flat.extend((inner.size() > 1).then_some(inner));
                if let Some(NodeKind::Array(parts)) = all.map(|all| all.kind) {
                    flat.extend(parts);
                }
                node.set("allOf", Node::list(&node.at.clone(), flat));
                return self.lift(node, left - 1);
            }
            _ => return,
        };
        // The other keywords of the part would be lost.
        let says_more = found.get("discriminator").is_some() || found.get("not").is_some();
        let Some(alternatives) = found.get(keyword).cloned().filter(|_| !says_more) else {
            return;
        };
        let mut common = Node::object(&found.at);
        for name in BESIDE {
            if let Some(value) = found.get(name) {
                common.set(name, value.clone());
            }
        }
        let has_common = common.size() > 1;
        if has_common {
            common.set("type", Node::text(&found.at, "object"));
        }
        if let Some(parts) = node.get_mut("allOf").and_then(Node::items_mut) {
            if has_common && let Some(part) = parts.get_mut(union) {
                *part = common;
            } else {
                parts.remove(union);
            }
            if parts.is_empty() {
                node.remove("allOf");
            }
        }
        node.set(keyword, alternatives);
    }

    /// Returns whether an alternative already contains the keywords beside the alternatives.
    fn implies(&self, part: &Node, node: &Node, beside: &[&str]) -> bool {
        let all = conjuncts(self.before, part);
        let find = |name: &str| (all.iter()).find_map(|part| part.get("properties")?.get(name));
        let required = all.iter().flat_map(|part| part.words("required"));
        let requires = |name: &str| required.clone().any(|own| own == name);
        beside.iter().all(|name| match *name {
            "properties" => node.entries("properties").all(|(name, member)| {
                find(name).is_some_and(|other| is_wider(self.before, member, other))
            }),
            "required" => node.words("required").all(requires),
            _ => false,
        })
    }
}

/// Returns the restriction that a discriminator implies for one alternative: its property has one
/// of the names of the alternative. Returns `None` if the alternative has no name.
fn tag(discriminator: &Node, part: &Node, written: &BTreeSet<&str>) -> Option<Node> {
    let property = discriminator.word("propertyName")?;
    let own = super::name_in(part.get("$ref")?)?;
    let mapped = discriminator.entries("mapping");
    let mapped = mapped.filter(|(_, target)| super::name_in(target).as_ref() == Some(&own));
    let mut names: Vec<&str> = mapped.map(|(name, _)| name).collect();
    if !names.contains(&own.as_str()) && written.contains(own.as_str()) {
        names.push(&own);
    }
    if names.is_empty() {
        return None;
    }
    let at = &part.at;
    let names = names.into_iter().map(|name| Node::text(at, name)).collect();
    let values = Node::object(at)
        .with("type", Node::text(at, "string"))
        .with("enum", Node::list(at, names));
    let required = Node::list(at, vec![Node::text(at, property)]);
    let tag = Node::object(at).with("type", Node::text(at, "object"));
    let tag = tag.with("properties", Node::object(at).with(property, values));
    Some(tag.with("required", required))
}
