//! Decides whether a schema allows `null`: `nullable` allows it whatever else the schema says,
//! and otherwise all keywords that apply to `null` count.

use super::{Left, single::writes_type, steps, target};
use crate::model::Node;
use indexmap::IndexMap;

/// Returns whether a schema allows `null`. If neither it nor a part of it has a type, the type
/// is assumed, and excludes `null`.
pub(super) fn allows_null(components: &IndexMap<String, Node>, node: &Node) -> bool {
    let steps = steps();
    is_nullable(node)
        || (writes_type(components, node, Left::of(&steps))
            && allows_within(components, node, Left::of(&steps)))
}

/// Returns whether no keyword excludes `null`. Beyond the bounds one does.
fn allows_within(components: &IndexMap<String, Node>, node: &Node, left: Left<'_>) -> bool {
    let Some(left) = left.next() else {
        return false;
    };
    if let Some(reference) = node.get("$ref") {
        let target = target(components, reference);
        return target.is_some_and(|target| allows_within(components, target, left));
    }
    if is_nullable(node) {
        return true;
    }
    let values = node.get("enum").and_then(Node::as_array);
    let not = node.get("not");
    if node.get("type").is_some()
        || values.is_some_and(|values| !values.iter().any(Node::is_null))
        || not.is_some_and(|not| allows_within(components, not, left))
    {
        return false;
    }
    ["allOf", "anyOf", "oneOf"].iter().all(|keyword| {
        let parts = node.get(keyword).and_then(Node::as_array);
        parts.is_none_or(|parts| {
            let mut allowing = parts
                .iter()
                .filter(|part| allows_within(components, part, left));
            match *keyword {
                "allOf" => allowing.count() == parts.len(),
                "anyOf" => allowing.next().is_some(),
                _ => allowing.count() == 1,
            }
        })
    })
}

/// Returns whether a schema has `nullable: true`.
pub(super) fn is_nullable(node: &Node) -> bool {
    node.get("nullable").and_then(Node::as_bool) == Some(true)
}
