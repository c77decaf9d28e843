//! `discriminator`: which property tells the members apart, and how.

use crate::diff::context::Context;
use crate::diff::schema::Scope;
use crate::diff::view::{View, members};
use crate::model::Node;

pub(in crate::diff) fn discriminator<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let (from, to) = match (old.first("discriminator"), new.first("discriminator")) {
        (None, Some(to)) => {
            let text = "a discriminator was added";
            return scope.report(context, "discriminator-added", old.node(), Some(to), text);
        }
        (Some(from), None) => {
            let text = "the discriminator was removed";
            return scope.report(
                context,
                "discriminator-removed",
                Some(from),
                new.node(),
                text,
            );
        }
        (Some(from), Some(to)) => (from, to),
        (None, None) => return,
    };
    let name = |node: &'a Node| node.get("propertyName").and_then(Node::as_str);
    if name(from) != name(to) {
        let text = format!(
            "the discriminator is `{}` now, it was `{}`",
            name(to).unwrap_or_default(),
            name(from).unwrap_or_default()
        );
        let ending = "discriminator-property-name-changed";
        scope.report(context, ending, Some(from), Some(to), &text);
    }
    let (before, after) = (members(from, "mapping"), members(to, "mapping"));
    for (value, target) in &before {
        match after.iter().find(|(name, _)| name == value) {
            None => {
                let text = format!("the discriminator maps `{value}` no more");
                let ending = "discriminator-mapping-deleted";
                scope.report(context, ending, Some(target), Some(to), &text);
            }
            Some((_, other)) if !target.same_value(other) => {
                let text = format!("the discriminator maps `{value}` to another schema");
                let ending = "discriminator-mapping-changed";
                scope.report(context, ending, Some(target), Some(other), &text);
            }
            Some(_) => {}
        }
    }
    for (value, target) in &after {
        if !before.iter().any(|(name, _)| name == value) {
            let text = format!("the discriminator maps `{value}` as well");
            let ending = "discriminator-mapping-added";
            scope.report(context, ending, Some(from), Some(target), &text);
        }
    }
}
