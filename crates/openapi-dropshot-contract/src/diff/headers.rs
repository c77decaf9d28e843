//! Headers of responses.

use super::context::Context;
use super::schema::{self, Direction, Role, Scope};
use super::view::{is_true, members};
use crate::model::Node;

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    what: &str,
    base: &'a Node,
    revision: &'a Node,
) {
    let (before, after) = (members(base, "headers"), members(revision, "headers"));
    for (name, old) in &before {
        let old = context.base.resolve(old);
        let found = (after.iter()).find(|(other, _)| other.eq_ignore_ascii_case(name));
        let subject = format!("the header `{name}` of {what}");
        let Some((_, new)) = found else {
            let id = if is_true(old, "required") {
                "required-response-header-removed"
            } else {
                "optional-response-header-removed"
            };
            context.report(
                id,
                Some(old),
                Some(revision),
                format!("{subject} was removed"),
            );
            continue;
        };
        let new = context.revision.resolve(new);
        if is_true(old, "required") && !is_true(new, "required") {
            let text = format!("{subject} became optional");
            context.report(
                "response-header-became-optional",
                Some(old),
                Some(new),
                text,
            );
        }
        if let (Some(old), Some(new)) = (old.get("schema"), new.get("schema")) {
            let scope = Scope::new(Direction::Response, Role::Header, subject, false);
            schema::start(context, &scope, old, new);
        }
    }
    for (name, new) in &after {
        if !before
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            let new = context.revision.resolve(new);
            let text = format!("the header `{name}` of {what} was added");
            context.report("response-header-added", Some(base), Some(new), text);
        }
    }
}
