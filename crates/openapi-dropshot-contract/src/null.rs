//! Decides whether a schema allows `null`, by all its keywords and by what it refers to.

use crate::grammar::Since;
use crate::model::{Node, NodeKind};

/// How many schemas are looked at for one question.
const MOST_STEPS: usize = 2_000;

/// How deep schemas are followed into each other.
const DEEPEST: usize = 32;

/// Returns whether a schema of a document allows `null`. In OpenAPI 3.0, and in the form in which newer documents are rewritten,
/// `nullable` allows it whatever else the schema says, and what is beside `$ref` is ignored.
pub(crate) fn allows_null(root: &Node, version: Since, node: &Node) -> bool {
    Judge::new(root, version).allows(node, DEEPEST)
}

/// Returns whether several alternatives of `oneOf` allow `null`, so that none of them does.
pub(crate) fn repeats_null(root: &Node, version: Since, node: &Node) -> bool {
    Judge::new(root, version).count(node, "oneOf", DEEPEST) > 1
}

struct Judge<'r> {
    root: &'r Node,
    version: Since,
    steps: usize,
}

impl<'r> Judge<'r> {
    fn new(root: &'r Node, version: Since) -> Self {
        Judge {
            root,
            version,
            steps: MOST_STEPS,
        }
    }

    /// Returns whether `null` is valid. Beyond the bounds it counts as valid.
    fn allows(&mut self, node: &Node, left: usize) -> bool {
        let (Some(steps), Some(left)) = (self.steps.checked_sub(1), left.checked_sub(1)) else {
            return true;
        };
        self.steps = steps;
        if let NodeKind::Bool(allows) = node.kind {
            return allows;
        }
        let is_older = self.version == Since::V30;
        if let Some(target) = self.root.target(node) {
            let allows = self.allows(target, left);
            if is_older || !allows {
                return allows;
            }
        }
        if is_older && node.is_set("nullable") {
            return true;
        }
        let is_null = |kind: &Node| kind.as_str() == Some("null");
        let has_type = node.get("type").is_none_or(|kinds| match kinds.as_array() {
            Some(kinds) => kinds.iter().any(is_null),
            None => is_null(kinds),
        });
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
