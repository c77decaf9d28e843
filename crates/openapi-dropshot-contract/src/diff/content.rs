//! Request bodies, and the media types of bodies in both directions.

use super::context::Context;
use super::schema::{self, Direction, Role, Scope};
use super::view::{is_true, members};
use crate::model::Node;

/// The request body of an operation.
pub(super) fn compare_request<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let old = context.base.get(base, "requestBody");
    let new = context.revision.get(revision, "requestBody");
    match (old, new) {
        (None, None) => {}
        (None, Some(new)) => {
            let (id, word) = if is_true(new, "required") {
                ("request-body-added-required", "required")
            } else {
                ("request-body-added-optional", "optional")
            };
            let text = format!("a request body was added, which is {word}");
            context.report(id, Some(base), Some(new), text);
        }
        (Some(old), None) => {
            let text = "the request body was removed";
            context.report("request-body-removed", Some(old), Some(revision), text);
        }
        (Some(old), Some(new)) => {
            match (is_true(old, "required"), is_true(new, "required")) {
                (false, true) => {
                    let text = "the request body became required";
                    context.report("request-body-became-required", Some(old), Some(new), text);
                }
                (true, false) => {
                    let text = "the request body became optional";
                    context.report("request-body-became-optional", Some(old), Some(new), text);
                }
                _ => {}
            }
            compare(context, Direction::Request, "the request body", old, new);
        }
    }
}

/// The media types of a request body or a response.
pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    direction: Direction,
    what: &str,
    base: &'a Node,
    revision: &'a Node,
) {
    let is_request = direction == Direction::Request;
    let side = if is_request {
        "request-body"
    } else {
        "response"
    };
    let mut after = members(revision, "content");
    let mut lacking = Vec::new();
    for (name, old) in members(base, "content") {
        match after.iter().position(|(other, _)| is_same(name, other)) {
            Some(index) => {
                let (_, new) = after.remove(index);
                compare_schemas(context, direction, what, name, (old, new));
            }
            None => lacking.push((name, old)),
        }
    }
    for (name, old) in lacking {
        let related = after
            .iter()
            .position(|(other, _)| covers(other, name) || (!is_request && covers(name, other)));
        let Some(index) = related else {
            let id = format!("{side}-media-type-removed");
            let text = format!("{what}: the media type `{name}` was removed");
            context.report(&id, Some(old), Some(revision), text);
            continue;
        };
        let (other, new) = after.remove(index);
        if !is_request {
            let id = if covers(other, name) {
                "response-media-type-name-generalized"
            } else {
                "response-media-type-name-specialized"
            };
            let text = format!("{what}: the media type `{name}` became `{other}`");
            context.report(id, Some(old), Some(new), text);
        }
        compare_schemas(context, direction, what, other, (old, new));
    }
    for (name, new) in after {
        let id = format!("{side}-media-type-added");
        let text = format!("{what}: the media type `{name}` was added");
        context.report(&id, Some(base), Some(new), text);
    }
}

fn compare_schemas<'a>(
    context: &mut Context<'a>,
    direction: Direction,
    what: &str,
    media_type: &str,
    (base, revision): (&'a Node, &'a Node),
) {
    let prefix = match direction {
        Direction::Request => "request-body-media-type-schema",
        Direction::Response => "response-body-media-type-schema",
    };
    match (base.get("schema"), revision.get("schema")) {
        (Some(old), Some(new)) => {
            let is_json =
                essence(media_type) == "application/json" || essence(media_type).ends_with("+json");
            let what = format!("{what} (`{media_type}`)");
            let scope = Scope::new(direction, Role::Body, what, is_json);
            schema::start(context, &scope, old, new);
        }
        (None, Some(new)) => {
            let text = format!("{what}: a schema was added for `{media_type}`");
            context.report(&format!("{prefix}-added"), Some(base), Some(new), text);
        }
        (Some(old), None) => {
            let text = format!("{what}: the schema for `{media_type}` was removed");
            context.report(
                &format!("{prefix}-removed"),
                Some(old),
                Some(revision),
                text,
            );
        }
        (None, None) => {}
    }
}

/// The media type without parameters, in lower case (RFC 9110, section 8.3.1).
fn essence(name: &str) -> String {
    let end = name.find(';').unwrap_or(name.len());
    name[..end].trim().to_ascii_lowercase()
}

fn is_same(a: &str, b: &str) -> bool {
    let bare = |name: &str| name.replace(' ', "").to_ascii_lowercase();
    bare(a) == bare(b)
}

/// Whether the first media type, or range of them, holds the second.
fn covers(wide: &str, narrow: &str) -> bool {
    let (wide_essence, narrow_essence) = (essence(wide), essence(narrow));
    if wide_essence == narrow_essence {
        return !wide.contains(';');
    }
    let Some((kind, subtype)) = narrow_essence.split_once('/') else {
        return false;
    };
    let suffix = subtype.rsplit_once('+').map(|(_, suffix)| suffix);
    wide_essence == "*/*"
        || wide_essence == format!("{kind}/*")
        || suffix.is_some_and(|suffix| wide_essence == format!("{kind}/{suffix}"))
}
