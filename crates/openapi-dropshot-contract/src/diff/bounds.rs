//! Bounds: of numbers, lengths, counts; `multipleOf` and `uniqueItems`.

use super::context::Context;
use super::schema::Scope;
use super::values::shown;
use super::view::{View, is_true};
use crate::model::{Node, compare_numbers};
use std::cmp::Ordering;

/// Keyword, its name in rule ids, and whether it bounds from above.
const BOUNDS: &[(&str, &str, bool)] = &[
    ("maximum", "max", true),
    ("minimum", "min", false),
    ("maxLength", "max-length", true),
    ("minLength", "min-length", false),
    ("maxItems", "max-items", true),
    ("minItems", "min-items", false),
    ("maxProperties", "max-properties", true),
    ("minProperties", "min-properties", false),
];

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let scope = &scope.of_bounds();
    for (keyword, name, is_upper) in BOUNDS {
        bound(context, scope, old, new, (keyword, name, *is_upper));
    }
    multiple_of(context, scope, old, new);
    let (ending, text) = match (old.flag("uniqueItems"), new.flag("uniqueItems")) {
        (false, true) => ("unique-items-added", "no item may come twice any more"),
        (true, false) => ("unique-items-removed", "an item may come twice now"),
        _ => return,
    };
    scope.report(context, ending, old.node(), new.node(), text);
}

fn bound<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    (keyword, name, is_upper): (&str, &str, bool),
) {
    let strictest = if is_upper {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    // A smallest length or count of zero says nothing.
    let is_said = |node: &&Node| keyword == "minimum" || is_upper || node.as_u64() != Some(0);
    let from = old.number(keyword, strictest).filter(is_said);
    let to = new.number(keyword, strictest).filter(is_said);
    let (ending, text) = match (from, to) {
        (None, Some(to)) => {
            // Lengths have a lower bound without being asked: zero.
            let ending = match name {
                "min-length" | "min-properties" => "increased",
                _ => "set",
            };
            (ending, format!("`{keyword}` was set to {}", shown(to)))
        }
        (Some(from), None) => {
            let text = format!("`{keyword}` {} was removed", shown(from));
            let is_decrease = name == "min-length" && !scope.is_request();
            (if is_decrease { "decreased" } else { "unset" }, text)
        }
        (Some(from), Some(to)) => {
            let exclusive = match keyword {
                "maximum" => "exclusiveMaximum",
                _ => "exclusiveMinimum",
            };
            let Some(ordering) = order(from, to, old, new, exclusive, is_upper) else {
                return;
            };
            let grows = ordering == Ordering::Less;
            let text = format!("`{keyword}` went from {} to {}", shown(from), shown(to));
            (if grows { "increased" } else { "decreased" }, text)
        }
        (None, None) => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, &format!("{name}-{ending}"), from, to, &text);
}

/// How the old bound compares to the new one, exclusiveness included; `None`
/// where they are the same.
fn order<'a>(
    from: &'a Node,
    to: &'a Node,
    old: &View<'a>,
    new: &View<'a>,
    exclusive: &str,
    is_upper: bool,
) -> Option<Ordering> {
    let ordering = compare_numbers(from.as_number()?, to.as_number()?)?;
    if ordering != Ordering::Equal || !from.at.pointer.ends_with("imum") {
        return (ordering != Ordering::Equal).then_some(ordering);
    }
    let excludes = |view: &View<'a>, bound: &Node| {
        (view.parts.iter()).any(|part| {
            is_true(part, exclusive)
                && bound.at.pointer.rsplit_once('/').map(|(place, _)| place)
                    == Some(part.at.pointer.as_str())
        })
    };
    match (excludes(old, from), excludes(new, to)) {
        // An upper bound that excludes itself is a smaller one.
        (false, true) if is_upper => Some(Ordering::Greater),
        (true, false) if is_upper => Some(Ordering::Less),
        (false, true) => Some(Ordering::Less),
        (true, false) => Some(Ordering::Greater),
        _ => None,
    }
}

fn multiple_of<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("multipleOf"), new.first("multipleOf"));
    let (ending, text) = match (from, to) {
        (None, Some(to)) => ("added", format!("`multipleOf` {} was added", shown(to))),
        (Some(from), None) => {
            let text = format!("`multipleOf` {} was removed", shown(from));
            ("removed", text)
        }
        (Some(from), Some(to)) if !from.same_value(to) => {
            let divides = match (from.as_u64(), to.as_u64()) {
                (Some(from), Some(to)) => to != 0 && from % to == 0,
                _ => false,
            };
            let text = format!("`multipleOf` went from {} to {}", shown(from), shown(to));
            (if divides { "generalized" } else { "changed" }, text)
        }
        _ => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, &format!("multiple-of-{ending}"), from, to, &text);
}
