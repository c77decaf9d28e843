//! Converts schemas of OpenAPI 3.0 to JSON Schema 2020-12: `nullable`, and exclusive bounds that are written as flags.

use super::Rewriter;
use crate::grammar::{EXCLUSIVE_BOUNDS, ObjectKind, Since, visit};
use crate::model::{Node, NodeKind, Type, compare_numbers};
use crate::read::wrong_type;
use crate::rules::document as rules;

/// The help for a flag with a wrong value.
const FLAG: &str = "write `true` or `false`, without quotes";

/// Returns whether a document has schemas with keywords that need this conversion.
pub(super) fn has_older_keywords(root: &Node) -> bool {
    let mut found = false;
    visit(root, ObjectKind::Document, &mut |kind, node| {
        let has = |keyword: &str| node.get(keyword).is_some();
        let is_older = kind == ObjectKind::Schema
            && (has("nullable")
                || EXCLUSIVE_BOUNDS
                    .iter()
                    .any(|(exclusive, ..)| has(exclusive))
                || !node.items("type").is_empty());
        let has_siblings = node.as_object().is_some_and(|own| own.len() > 1);
        found |= is_older || (has("$ref") && has_siblings && kind != ObjectKind::PathItem);
        !found
    });
    found
}

impl Rewriter<'_> {
    /// Removes the members beside a `$ref`, with a warning. Tools ignore these members (OpenAPI 3.0.3, "Reference Object"),
    /// which authors do not expect.
    pub(super) fn siblings(&mut self, node: &mut Node) {
        if let Some(members) = node.members_mut() {
            members.retain(|name, member| {
                let message = format!("`{}` beside `$ref` is ignored", name.escape_debug());
                let problem = rules::REFERENCE_SIBLING.violation(&member.key_at, message);
                self.problems.extend((name != "$ref").then_some(problem));
                name == "$ref"
            });
        }
    }

    /// Converts a schema of OpenAPI 3.0.
    pub(super) fn raise(&mut self, node: &mut Node) {
        if node.get("$ref").is_some() {
            return self.siblings(node);
        }
        self.exclusive_bounds(node);
        if !node.items("type").is_empty()
            && let Some(types) = node.remove("type")
        {
            let help =
                "write one type; add `nullable: true` for null, use `oneOf` for several types";
            self.wrong_type(&types, "type", "a string", help);
        }
        let is_known = |own: &Node| own.as_str().and_then(Type::from_word).is_some();
        let has_type = node.get("type").is_none_or(is_known);
        if let Some(nullable) = node.remove("nullable") {
            match nullable.as_bool() {
                Some(true) if has_type => node.allow_null(&nullable.at),
                Some(_) => {}
                None => self.wrong_type(&nullable, "nullable", "`true` or `false`", FLAG),
            }
        }
    }

    fn wrong_type(&mut self, value: &Node, keyword: &str, expected: &str, help: &str) {
        let problem = wrong_type(value, keyword, expected, help);
        self.problems.push(problem);
    }

    /// Converts a bound with an exclusive flag to an exclusive bound with a number, and keeps the narrower one of two bounds.
    pub(super) fn exclusive_bounds(&mut self, node: &mut Node) {
        for (exclusive, inclusive, narrower) in EXCLUSIVE_BOUNDS {
            let Some(value) = node.get(exclusive).cloned() else {
                continue;
            };
            let other = node.get(inclusive);
            match &value.kind {
                NodeKind::Number(number) if self.version > Since::V30 => {
                    let other = other.and_then(Node::as_number);
                    let order = other.and_then(|other| compare_numbers(number, other));
                    let counts = order.is_none_or(|order| order.is_eq() || order == narrower);
                    node.remove(if counts { inclusive } else { exclusive });
                    continue;
                }
                NodeKind::Bool(true) if other.is_none() => {
                    let message = format!("`{exclusive}` has no effect without `{inclusive}`");
                    let problem = rules::IDLE_KEYWORD.problem(&value.at, message, "remove it");
                    self.problems.push(problem);
                }
                NodeKind::Bool(true) if other.is_some_and(|other| other.as_number().is_some()) => {
                    let bound = node.remove(inclusive);
                    if let Some((flag, bound)) = node.get_mut(exclusive).zip(bound) {
                        *flag = bound;
                    }
                    continue;
                }
                NodeKind::Bool(_) => {}
                _ if self.version > Since::V30 => continue,
                NodeKind::Number(number) => {
                    let help = format!("write `{inclusive}: {number}` and `{exclusive}: true`");
                    let expected = "`true` or `false` in OpenAPI 3.0";
                    self.wrong_type(&value, exclusive, expected, &help);
                }
                _ => self.wrong_type(&value, exclusive, "`true` or `false`", FLAG),
            }
            node.remove(exclusive);
        }
    }
}
