//! Access to the untyped tree: the kind and the parts of a [`Node`], and its value
//! as plain JSON. The tree is built in `syntax`.

use super::{Member, Node, NodeKind};
use indexmap::IndexMap;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// How many references are followed one after another. A longer chain is a cycle.
const MAX_HOPS: usize = 64;

/// Escapes one name for use in a JSON pointer (RFC 6901, section 3).
pub fn escape_pointer_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Undoes [`escape_pointer_token`].
pub fn unescape_pointer_token(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

impl Node {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            NodeKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, as written.
    pub fn as_number(&self) -> Option<&Number> {
        match &self.kind {
            NodeKind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The number, if it is an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The number, if it is a non-negative integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number, rounded to a double.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().and_then(Number::as_f64)
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&IndexMap<String, Member>> {
        match &self.kind {
            NodeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    /// The value of a member, if this is an object that has the member.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.as_object()?.get(name).map(|member| &member.value)
    }

    /// The part that a JSON pointer (RFC 6901) leads to.
    pub fn pointer(&self, pointer: &str) -> Option<&Node> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut node = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            node = match &node.kind {
                NodeKind::Array(items) => items.get(token.parse::<usize>().ok()?)?,
                _ if token.contains('~') => node.get(&unescape_pointer_token(token))?,
                _ => node.get(token)?,
            };
        }
        Some(node)
    }

    /// The part of this document to which a reference leads; `None` if the node is not a reference, or if it leads to
    /// another document.
    pub fn target(&self, node: &Node) -> Option<&Node> {
        self.pointer(node.word("$ref")?.strip_prefix('#')?)
    }

    /// The node itself or, if it is a reference, the part of this document at the end of the chain of references.
    pub fn resolve<'n>(&'n self, node: &'n Node) -> &'n Node {
        let chain = std::iter::successors(Some(node), |node| self.target(node));
        chain.take(MAX_HOPS + 1).last().unwrap_or(node)
    }

    /// The text of a member.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Whether a member is `true`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name).and_then(Node::as_bool) == Some(true)
    }

    /// The elements of a member that is a list; none if it is absent.
    pub(crate) fn items(&self, name: &str) -> &[Node] {
        let items = self.get(name).and_then(Node::as_array);
        items.unwrap_or_default()
    }

    /// The texts in a member that is a list.
    pub(crate) fn words(&self, name: &str) -> impl Iterator<Item = &str> + Clone {
        self.items(name).iter().filter_map(Node::as_str)
    }

    /// The members of an object with their names; none if this is not an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Node)> + Clone {
        let members = self.as_object().into_iter().flatten();
        members.map(|(name, member)| (name.as_str(), &member.value))
    }

    /// The members of a member that is an object.
    pub(crate) fn entries(&self, name: &str) -> impl Iterator<Item = (&str, &Node)> + Clone {
        self.get(name).into_iter().flat_map(Node::members)
    }

    /// The components of one section of a document.
    pub(crate) fn components(&self, section: &str) -> impl Iterator<Item = (&str, &Node)> + Clone {
        let components = self.get("components").into_iter();
        components.flat_map(move |components| components.entries(section))
    }

    /// The same value as plain JSON, without places. Members keep their order only if `serde_json` is built with
    /// `preserve_order`.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("the names of members are texts")
    }

    /// How many values this contains, including itself.
    pub fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// The elements of an array or the values of the members of an object; none if this is neither.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Node> {
        let items = self.as_array().unwrap_or_default().iter();
        items.chain(self.members().map(|(_, value)| value))
    }

    /// The kind of the value with an article, for messages: `a string`.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::String(_) => "a string",
            NodeKind::Array(_) => "an array",
            NodeKind::Object(_) => "an object",
        }
    }

    /// The value in one short line, for messages.
    pub fn summary(&self) -> String {
        match &self.kind {
            NodeKind::Array(_) | NodeKind::Object(_) => self.kind_name().to_owned(),
            NodeKind::String(text) if text.chars().count() > 60 => {
                let beginning: String = text.chars().take(60).collect();
                format!("`\"{}…\"`", beginning.escape_debug())
            }
            _ => format!("`{}`", self.to_json()),
        }
    }

    /// Whether two nodes contain the same JSON value, regardless of their places. Objects are compared without order,
    /// numbers by value (`1` equals `1.0`).
    pub fn same_value(&self, other: &Node) -> bool {
        match (&self.kind, &other.kind) {
            (NodeKind::Null, NodeKind::Null) => true,
            (NodeKind::Bool(a), NodeKind::Bool(b)) => a == b,
            (NodeKind::Number(a), NodeKind::Number(b)) => {
                compare_numbers(a, b) == Some(Ordering::Equal)
            }
            (NodeKind::String(a), NodeKind::String(b)) => a == b,
            (NodeKind::Array(a), NodeKind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b))
            }
            (NodeKind::Object(a), NodeKind::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(name, own)| {
                        let other = b.get(name);
                        other.is_some_and(|other| own.value.same_value(&other.value))
                    })
            }
            _ => false,
        }
    }
}

/// Serializes the value without places. Members keep their order.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.kind {
            NodeKind::Null => serializer.serialize_unit(),
            NodeKind::Bool(value) => serializer.serialize_bool(*value),
            NodeKind::Number(number) => number.serialize(serializer),
            NodeKind::String(text) => serializer.serialize_str(text),
            NodeKind::Array(items) => serializer.collect_seq(items),
            NodeKind::Object(_) => serializer.collect_map(self.members()),
        }
    }
}

/// Orders two numbers: integers exactly, everything else as doubles.
pub fn compare_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
