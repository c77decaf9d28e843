//! Keywords that name values: `enum`, `x-extensible-enum`, `default`,
//! `nullable`, and `pattern`.

use super::context::Context;
use super::schema::{Role, Scope};
use super::view::View;
use crate::model::Node;

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
    let (ending, text) = match (old.flag("nullable"), new.flag("nullable")) {
        (false, true) => ("became-nullable", "`null` is a value now"),
        (true, false) => ("became-not-nullable", "`null` is no value any more"),
        _ => return,
    };
    let (base, revision) = (old.first("nullable"), new.first("nullable"));
    let (base, revision) = (base.or(old.node()), revision.or(new.node()));
    scope.report(context, ending, base, revision, text);
}

/// A default as such: of bodies and properties. Of parameters see `parameters`.
pub(super) fn default(
    context: &mut Context<'_>,
    scope: &Scope,
    old: Option<&Node>,
    new: Option<&Node>,
) {
    match (old, new) {
        (None, Some(to)) => {
            let text = format!("the default {} was added", shown(to));
            scope.report(context, "default-value-added", None, new, &text);
        }
        (Some(from), None) => {
            let text = format!("the default {} was removed", shown(from));
            scope.report(context, "default-value-removed", old, None, &text);
        }
        (Some(from), Some(to)) if !from.same_value(to) => {
            let text = format!("the default changed from {} to {}", shown(from), shown(to));
            scope.report(context, "default-value-changed", old, new, &text);
        }
        _ => {}
    }
}

fn enumeration<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let text = match (old.first("enum"), new.first("enum")) {
        (None, None) => return,
        (None, Some(to)) => {
            let text = "only listed values are allowed now";
            scope.report(context, "became-enum", old.node(), Some(to), text);
            return;
        }
        (Some(from), None) => {
            let text = "values are not restricted to a list any more";
            scope.report(context, "enum-lifted", Some(from), new.node(), text);
            return;
        }
        (Some(_), Some(_)) => "the value",
    };
    let (from, to) = (old.list("enum"), new.list("enum"));
    // Of whole response bodies oasdiff speaks by another name.
    let is_body = scope.prefix() == "response-body";
    for value in missing(&from, &to) {
        let text = format!("{text} {} was removed", shown(value));
        if is_body {
            let id = "response-mediatype-enum-value-removed";
            let text = format!("{}: {text}", scope.subject());
            context.report(id, Some(value), new.first("enum"), text);
        } else {
            let place = new.first("enum");
            scope.report(context, "enum-value-removed", Some(value), place, &text);
        }
    }
    for value in missing(&to, &from) {
        let text = format!("{text} {} was added", shown(value));
        let place = old.first("enum");
        scope.report(context, "enum-value-added", place, Some(value), &text);
    }
}

/// What of the first list the second lacks.
fn missing<'a>(from: &[&'a Node], to: &[&'a Node]) -> Vec<&'a Node> {
    (from.iter().copied())
        .filter(|value| !to.iter().any(|other| other.same_value(value)))
        .collect()
}

fn extensible<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    const KEYWORD: &str = "x-extensible-enum";
    // A client knows that values of responses may come and go.
    if !scope.is_request() || new.first(KEYWORD).is_none() {
        return;
    }
    for value in missing(&old.list(KEYWORD), &new.list(KEYWORD)) {
        let text = format!("the value {} of `{KEYWORD}` was removed", shown(value));
        let ending = "x-extensible-enum-value-removed";
        scope.report(context, ending, Some(value), new.first(KEYWORD), &text);
    }
}

fn pattern<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let all = |text: &str| matches!(text, ".*" | "^.*$");
    let (from, to) = (old.first("pattern"), new.first("pattern"));
    let written = |view: &View<'a>| view.text("pattern").filter(|text| !text.is_empty());
    let (a, b) = (written(old), written(new));
    let (ending, text) = match (a, b) {
        (None, Some(b)) if all(b) => return,
        (None, Some(b)) => ("pattern-added", format!("the pattern `{b}` was added")),
        (Some(a), None) => ("pattern-removed", format!("the pattern `{a}` was removed")),
        (Some(a), Some(b)) if a != b => {
            let is_wider = scope.is_request() && all(b);
            let ending = if is_wider {
                "pattern-generalized"
            } else {
                "pattern-changed"
            };
            (ending, format!("the pattern changed from `{a}` to `{b}`"))
        }
        _ => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, ending, from, to, &text);
}

/// A value for a message.
pub(super) fn shown(value: &Node) -> String {
    format!("`{}`", value.to_json())
}
