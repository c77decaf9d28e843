//! Compares request bodies, and the media types of bodies in both directions.

use super::context::Context;
use super::schema;
use super::scope::{Role, Scope};
use crate::model::{Node, essence, is_json};
use crate::pairs::pairs;
use crate::rules::{ChangeRule, changes as rules};

/// The request body of an operation.
pub(super) fn compare_request<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let old = context.base.get(base, "requestBody");
    let new = context.revision.get(revision, "requestBody");
    match (old, new) {
        (None, None) => {}
        (None, Some(body)) => {
            let (rule, necessity) = match body.is_set("required") {
                true => (&rules::REQUEST_BODY_ADDED_REQUIRED, "a required"),
                false => (&rules::REQUEST_BODY_ADDED_OPTIONAL, "an optional"),
            };
            let text = format!("{necessity} request body was added");
            context.report(rule, Some(base), new, text);
        }
        (Some(_), None) => {
            let text = "the request body was removed";
            context.report(&rules::REQUEST_BODY_REMOVED, old, Some(revision), text);
        }
        (Some(from), Some(to)) => {
            let what = "the request body";
            let (was, is) = (from.is_set("required"), to.is_set("required"));
            context.report_necessity("request-body", what, (was, old), (is, new));
            compare(context, Role::RequestBody, what, from, to);
        }
    }
}

/// Compares the media types of a request body or a response.
pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    role: Role,
    what: &str,
    base: &'a Node,
    revision: &'a Node,
) {
    let is_request = role == Role::RequestBody;
    let places = match is_request {
        true => &["request-body"],
        false => &["response"],
    };
    let mut after: Vec<(&str, &Node)> = revision.entries("content").collect();
    let mut missing = Vec::new();
    for (name, old) in base.entries("content") {
        match after.iter().position(|(other, _)| is_same(name, other)) {
            Some(index) => {
                let (_, new) = after.remove(index);
                compare_schemas(context, role, what, name, (old, new));
            }
            None => missing.push((name, old)),
        }
    }
    for (name, old) in missing {
        let related = after.iter().position(|(other, _)| {
            includes(other, name)
                || (!is_request
                    && (covers(other, name)
                        || covers(name, other)
                        || essence(name) == essence(other)))
        });
        let Some(index) = related else {
            let text = format!("{what}: the media type `{name}` was removed");
            let family = &rules::MEDIA_TYPE_REMOVED;
            context.report_at(family, places, Some(old), Some(revision), text);
            continue;
        };
        let (other, new) = after.remove(index);
        if !is_request {
            let text = format!("{what}: the media type `{name}` became `{other}`");
            let is_other = !includes(name, other) && !includes(other, name);
            if is_other && essence(name) != essence(other) && covers(name, other) {
                let rule = &rules::RESPONSE_MEDIA_TYPE_REPLACED;
                context.report(rule, Some(old), Some(new), text.clone());
            }
            context.report(renaming(name, other), Some(old), Some(new), text);
        }
        compare_schemas(context, role, what, other, (old, new));
    }
    for (name, new) in after {
        let text = format!("{what}: the media type `{name}` was added");
        let (family, places) = match context.outgoing {
            // A client can say which media types it accepts. The receiver of a webhook cannot.
            Some(place) if !is_request => (&rules::OUTGOING_MEDIA_TYPE_ADDED, &[place]),
            _ => (&rules::MEDIA_TYPE_ADDED, places),
        };
        context.report_at(family, places, Some(base), Some(new), text);
    }
}

fn compare_schemas<'a>(
    context: &mut Context<'a>,
    role: Role,
    what: &str,
    media_type: &str,
    (base, revision): (&'a Node, &'a Node),
) {
    let places = match role {
        Role::RequestBody => &["request-body"],
        _ => &["response-body"],
    };
    compare_items(context, role, what, media_type, (base, revision));
    match (base.get("schema"), revision.get("schema")) {
        (Some(old), Some(new)) => {
            let what = format!("{what} (`{media_type}`)");
            let scope = Scope::new(role, what, is_json(media_type));
            schema::start(context, &scope, old, new);
        }
        (None, new @ Some(_)) => {
            let text = format!("{what}: a schema was added for `{media_type}`");
            let family = &rules::MEDIA_TYPE_SCHEMA_ADDED;
            context.report_at(family, places, Some(base), new, text);
        }
        (old @ Some(_), None) => {
            let text = format!("{what}: the schema for `{media_type}` was removed");
            let family = &rules::MEDIA_TYPE_SCHEMA_REMOVED;
            context.report_at(family, places, old, Some(revision), text);
        }
        (None, None) => {}
    }
}

/// Compares the schemas of the items of streams.
fn compare_items<'a>(
    context: &mut Context<'a>,
    role: Role,
    what: &str,
    media_type: &str,
    (base, revision): (&'a Node, &'a Node),
) {
    let items = |media: &'a Node| {
        media
            .get("itemSchema")
            .or_else(|| media.get("x-item-schema"))
    };
    match (items(base), items(revision)) {
        (Some(old), Some(new)) => {
            let scope = Scope::new(role, format!("an item of {what} (`{media_type}`)"), true);
            schema::start(context, &scope, old, new);
        }
        (None, new @ Some(_)) => {
            let text = format!("{what}: a schema of the items was added for `{media_type}`");
            let rule = match role {
                Role::RequestBody => &rules::REQUEST_ITEM_SCHEMA_ADDED,
                _ => &rules::RESPONSE_ITEM_SCHEMA_ADDED,
            };
            context.report(rule, Some(base), new, text);
        }
        (old @ Some(_), None) => {
            let text = format!("{what}: the schema of the items was removed for `{media_type}`");
            let rule = match (role, revision.get("schema")) {
                (Role::RequestBody, _) => &rules::REQUEST_ITEM_SCHEMA_REMOVED,
                (_, Some(_)) => &rules::RESPONSE_ITEM_SCHEMA_REMOVED,
                (_, None) => &rules::RESPONSE_ITEM_SCHEMA_REMOVED_UNTYPED,
            };
            context.report(rule, old, Some(revision), text);
        }
        (None, None) => {}
    }
}

/// Returns the parameters of a media type, sorted.
fn parameters(name: &str) -> Vec<(String, String)> {
    let parts = name.split(';').skip(1);
    let parts = parts.filter_map(|part| part.split_once('='));
    let mut parameters: Vec<(String, String)> = parts
        .map(|(name, value)| {
            let value = value.trim().trim_matches('"').to_ascii_lowercase();
            (name.trim().to_ascii_lowercase(), value)
        })
        .collect();
    parameters.sort();
    parameters
}

/// Returns the rule for a media type of a response that was replaced by another one.
fn renaming(from: &str, to: &str) -> &'static ChangeRule {
    let (before, after) = (parameters(from), parameters(to));
    let (mut added, mut removed, mut changed) = (false, false, false);
    for pair in pairs(&before, &after, |(a, _), (b, _)| a == b) {
        match pair {
            (Some(_), None) => removed = true,
            (None, Some(_)) => added = true,
            (Some((_, from)), Some((_, to))) => changed |= from != to,
            (None, None) => {}
        }
    }
    match (added, removed, changed) {
        (false, false, false) if covers(to, from) => &rules::RESPONSE_MEDIA_TYPE_NAME_GENERALIZED,
        (false, false, false) => &rules::RESPONSE_MEDIA_TYPE_NAME_SPECIALIZED,
        _ if essence(from) != essence(to) => &rules::RESPONSE_MEDIA_TYPE_NAME_CHANGED,
        (true, false, false) => &rules::RESPONSE_MEDIA_TYPE_PARAMETER_ADDED,
        (false, true, false) => &rules::RESPONSE_MEDIA_TYPE_PARAMETER_REMOVED,
        (false, false, true) => &rules::RESPONSE_MEDIA_TYPE_PARAMETER_CHANGED,
        _ => &rules::RESPONSE_MEDIA_TYPE_NAME_CHANGED,
    }
}

fn is_same(a: &str, b: &str) -> bool {
    let bare = |name: &str| name.replace(' ', "").to_ascii_lowercase();
    bare(a) == bare(b)
}

/// Returns whether the first media type or range of media types includes the second.
fn includes(wide: &str, narrow: &str) -> bool {
    let (wide_essence, narrow_essence) = (essence(wide), essence(narrow));
    if wide_essence == narrow_essence {
        return !wide.contains(';');
    }
    let kind = narrow_essence.split_once('/').map(|(kind, _)| kind);
    wide_essence == "*/*" || kind.is_some_and(|kind| wide_essence == format!("{kind}/*"))
}

/// Does the same as [`includes`], and also treats a structured suffix as a wider type:
/// `application/json` covers `application/problem+json`.
fn covers(wide: &str, narrow: &str) -> bool {
    let narrow_essence = essence(narrow);
    let suffix = narrow_essence.split_once('/').and_then(|(kind, subtype)| {
        let (_, suffix) = subtype.rsplit_once('+')?;
        Some(format!("{kind}/{suffix}"))
    });
    includes(wide, narrow) || suffix.is_some_and(|suffix| suffix == essence(wide))
}
