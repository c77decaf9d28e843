//! Compares keywords that list values or describe texts: `enum`,
//! `x-extensible-enum`, `default`, `nullable` and `pattern`.

use super::context::Context;
use super::scope::{Role, Scope};
use super::view::View;
use crate::model::Node;
use crate::rules::changes as rules;

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    nullable(context, scope, old, new);
    enumeration(context, scope, old, new);
    extensible(context, scope, old, new);
    pattern(context, scope, old, new);
    if scope.role == Role::Body {
        default(context, scope, old.first("default"), new.first("default"));
    }
}

fn nullable<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let (rule, text) = match (old.flag("nullable"), new.flag("nullable")) {
        (false, true) => (&rules::BECAME_NULLABLE, "`null` is allowed now"),
        (true, false) => (
            &rules::BECAME_NOT_NULLABLE,
            "`null` is not allowed any more",
        ),
        _ => return,
    };
    let (base, revision) = (old.first("nullable"), new.first("nullable"));
    let (base, revision) = (base.or(old.node()), revision.or(new.node()));
    scope.report(context, rule, base, revision, text);
}

/// Compares the defaults of bodies and properties; those of parameters are
/// compared in `parameters`.
fn default(context: &mut Context<'_>, scope: &Scope, old: Option<&Node>, new: Option<&Node>) {
    match (old, new) {
        (None, Some(to)) => {
            let text = format!("the default {} was added", quoted(to));
            scope.report(context, &rules::DEFAULT_VALUE_ADDED, None, new, &text);
        }
        (Some(from), None) => {
            let text = format!("the default {} was removed", quoted(from));
            scope.report(context, &rules::DEFAULT_VALUE_REMOVED, old, None, &text);
        }
        (Some(from), Some(to)) if !from.same_value(to) => {
            let text = format!(
                "the default changed from {} to {}",
                quoted(from),
                quoted(to)
            );
            scope.report(context, &rules::DEFAULT_VALUE_CHANGED, old, new, &text);
        }
        _ => {}
    }
}

fn enumeration<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let text = match (old.first("enum"), new.first("enum")) {
        (None, None) => return,
        (None, Some(to)) => {
            let text = "only listed values are allowed now";
            scope.report(context, &rules::BECAME_ENUM, old.node(), Some(to), text);
            return;
        }
        (Some(from), None) => {
            let text = "values are not restricted to a list any more";
            scope.report(context, &rules::ENUM_LIFTED, Some(from), new.node(), text);
            return;
        }
        (Some(_), Some(_)) => "the value",
    };
    let (from, to) = (old.list("enum"), new.list("enum"));
    // For whole response bodies, oasdiff has an id of another form.
    let is_body = scope.prefix() == "response-body";
    for value in missing(&from, &to) {
        let text = format!("{text} {} was removed", quoted(value));
        if is_body {
            let rule = &rules::RESPONSE_MEDIATYPE_ENUM_VALUE_REMOVED;
            let text = format!("{}: {text}", scope.subject());
            context.report(rule, Some(value), new.first("enum"), text);
        } else {
            let place = new.first("enum");
            scope.report(
                context,
                &rules::ENUM_VALUE_REMOVED,
                Some(value),
                place,
                &text,
            );
        }
    }
    for value in missing(&to, &from) {
        let text = format!("{text} {} was added", quoted(value));
        let place = old.first("enum");
        scope.report(context, &rules::ENUM_VALUE_ADDED, place, Some(value), &text);
    }
}

/// The values of the first list that the second lacks.
fn missing<'a>(from: &[&'a Node], to: &[&'a Node]) -> Vec<&'a Node> {
    (from.iter().copied())
        .filter(|value| !to.iter().any(|other| other.same_value(value)))
        .collect()
}

fn extensible<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    const KEYWORD: &str = "x-extensible-enum";
    // Clients expect that values of responses are added and removed.
    if !scope.is_request() || new.first(KEYWORD).is_none() {
        return;
    }
    for value in missing(&old.list(KEYWORD), &new.list(KEYWORD)) {
        let text = format!("the value {} of `{KEYWORD}` was removed", quoted(value));
        let rule = &rules::X_EXTENSIBLE_ENUM_VALUE_REMOVED;
        scope.report(context, rule, Some(value), new.first(KEYWORD), &text);
    }
}

fn pattern<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let matches_all = |text: &str| matches!(text, ".*" | "^.*$");
    let (from, to) = (old.first("pattern"), new.first("pattern"));
    let written = |view: &View<'a>| view.text("pattern").filter(|text| !text.is_empty());
    let (a, b) = (written(old), written(new));
    let (rule, text) = match (a, b) {
        (None, Some(b)) if matches_all(b) => return,
        (None, Some(b)) => (
            &rules::PATTERN_ADDED,
            format!("the pattern `{b}` was added"),
        ),
        (Some(a), None) => (
            &rules::PATTERN_REMOVED,
            format!("the pattern `{a}` was removed"),
        ),
        (Some(a), Some(b)) if a != b => {
            let is_wider = scope.is_request() && matches_all(b);
            let rule = if is_wider {
                &rules::PATTERN_GENERALIZED
            } else {
                &rules::PATTERN_CHANGED
            };
            (rule, format!("the pattern changed from `{a}` to `{b}`"))
        }
        _ => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, rule, from, to, &text);
}

/// A value as messages show it.
pub(super) fn quoted(value: &Node) -> String {
    format!("`{}`", value.to_json())
}
