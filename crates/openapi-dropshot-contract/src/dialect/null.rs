//! Decides whether a schema of JSON Schema 2020-12 allows `null`, as it is written: all
//! keywords beside each other apply to `null`, too.

use crate::model::{Node, NodeKind};

/// How many schemas are looked at for one question.
const MOST_STEPS: usize = 2_000;

/// How deep schemas are followed into each other.
const DEEPEST: usize = 32;

/// What a schema says about `null`.
#[derive(Clone, Copy)]
pub(super) struct Null {
    /// Whether `null` is valid.
    pub(super) is_valid: bool,
    /// Whether several alternatives of `oneOf` allow `null`, so that none of them does.
    pub(super) is_repeated: bool,
}

impl Null {
    /// Reads what a schema of a document says about `null`.
    pub(super) fn of(root: &Node, node: &Node) -> Self {
        let mut judge = Judge {
            root,
            steps: MOST_STEPS,
        };
        Null {
            is_valid: judge.allows(node, DEEPEST),
            is_repeated: judge.count(node, "oneOf", DEEPEST) > 1,
        }
    }
}

struct Judge<'r> {
    root: &'r Node,
    steps: usize,
}

impl Judge<'_> {
    /// Returns whether `null` is valid. Beyond the bounds it counts as valid.
    fn allows(&mut self, node: &Node, left: usize) -> bool {
        let (Some(steps), Some(left)) = (self.steps.checked_sub(1), left.checked_sub(1)) else {
            return true;
        };
        self.steps = steps;
        if let NodeKind::Bool(allows) = node.kind {
            return allows;
        }
        let is_null = |kind: &Node| kind.as_str() == Some("null");
        let has_type = node.get("type").is_none_or(|kinds| match kinds.as_array() {
            Some(kinds) => kinds.iter().any(is_null),
            None => is_null(kinds),
        });
        let values = node.get("enum").and_then(Node::as_array);
        let has_value = values.is_none_or(|values| values.iter().any(Node::is_null))
            && node.get("const").is_none_or(Node::is_null);
        if !has_type || !has_value {
            return false;
        }
        let root = self.root;
        let reference = node.get("$ref").and_then(Node::as_str);
        let target = reference.and_then(|text| root.pointer(text.strip_prefix('#')?));
        if target.is_some_and(|target| !self.allows(target, left))
            || node.get("not").is_some_and(|not| self.allows(not, left))
        {
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
        let parts = node.get(keyword).and_then(Node::as_array);
        let parts = parts.into_iter().flatten();
        parts.filter(|part| self.allows(part, left)).count()
    }
}
