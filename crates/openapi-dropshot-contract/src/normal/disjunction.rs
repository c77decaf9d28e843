//! Rewrites what is beside `oneOf` or `anyOf` of objects as a part of each alternative.

use super::{
    Kind, LONGEST_CHAIN, Left, MOST_COPIED, Normalizer,
    conjunction::{finder, is_wider},
    kind_of,
    single::has_alternatives,
    steps, target,
};
use crate::dialect::{empty, insert, members, remove};
use crate::model::{Node, NodeKind};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The keywords of objects that can be beside alternatives.
const BESIDE: [&str; 6] = [
    "allOf",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

impl Normalizer {
    /// Moves what is beside alternatives into each of them.
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
        let kind = |part: &Node| kind_of(&self.components, part);
        if beside.is_empty() || !has_alternatives(node) {
            return;
        }
        if !parts.iter().all(|part| kind(part) == Some(Kind::Object)) {
            return;
        }
        if parts.iter().all(|part| self.implies(part, node, &beside)) {
            for name in beside {
                remove(node, name);
            }
            return;
        }
        let discriminator = node.get("discriminator").cloned();
        let tags = discriminator.as_ref().map(|own| {
            parts
                .iter()
                .map(|part| tag(own, part, &self.written))
                .collect::<Option<Vec<Node>>>()
        });
        let tags = match tags {
            Some(None) => return,
            Some(Some(tags)) => tags,
            None => Vec::new(),
        };
        let mut common = empty(&node.at);
        let at = node.at.clone();
        insert(
            &mut common,
            "type",
            Node::of(at.clone(), NodeKind::String("object".to_owned())),
        );
        for name in &beside {
            if let Some(value) = node.get(name).cloned() {
                insert(&mut common, name, value);
            }
        }
        self.copied += common.size() * parts.len();
        if self.copied > MOST_COPIED {
            return;
        }
        let mut parts: Vec<Node> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut both = vec![part.clone(), common.clone()];
                both.extend(tags.get(index).cloned());
                let mut joined = empty(&part.at);
                insert(
                    &mut joined,
                    "allOf",
                    Node::of(part.at.clone(), NodeKind::Array(both)),
                );
                joined
            })
            .collect();
        for part in &mut parts {
            self.conjunction(part);
            self.disjunction(part);
            self.describe_required(part);
        }
        remove(node, "discriminator");
        for name in beside {
            remove(node, name);
        }
        insert(node, keyword, Node::of(at, NodeKind::Array(parts)));
    }

    /// Puts the alternatives of the one part of `allOf` that has some into the schema itself.
    fn lift(&mut self, node: &mut Node, left: usize) {
        if has_alternatives(node) {
            return;
        }
        let Some(parts) = node.get("allOf").and_then(Node::as_array) else {
            return;
        };
        let has_own = BESIDE[1..].iter().any(|name| node.get(name).is_some());
        if parts.len() < 2 && !has_own {
            return;
        }
        let kinds: Vec<Option<Kind>> = parts
            .iter()
            .map(|part| kind_of(&self.components, part))
            .collect();
        let mut unions =
            (0..parts.len()).filter(|index| kinds.get(*index) == Some(&Some(Kind::Alternatives)));
        let (Some(union), None) = (unions.next(), unions.next()) else {
            return;
        };
        let is_object = |kind: &Option<Kind>| matches!(kind, Some(Kind::Object));
        let others = kinds
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != union);
        if !others.map(|(_, kind)| kind).all(is_object) {
            return;
        }
        let Some(found) = parts.get(union).and_then(|part| self.resolved(part)) else {
            return;
        };
        let keyword = match (found.get("oneOf"), found.get("anyOf")) {
            (Some(_), None) => "oneOf",
            (None, Some(_)) => "anyOf",
            (None, None) if left > 0 && found.get("allOf").is_some() => {
                let mut inner = found.clone();
                let all = remove(&mut inner, "allOf");
                for text in ["title", "description", "example", "default"] {
                    remove(&mut inner, text);
                }
                let mut flat = parts.to_vec();
                flat.remove(union);
                flat.extend(
                    inner
                        .as_object()
                        .is_some_and(|own| !own.is_empty())
                        .then_some(inner),
                );
                if let Some(NodeKind::Array(parts)) = all.map(|all| all.kind) {
                    flat.extend(parts);
                }
                let at = node.at.clone();
                insert(node, "allOf", Node::of(at, NodeKind::Array(flat)));
                return self.lift(node, left - 1);
            }
            _ => return,
        };
        // What else the part says would be lost.
        let says_more = found.get("discriminator").is_some() || found.get("not").is_some();
        let Some(alternatives) = found.get(keyword).cloned().filter(|_| !says_more) else {
            return;
        };
        let beside = BESIDE
            .iter()
            .filter_map(|name| Some((*name, found.get(name)?)));
        let mut common = empty(&found.at);
        for (name, value) in beside {
            insert(&mut common, name, value.clone());
        }
        let has_common = common.size() > 1;
        if has_common {
            let kind = NodeKind::String("object".to_owned());
            insert(&mut common, "type", Node::of(found.at.clone(), kind));
        }
        let all = members(node).and_then(|members| members.get_mut("allOf"));
        if let Some(all) = all
            && let NodeKind::Array(parts) = &mut all.value.kind
        {
            if has_common && let Some(part) = parts.get_mut(union) {
                *part = common;
            } else {
                parts.remove(union);
            }
            if parts.is_empty() {
                remove(node, "allOf");
            }
        }
        insert(node, keyword, alternatives);
    }

    fn resolved<'n>(&'n self, node: &'n Node) -> Option<&'n Node> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            match node.get("$ref") {
                Some(reference) => node = target(&self.components, reference)?,
                None => return Some(node),
            }
        }
        None
    }

    /// Returns whether an alternative says already what is beside the alternatives.
    fn implies(&self, part: &Node, node: &Node, beside: &[&str]) -> bool {
        let mut properties = IndexMap::new();
        let mut required = Vec::new();
        self.collect(part, &mut properties, &mut required, Left::of(&steps()));
        let find = finder(&self.components);
        beside.iter().all(|name| match *name {
            "properties" => {
                let own = node.get("properties").and_then(Node::as_object);
                own.into_iter().flatten().all(|(name, member)| {
                    let other = properties.get(name.as_str());
                    other.is_some_and(|other| is_wider(&find, &member.value, other))
                })
            }
            "required" => {
                let own = node.get("required").and_then(Node::as_array);
                let mut names = own.into_iter().flatten().filter_map(Node::as_str);
                names.all(|name| required.iter().any(|other| other == name))
            }
            _ => false,
        })
    }

    /// Collects the properties and the required names of an object and the parts of its `allOf`.
    fn collect<'n>(
        &'n self,
        node: &'n Node,
        properties: &mut IndexMap<&'n str, &'n Node>,
        required: &mut Vec<String>,
        left: Left<'_>,
    ) {
        let Some(left) = left.next() else {
            return;
        };
        if let Some(reference) = node.get("$ref") {
            if let Some(target) = target(&self.components, reference) {
                self.collect(target, properties, required, left);
            }
            return;
        }
        let own = node.get("properties").and_then(Node::as_object);
        for (name, member) in own.into_iter().flatten() {
            properties.entry(name).or_insert(&member.value);
        }
        let own = node.get("required").and_then(Node::as_array);
        let names = own.into_iter().flatten().filter_map(Node::as_str);
        required.extend(names.map(str::to_owned));
        let parts = node.get("allOf").and_then(Node::as_array);
        for part in parts.into_iter().flatten() {
            self.collect(part, properties, required, left);
        }
    }
}

/// Returns what a discriminator says of one alternative: its property has one of the names of
/// the alternative. `None` if the alternative has no name.
fn tag(discriminator: &Node, part: &Node, written: &BTreeSet<String>) -> Option<Node> {
    let property = discriminator.get("propertyName")?.as_str()?;
    let own = super::name_in(part.get("$ref")?)?;
    let mapping = discriminator.get("mapping").and_then(Node::as_object);
    let is_own = |target: &Node| {
        super::name_in(target).as_ref() == Some(&own) || target.as_str() == Some(own.as_str())
    };
    let mapped = mapping.into_iter().flatten();
    let mut names: Vec<String> = mapped
        .filter(|(_, member)| is_own(&member.value))
        .map(|(name, _)| name.clone())
        .collect();
    if !names.contains(&own) && written.contains(&own) {
        names.push(own);
    }
    if names.is_empty() {
        return None;
    }
    let at = &part.at;
    let text = |text: String| Node::of(at.clone(), NodeKind::String(text));
    let mut values = empty(at);
    insert(&mut values, "type", text("string".to_owned()));
    let names = names.into_iter().map(text).collect();
    insert(
        &mut values,
        "enum",
        Node::of(at.clone(), NodeKind::Array(names)),
    );
    let mut properties = empty(at);
    insert(&mut properties, property, values);
    let mut tag = empty(at);
    insert(&mut tag, "type", text("object".to_owned()));
    insert(&mut tag, "properties", properties);
    let required = vec![text(property.to_owned())];
    insert(
        &mut tag,
        "required",
        Node::of(at.clone(), NodeKind::Array(required)),
    );
    Some(tag)
}
