//! Decides whether a schema allows `null`, considering all its keywords and the schemas to which it refers.
//!
//! In a tree that was read, a schema that allows `null` has one of two forms. Either `null` is in the list of its types, after
//! exactly one other type, as in `type: [string, 'null']`. Or `null` is an alternative to the schema without `null`, and only
//! annotations are beside it, as in `anyOf: [{allOf: [{$ref: '#/components/schemas/Book'}]}, {enum: [null]}]`.

use crate::grammar::is_annotation;
use crate::model::{Location, Node, NodeKind};

/// How many schemas are examined for one question.
const MOST_STEPS: usize = 2_000;

/// How many levels of nested schemas and references are followed.
const DEEPEST: usize = 32;

/// Returns whether a schema of a document allows `null`.
pub(crate) fn allows_null(root: &Node, node: &Node) -> bool {
    Judge::new(root).allows(node, DEEPEST)
}

/// Returns whether more than one alternative of `oneOf` allows `null`, so that `oneOf` rejects `null`.
pub(crate) fn repeats_null(root: &Node, node: &Node) -> bool {
    Judge::new(root).count(node, "oneOf", DEEPEST) > 1
}

struct Judge<'r> {
    root: &'r Node,
    steps: usize,
}

impl<'r> Judge<'r> {
    fn new(root: &'r Node) -> Self {
        Judge {
            root,
            steps: MOST_STEPS,
        }
    }

    /// Returns whether `null` is valid. If a bound is exceeded, `null` counts as valid.
    fn allows(&mut self, node: &Node, left: usize) -> bool {
        let (Some(steps), Some(left)) = (self.steps.checked_sub(1), left.checked_sub(1)) else {
            return true;
        };
        self.steps = steps;
        if let NodeKind::Bool(allows) = node.kind {
            return allows;
        }
        let target = self.root.target(node);
        if target.is_some_and(|target| !self.allows(target, left)) {
            return false;
        }
        let has_type = node.get("type").is_none() || lists_null(node);
        let values = node.get("enum").and_then(Node::as_array);
        let has_value = values.is_none_or(|values| values.iter().any(Node::is_null))
            && node.get("const").is_none_or(Node::is_null);
        if !has_type || !has_value || node.get("not").is_some_and(|not| self.allows(not, left)) {
            return false;
        }
        ["allOf", "anyOf", "oneOf"].iter().all(|keyword| {
            let parts = node.get(keyword).and_then(Node::as_array);
            let count = self.count(node, keyword, left);
            parts.is_none_or(|parts| match *keyword {
                "allOf" => count == parts.len(),
                "anyOf" => count > 0,
                _ => count == 1,
            })
        })
    }

    /// Returns how many of the schemas in a list allow `null`.
    fn count(&mut self, node: &Node, keyword: &str, left: usize) -> usize {
        let parts = node.items(keyword).iter();
        parts.filter(|part| self.allows(part, left)).count()
    }
}

/// Returns whether a schema has `null` among its types.
fn lists_null(node: &Node) -> bool {
    node.word("type") == Some("null") || node.words("type").any(|name| name == "null")
}

/// Returns whether a schema that was read allows `null` and nothing else.
pub(crate) fn is_null(part: &Node) -> bool {
    let values = part.items("enum");
    !values.is_empty() && values.iter().all(Node::is_null)
}

/// Returns the two alternatives: the schema without `null`, and the schema that allows only `null`.
fn alternative_to_null(node: &Node) -> Option<(&Node, &Node)> {
    let [schema, null] = node.items("anyOf") else {
        return None;
    };
    let mut names = node.as_object()?.keys();
    let is_plain = names.all(|name| name == "anyOf" || is_annotation(name));
    let is_nullable = is_plain && is_null(null) && !is_null(schema);
    (is_nullable && schema.get("$ref").is_none()).then_some((schema, null))
}

impl Node {
    /// Returns the type of a schema. If it has several types, returns the first one that is not `null`.
    pub(crate) fn type_name(&self) -> Option<&str> {
        self.word("type")
            .or_else(|| self.words("type").find(|name| *name != "null"))
    }

    /// Returns the part of a schema that allows `null`, in a tree that was read.
    pub(crate) fn null(&self) -> Option<&Node> {
        let mut types = self.items("type").iter();
        types
            .find(|name| name.as_str() == Some("null"))
            .or_else(|| alternative_to_null(self).map(|(_, null)| null))
    }

    /// Returns the schema without its alternative `null`, or the schema itself if it has no such alternative.
    pub fn without_null(&self) -> &Node {
        alternative_to_null(self).map_or(self, |(schema, _)| schema)
    }

    /// Makes a schema that does not allow `null` allow it, in the form that fits this schema.
    pub(crate) fn allow_null(&mut self, at: &Location) {
        self.remove_null();
        if is_null(self) {
            // Dropshot writes a type beside an enum whose only value is `null`.
            self.remove("type");
            return;
        }
        let mut others = ["not", "allOf", "oneOf", "anyOf"].iter();
        let values = self.get("enum").and_then(Node::as_array);
        let is_valid = values.is_none_or(|values| values.iter().any(Node::is_null))
            && others.all(|keyword| self.get(keyword).is_none());
        if let Some(own) = self.get_mut("type").filter(|_| is_valid) {
            let null = Node::text(at, "null");
            own.kind = NodeKind::Array(vec![own.clone(), null]);
            return;
        }
        let mut schema = Node::object(&self.at);
        if let NodeKind::Object(members) = std::mem::take(&mut self.kind) {
            let (outer, inner) = members.into_iter().partition(|own| is_annotation(&own.0));
            self.kind = NodeKind::Object(outer);
            schema.kind = NodeKind::Object(inner);
        }
        let nulls = Node::list(at, vec![Node::new(at, NodeKind::Null)]);
        let null = Node::object(at).with("enum", nulls);
        self.set("anyOf", Node::list(at, vec![schema, null]));
    }

    /// Removes `null` from a schema that was read, and returns the place where it was allowed. The annotations beside the
    /// alternatives take precedence over the annotations of the schema without `null`.
    pub(crate) fn remove_null(&mut self) -> Option<Location> {
        let at = self.null()?.at.clone();
        if let Some(kinds) = self.get_mut("type")
            && let NodeKind::Array(names) = &kinds.kind
            && let Some(name) = names.iter().find(|name| name.as_str() != Some("null"))
        {
            *kinds = name.clone();
            return Some(at);
        }
        let schema = self.without_null().clone();
        self.remove("anyOf");
        self.merge(schema);
        Some(at)
    }

    /// Adds the keywords of a schema to a schema that has only annotations. The existing annotations take precedence. A reference
    /// becomes a part of `allOf`.
    pub(crate) fn merge(&mut self, schema: Node) {
        match schema.kind {
            NodeKind::Object(others) if !others.contains_key("$ref") => {
                for (name, member) in others {
                    if let Some(members) = self.members_mut() {
                        members.entry(name).or_insert(member);
                    }
                }
            }
            _ => self.add_to_all_of(schema),
        }
    }
}
