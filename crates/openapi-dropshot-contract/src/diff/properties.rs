//! Compares the properties of objects: which exist, which are required, which are
//! sent in one direction only, and which other members are allowed.

use super::context::Context;
use super::lifecycle;
use super::schema;
use super::scope::Scope;
use super::view::View;
use crate::model::Node;
use crate::rules::{ChangeRule, changes as rules};

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

/// Whether a property is not sent in this direction.
fn is_hidden(scope: &Scope, property: &View<'_>) -> bool {
    property.flag(if scope.is_request() {
        "readOnly"
    } else {
        "writeOnly"
    })
}

fn changed<'a>(context: &mut Context<'a>, scope: &Scope, pair: &Pair<'_, 'a>, new: &View<'a>) {
    let inner = scope.at(pair.name);
    let (base, revision) = (pair.old.node(), pair.new.node());
    let was_hidden = scope.hidden || is_hidden(scope, pair.old);
    let is_hidden = scope.hidden || is_hidden(scope, pair.new);
    if !scope.hidden {
        access(context, &inner, pair);
    }
    // A property that was not sent before did not exist for this direction.
    let was_required = pair.was_required && !was_hidden;
    let has_default = pair.new.first("default").is_some();
    let (rule, text) = match (was_required, pair.is_required) {
        (false, true) if scope.is_request() && !is_hidden => {
            let rule = if has_default {
                &rules::REQUEST_PROPERTY_BECAME_REQUIRED_WITH_DEFAULT
            } else {
                &rules::REQUEST_PROPERTY_BECAME_REQUIRED
            };
            (rule, "became required")
        }
        (true, false) if scope.is_request() && !is_hidden => {
            (&rules::REQUEST_PROPERTY_BECAME_OPTIONAL, "became optional")
        }
        (false, true) if !scope.is_request() && !is_hidden && !was_hidden => {
            (&rules::RESPONSE_PROPERTY_BECAME_REQUIRED, "became required")
        }
        (true, _) if !scope.is_request() && is_hidden => (
            &rules::RESPONSE_REQUIRED_PROPERTY_REMOVED,
            "is not sent in responses any more",
        ),
        (true, false) if !scope.is_request() => {
            (&rules::RESPONSE_PROPERTY_BECAME_OPTIONAL, "became optional")
        }
        (false, _) if !scope.is_request() && is_hidden && was_hidden => {
            match (pair.was_required, pair.is_required) {
                (true, false) => (
                    &rules::RESPONSE_WRITE_ONLY_PROPERTY_BECAME_OPTIONAL,
                    "became optional",
                ),
                (false, true) => (
                    &rules::RESPONSE_WRITE_ONLY_PROPERTY_BECAME_REQUIRED,
                    "became required",
                ),
                _ => return,
            }
        }
        _ => return,
    };
    let place = new.first("required").filter(|_| pair.is_required);
    let text = format!("{}: {text}", inner.subject());
    context.report(rule, base, place.or(revision), text);
}

/// Compares `readOnly` and `writeOnly` as such.
fn access<'a>(context: &mut Context<'a>, inner: &Scope, pair: &Pair<'_, 'a>) {
    for keyword in ["readOnly", "writeOnly"] {
        let (was, is) = (pair.old.flag(keyword), pair.new.flag(keyword));
        if was != is {
            let rule = access_rule(inner.is_request(), pair.is_required, keyword, is);
            let verb = if is { "became" } else { "is no longer" };
            let text = format!("{}: {verb} `{keyword}`", inner.subject());
            context.report(rule, pair.old.node(), pair.new.node(), text);
        }
    }
}

#[rustfmt::skip]
fn access_rule(is_request: bool, is_required: bool, keyword: &str, is_set: bool) -> &'static ChangeRule {
    match (is_request, is_required, keyword, is_set) {
        (true, true, "readOnly", true) => &rules::REQUEST_REQUIRED_PROPERTY_BECAME_READ_ONLY,
        (true, true, "readOnly", false) => &rules::REQUEST_REQUIRED_PROPERTY_BECAME_NOT_READ_ONLY,
        (true, true, _, true) => &rules::REQUEST_REQUIRED_PROPERTY_BECAME_WRITE_ONLY,
        (true, true, _, false) => &rules::REQUEST_REQUIRED_PROPERTY_BECAME_NOT_WRITE_ONLY,
        (true, false, "readOnly", true) => &rules::REQUEST_OPTIONAL_PROPERTY_BECAME_READ_ONLY,
        (true, false, "readOnly", false) => &rules::REQUEST_OPTIONAL_PROPERTY_BECAME_NOT_READ_ONLY,
        (true, false, _, true) => &rules::REQUEST_OPTIONAL_PROPERTY_BECAME_WRITE_ONLY,
        (true, false, _, false) => &rules::REQUEST_OPTIONAL_PROPERTY_BECAME_NOT_WRITE_ONLY,
        (false, true, "readOnly", true) => &rules::RESPONSE_REQUIRED_PROPERTY_BECAME_READ_ONLY,
        (false, true, "readOnly", false) => &rules::RESPONSE_REQUIRED_PROPERTY_BECAME_NOT_READ_ONLY,
        (false, true, _, true) => &rules::RESPONSE_REQUIRED_PROPERTY_BECAME_WRITE_ONLY,
        (false, true, _, false) => &rules::RESPONSE_REQUIRED_PROPERTY_BECAME_NOT_WRITE_ONLY,
        (false, false, "readOnly", true) => &rules::RESPONSE_OPTIONAL_PROPERTY_BECAME_READ_ONLY,
        (false, false, "readOnly", false) => &rules::RESPONSE_OPTIONAL_PROPERTY_BECAME_NOT_READ_ONLY,
        (false, false, _, true) => &rules::RESPONSE_OPTIONAL_PROPERTY_BECAME_WRITE_ONLY,
        (false, false, _, false) => &rules::RESPONSE_OPTIONAL_PROPERTY_BECAME_NOT_WRITE_ONLY,
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
    let rule = match (scope.is_request(), hidden, old.requires(name)) {
        (true, true, _) => return,
        (true, false, _) if is_closed(new) => &rules::REQUEST_PROPERTY_REMOVED_AND_REFUSED,
        (true, false, _) => &rules::REQUEST_PROPERTY_REMOVED,
        (false, false, true) => &rules::RESPONSE_REQUIRED_PROPERTY_REMOVED,
        (false, false, false) => &rules::RESPONSE_OPTIONAL_PROPERTY_REMOVED,
        (false, true, true) => &rules::RESPONSE_REQUIRED_WRITE_ONLY_PROPERTY_REMOVED,
        (false, true, false) => &rules::RESPONSE_OPTIONAL_WRITE_ONLY_PROPERTY_REMOVED,
    };
    let text = format!("{}: was removed", scope.at(name).subject());
    context.report(rule, property.node(), new.node(), text.clone());
    if std::ptr::eq(rule, &rules::REQUEST_PROPERTY_REMOVED_AND_REFUSED) {
        let rule = &rules::REQUEST_PROPERTY_REMOVED;
        context.report(rule, property.node(), new.node(), text);
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
    let rule = match (scope.is_request(), hidden, new.requires(name)) {
        (true, true, _) => return,
        (true, false, true) if has_default => &rules::NEW_REQUIRED_REQUEST_PROPERTY_WITH_DEFAULT,
        (true, false, true) => &rules::NEW_REQUIRED_REQUEST_PROPERTY,
        (true, false, false) => &rules::NEW_OPTIONAL_REQUEST_PROPERTY,
        (false, false, true) => &rules::RESPONSE_REQUIRED_PROPERTY_ADDED,
        (false, false, false) => &rules::RESPONSE_OPTIONAL_PROPERTY_ADDED,
        (false, true, true) => &rules::RESPONSE_REQUIRED_WRITE_ONLY_PROPERTY_ADDED,
        (false, true, false) => &rules::RESPONSE_OPTIONAL_WRITE_ONLY_PROPERTY_ADDED,
    };
    let text = format!("{}: was added", scope.at(name).subject());
    context.report(rule, old.node(), property.node(), text);
}

/// Compares names that are required though no property describes them.
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
    let (needed, given, rule) = if scope.is_request() {
        (&after, &before, &rules::REQUEST_PROPERTY_BECAME_REQUIRED)
    } else {
        (&before, &after, &rules::RESPONSE_PROPERTY_BECAME_OPTIONAL)
    };
    let missing = needed
        .iter()
        .copied()
        .filter(|name| !given.contains(name) && !described(old, name) && !described(new, name));
    for name in missing {
        let text = format!("{}: required on one side only", scope.at(name).subject());
        let place = new.first("required").or(new.node());
        context.report(rule, old.node(), place, text);
    }
}

/// Whether members that no property describes are rejected.
fn is_closed(view: &View<'_>) -> bool {
    view.first("additionalProperties").and_then(Node::as_bool) == Some(false)
}

/// Compares which members are allowed beside the properties.
fn additional<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    const KEYWORD: &str = "additionalProperties";
    let is_schema = |view: &View<'a>| {
        (view.first(KEYWORD).and_then(Node::as_object)).is_some_and(|members| !members.is_empty())
    };
    let (rule, text) = match (is_closed(old), is_closed(new)) {
        (false, true) => (
            &rules::ADDITIONAL_PROPERTIES_CLOSED,
            "other members are not allowed any more",
        ),
        (true, false) => (
            &rules::ADDITIONAL_PROPERTIES_OPENED,
            "other members are allowed now",
        ),
        (false, false) if !is_schema(old) && is_schema(new) => (
            &rules::ADDITIONAL_PROPERTIES_RESTRICTED,
            "other members must match a schema now",
        ),
        _ => return,
    };
    let (base, revision) = (old.first(KEYWORD), new.first(KEYWORD));
    let (base, revision) = (base.or(old.node()), revision.or(new.node()));
    scope.report(context, rule, base, revision, text);
}
