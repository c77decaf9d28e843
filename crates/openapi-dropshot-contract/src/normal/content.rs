//! Replaces `*/*` by `application/json` for bodies that can only be JSON: springdoc writes `*/*` for everything that is sent as
//! JSON.

use super::{ValueKind, conjuncts, kind_of, single};
use crate::grammar::{ObjectKind, visit_mut};
use crate::model::Node;

/// Rewrites the contents of all bodies. `before` is the same document; references are looked up in it.
pub(super) fn rewrite(root: &mut Node, before: &Node) {
    visit_mut(root, ObjectKind::Document, &mut |kind, node| {
        if matches!(kind, ObjectKind::Response | ObjectKind::RequestBody)
            && let Some(content) = node.get_mut("content").and_then(Node::members_mut)
            && !content.contains_key(JSON)
            && let Some(any) = content.get("*/*")
            && (any.value.get("schema")).is_some_and(|schema| is_json_only(before, schema))
        {
            let members = std::mem::take(content).into_iter();
            let renamed = members.map(|(name, member)| match name.as_str() {
                "*/*" => (JSON.to_owned(), member),
                _ => (name, member),
            });
            *content = renamed.collect();
        }
        kind != ObjectKind::Schema
    });
}

const JSON: &str = "application/json";

/// Returns whether the values of a schema are not strings. Strings and bytes could be sent without JSON.
fn is_json_only(root: &Node, schema: &Node) -> bool {
    match kind_of(root, schema) {
        Some(ValueKind::Scalar) => {
            let mut types = conjuncts(root, schema).into_iter();
            types.find_map(single::type_of) != Some("string")
        }
        kind => kind.is_some(),
    }
}
