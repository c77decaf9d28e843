//! Compares bounds of numbers, lengths and counts, `multipleOf` and
//! `uniqueItems`.

use super::context::Context;
use super::scope::Scope;
use super::values::quoted;
use super::view::{View, is_true};
use crate::model::{Node, compare_numbers};
use crate::rules::{Family, changes as rules};
use std::cmp::Ordering;

/// A keyword that bounds, and the rules for its changes.
struct Bound {
    keyword: &'static str,
    is_upper: bool,
    increased: &'static Family,
    decreased: &'static Family,
    /// Where the keyword was absent. A length has a lower bound in any case,
    /// zero, so that setting one raises it.
    set: &'static Family,
    unset: &'static Family,
}

macro_rules! bound {
    ($keyword:literal, $is_upper:literal, $increased:ident, $decreased:ident, $set:ident, $unset:ident) => {
        Bound {
            keyword: $keyword,
            is_upper: $is_upper,
            increased: &rules::$increased,
            decreased: &rules::$decreased,
            set: &rules::$set,
            unset: &rules::$unset,
        }
    };
}

#[rustfmt::skip]
static BOUNDS: &[Bound] = &[
    bound!("maximum", true, MAX_INCREASED, MAX_DECREASED, MAX_SET, MAX_UNSET),
    bound!("minimum", false, MIN_INCREASED, MIN_DECREASED, MIN_SET, MIN_UNSET),
    bound!("maxLength", true, MAX_LENGTH_INCREASED, MAX_LENGTH_DECREASED, MAX_LENGTH_SET, MAX_LENGTH_UNSET),
    bound!("minLength", false, MIN_LENGTH_INCREASED, MIN_LENGTH_DECREASED, MIN_LENGTH_INCREASED, MIN_LENGTH_UNSET),
    bound!("maxItems", true, MAX_ITEMS_INCREASED, MAX_ITEMS_DECREASED, MAX_ITEMS_SET, MAX_ITEMS_UNSET),
    bound!("minItems", false, MIN_ITEMS_INCREASED, MIN_ITEMS_DECREASED, MIN_ITEMS_SET, MIN_ITEMS_UNSET),
    bound!("maxProperties", true, MAX_PROPERTIES_INCREASED, MAX_PROPERTIES_DECREASED, MAX_PROPERTIES_SET, MAX_PROPERTIES_UNSET),
    bound!("minProperties", false, MIN_PROPERTIES_INCREASED, MIN_PROPERTIES_DECREASED, MIN_PROPERTIES_INCREASED, MIN_PROPERTIES_UNSET),
];

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let scope = &scope.of_bounds();
    for bound in BOUNDS {
        compare_bound(context, scope, bound, old, new);
    }
    multiple_of(context, scope, old, new);
    let (rule, text) = match (old.flag("uniqueItems"), new.flag("uniqueItems")) {
        (false, true) => (&rules::UNIQUE_ITEMS_ADDED, "items must be unique now"),
        (true, false) => (&rules::UNIQUE_ITEMS_REMOVED, "items may be repeated now"),
        _ => return,
    };
    scope.report(context, rule, old.node(), new.node(), text);
}

fn compare_bound<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    bound: &Bound,
    old: &View<'a>,
    new: &View<'a>,
) {
    let keyword = bound.keyword;
    let strictest = match bound.is_upper {
        true => Ordering::Less,
        false => Ordering::Greater,
    };
    // A smallest length or count of zero restricts nothing.
    let restricts =
        |node: &&Node| keyword == "minimum" || bound.is_upper || node.as_u64() != Some(0);
    let from = old.number(keyword, strictest).filter(restricts);
    let to = new.number(keyword, strictest).filter(restricts);
    let (rule, text) = match (from, to) {
        (None, Some(to)) => (bound.set, format!("`{keyword}` was set to {}", quoted(to))),
        (Some(from), None) => {
            let text = format!("`{keyword}` {} was removed", quoted(from));
            if keyword == "minLength" && !scope.is_request() {
                (bound.decreased, text)
            } else {
                (bound.unset, text)
            }
        }
        (Some(from), Some(to)) => {
            let exclusive = match keyword {
                "maximum" => "exclusiveMaximum",
                _ => "exclusiveMinimum",
            };
            let Some(ordering) = order(from, to, old, new, exclusive, bound.is_upper) else {
                return;
            };
            let text = format!(
                "`{keyword}` changed from {} to {}",
                quoted(from),
                quoted(to)
            );
            match ordering {
                Ordering::Less => (bound.increased, text),
                _ => (bound.decreased, text),
            }
        }
        (None, None) => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, rule, from, to, &text);
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
    let (rule, text) = match (from, to) {
        (None, Some(to)) => {
            let text = format!("`multipleOf` {} was added", quoted(to));
            (&rules::MULTIPLE_OF_ADDED, text)
        }
        (Some(from), None) => {
            let text = format!("`multipleOf` {} was removed", quoted(from));
            (&rules::MULTIPLE_OF_REMOVED, text)
        }
        (Some(from), Some(to)) if !from.same_value(to) => {
            let divides = match (from.as_u64(), to.as_u64()) {
                (Some(from), Some(to)) => to != 0 && from % to == 0,
                _ => false,
            };
            let text = format!(
                "`multipleOf` changed from {} to {}",
                quoted(from),
                quoted(to)
            );
            match divides {
                true => (&rules::MULTIPLE_OF_GENERALIZED, text),
                false => (&rules::MULTIPLE_OF_CHANGED, text),
            }
        }
        _ => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, rule, from, to, &text);
}
