//! Properties of objects: which there are, which are required, which travel in
//! one direction only, and what is allowed beside them.

use super::context::Context;
use super::lifecycle;
use super::schema::{self, Scope};
use super::view::View;
use crate::model::Node;

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let (before, after) = (old.properties(), new.properties());
    for (name, base) in &before {
        let old_property = context.base.view(base);
        match after.get(name) {
            Some(revision) => {
                let new_property = context.revision.view(revision);
                let pair = Pair {
                    name,
                    old: &old_property,
                    new: &new_property,
                    was_required: old.requires(name),
                    is_required: new.requires(name),
                };
                changed(context, scope, &pair, new);
                let mut inner = scope.at(name);
                inner.hidden |= is_hidden(scope, &new_property);
                schema::compare(context, &inner, base, revision);
                if !inner.hidden {
                    lifecycle::property(context, &inner, &old_property, &new_property);
                }
            }
            None => removed(context, scope, name, &old_property, old, new),
        }
    }
    for (name, revision) in &after {
        if !before.contains_key(name) {
            let property = context.revision.view(revision);
            added(context, scope, name, &property, old, new);
        }
    }
    required_without_property(context, scope, old, new);
    additional(context, scope, old, new);
}

/// A property that both sides have.
struct Pair<'p, 'a> {
    name: &'p str,
    old: &'p View<'a>,
    new: &'p View<'a>,
    was_required: bool,
    is_required: bool,
}

/// Whether a property does not travel in this direction.
fn is_hidden(scope: &Scope, property: &View<'_>) -> bool {
    property.flag(if scope.is_request() {
        "readOnly"
    } else {
        "writeOnly"
    })
}

/// How the ids for properties of this scope begin: those of a body are not
/// the body's.
fn side(scope: &Scope) -> &'static str {
    if scope.is_request() {
        "request"
    } else {
        "response"
    }
}

fn changed<'a>(context: &mut Context<'a>, scope: &Scope, pair: &Pair<'_, 'a>, new: &View<'a>) {
    let inner = scope.at(pair.name);
    let (base, revision) = (pair.old.node(), pair.new.node());
    let was_hidden = scope.hidden || is_hidden(scope, pair.old);
    let is_hidden = scope.hidden || is_hidden(scope, pair.new);
    if !scope.hidden {
        access(context, &inner, pair);
    }
    // What did not travel before was not there for this direction.
    let was_required = pair.was_required && !was_hidden;
    let has_default = pair.new.first("default").is_some();
    let (id, text) = match (was_required, pair.is_required) {
        (false, true) if scope.is_request() && !is_hidden => {
            let id = if has_default {
                "request-property-became-required-with-default"
            } else {
                "request-property-became-required"
            };
            (id, "became required")
        }
        (true, false) if scope.is_request() && !is_hidden => {
            ("request-property-became-optional", "became optional")
        }
        (false, true) if !scope.is_request() && !is_hidden && !was_hidden => {
            ("response-property-became-required", "became required")
        }
        (true, _) if !scope.is_request() && is_hidden => (
            "response-required-property-removed",
            "is not sent in responses any more",
        ),
        (true, false) if !scope.is_request() => {
            ("response-property-became-optional", "became optional")
        }
        (false, _) if !scope.is_request() && is_hidden && was_hidden => {
            match (pair.was_required, pair.is_required) {
                (true, false) => (
                    "response-write-only-property-became-optional",
                    "became optional",
                ),
                (false, true) => (
                    "response-write-only-property-became-required",
                    "became required",
                ),
                _ => return,
            }
        }
        _ => return,
    };
    let place = new.first("required").filter(|_| pair.is_required);
    let text = format!("{}: {text}", inner.subject());
    context.report(id, base, place.or(revision), text);
}

/// `readOnly` and `writeOnly` as such.
fn access<'a>(context: &mut Context<'a>, inner: &Scope, pair: &Pair<'_, 'a>) {
    let necessity = if pair.is_required {
        "required"
    } else {
        "optional"
    };
    for (keyword, word) in [("readOnly", "read-only"), ("writeOnly", "write-only")] {
        let change = match (pair.old.flag(keyword), pair.new.flag(keyword)) {
            (false, true) => format!("became-{word}"),
            (true, false) => format!("became-not-{word}"),
            _ => continue,
        };
        let id = format!("{}-{necessity}-property-{change}", side(inner));
        let text = format!("{}: {}", inner.subject(), change.replace('-', " "));
        context.report(&id, pair.old.node(), pair.new.node(), text);
    }
}

fn removed<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    name: &str,
    property: &View<'a>,
    old: &View<'a>,
    new: &View<'a>,
) {
    let hidden = scope.hidden || is_hidden(scope, property);
    let id = match (scope.is_request(), hidden, old.requires(name)) {
        (true, true, _) => return,
        (true, false, _) if is_closed(new) => "request-property-removed-and-refused",
        (true, false, _) => "request-property-removed",
        (false, false, true) => "response-required-property-removed",
        (false, false, false) => "response-optional-property-removed",
        (false, true, true) => "response-required-write-only-property-removed",
        (false, true, false) => "response-optional-write-only-property-removed",
    };
    let text = format!("{}: was removed", scope.at(name).subject());
    context.report(id, property.node(), new.node(), text.clone());
    if id == "request-property-removed-and-refused" {
        context.report(
            "request-property-removed",
            property.node(),
            new.node(),
            text,
        );
    }
}

fn added<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    name: &str,
    property: &View<'a>,
    old: &View<'a>,
    new: &View<'a>,
) {
    let hidden = scope.hidden || is_hidden(scope, property);
    let has_default = property.first("default").is_some();
    let id = match (scope.is_request(), hidden, new.requires(name)) {
        (true, true, _) => return,
        (true, false, true) if has_default => "new-required-request-property-with-default",
        (true, false, true) => "new-required-request-property",
        (true, false, false) => "new-optional-request-property",
        (false, false, true) => "response-required-property-added",
        (false, false, false) => "response-optional-property-added",
        (false, true, true) => "response-required-write-only-property-added",
        (false, true, false) => "response-optional-write-only-property-added",
    };
    let text = format!("{}: was added", scope.at(name).subject());
    context.report(id, old.node(), property.node(), text);
}

/// Names that are required though no property describes them.
fn required_without_property<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    if scope.hidden {
        return;
    }
    let (before, after) = (old.required(), new.required());
    let described = |view: &View<'a>, name: &str| view.properties().contains_key(name);
    let (asked, given, ids) = if scope.is_request() {
        (&after, &before, "request-property-became-required")
    } else {
        (&before, &after, "response-property-became-optional")
    };
    let lacking: Vec<&str> = (asked.iter().copied())
        .filter(|name| !given.contains(name) && !described(old, name) && !described(new, name))
        .collect();
    for name in lacking {
        let text = format!("{}: required on one side only", scope.at(name).subject());
        context.report(ids, old.node(), new.first("required").or(new.node()), text);
    }
}

/// Whether members that no property describes are refused.
fn is_closed(view: &View<'_>) -> bool {
    view.first("additionalProperties").and_then(Node::as_bool) == Some(false)
}

/// What is allowed beside the properties.
fn additional<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    const KEYWORD: &str = "additionalProperties";
    let is_schema = |view: &View<'a>| {
        (view.first(KEYWORD).and_then(Node::as_object)).is_some_and(|members| !members.is_empty())
    };
    let (ending, text) = match (is_closed(old), is_closed(new)) {
        (false, true) => ("closed", "no other members are allowed any more"),
        (true, false) => ("opened", "other members are allowed now"),
        (false, false) if !is_schema(old) && is_schema(new) => {
            ("restricted", "other members must match a schema now")
        }
        _ => return,
    };
    let ending = format!("additional-properties-{ending}");
    let (base, revision) = (old.first(KEYWORD), new.first(KEYWORD));
    let (base, revision) = (base.or(old.node()), revision.or(new.node()));
    scope.report(context, &ending, base, revision, text);
}
