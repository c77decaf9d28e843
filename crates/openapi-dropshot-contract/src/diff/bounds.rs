//! Compares bounds of numbers, lengths and counts, `multipleOf` and
//! `uniqueItems`.

use super::schema::{Comparison, keyword_change};
use super::view::{View, differs, is_true};
use crate::model::{Node, compare_numbers};
use crate::rules::{Family, changes::*};
use std::cmp::Ordering;

/// The keywords for bounds, each with the rules for a bound that increased, that
/// decreased, that was set where it was absent, and that was removed. A length
/// always has the lower bound zero, so setting one increases it.
#[rustfmt::skip]
static BOUNDS: &[(&str, [&Family; 4])] = &[
    ("maximum", [&MAX_INCREASED, &MAX_DECREASED, &MAX_SET, &MAX_UNSET]),
    ("minimum", [&MIN_INCREASED, &MIN_DECREASED, &MIN_SET, &MIN_UNSET]),
    ("maxLength", [&MAX_LENGTH_INCREASED, &MAX_LENGTH_DECREASED, &MAX_LENGTH_SET, &MAX_LENGTH_UNSET]),
    ("minLength", [&MIN_LENGTH_INCREASED, &MIN_LENGTH_DECREASED, &MIN_LENGTH_INCREASED, &MIN_LENGTH_UNSET]),
    ("maxItems", [&MAX_ITEMS_INCREASED, &MAX_ITEMS_DECREASED, &MAX_ITEMS_SET, &MAX_ITEMS_UNSET]),
    ("minItems", [&MIN_ITEMS_INCREASED, &MIN_ITEMS_DECREASED, &MIN_ITEMS_SET, &MIN_ITEMS_UNSET]),
    ("maxProperties", [&MAX_PROPERTIES_INCREASED, &MAX_PROPERTIES_DECREASED, &MAX_PROPERTIES_SET, &MAX_PROPERTIES_UNSET]),
    ("minProperties", [&MIN_PROPERTIES_INCREASED, &MIN_PROPERTIES_DECREASED, &MIN_PROPERTIES_INCREASED, &MIN_PROPERTIES_UNSET]),
];

impl<'a> Comparison<'_, 'a> {
    pub(super) fn bounds(&mut self) {
        for (keyword, rules) in BOUNDS {
            self.bound(keyword, *rules);
        }
        self.multiple_of();
        match self.flags("uniqueItems") {
            (false, true) => self.report_meaning(&UNIQUE_ITEMS_ADDED, (None, None)),
            (true, false) => self.report_meaning(&UNIQUE_ITEMS_REMOVED, (None, None)),
            _ => {}
        }
    }

    fn bound(&mut self, keyword: &str, rules: [&'static Family; 4]) {
        let [increased, decreased, set, unset] = rules;
        let is_upper = keyword.starts_with("max");
        let strictest = match is_upper {
            true => Ordering::Less,
            false => Ordering::Greater,
        };
        // A minimal length or count of zero restricts nothing.
        let restricts = |node: &&Node| keyword == "minimum" || is_upper || node.as_u64() != Some(0);
        let from = self.old.number(keyword, strictest).filter(restricts);
        let to = self.new.number(keyword, strictest).filter(restricts);
        let unset = match keyword {
            "minLength" if !self.scope.is_request() => decreased,
            _ => unset,
        };
        let changed = match (from, to) {
            (Some(from), Some(to)) => match self.order(from, to, is_upper) {
                Some(Ordering::Less) => increased,
                Some(_) => decreased,
                None => return,
            },
            _ => decreased,
        };
        if let Some((rule, text)) = keyword_change(keyword, from, to, [set, unset, changed]) {
            self.report(rule, from, to, &text);
        }
    }

    /// Compares the old bound with the new one, with `exclusiveMinimum` or
    /// `exclusiveMaximum`; `None` if they are the same.
    fn order(&self, from: &'a Node, to: &'a Node, is_upper: bool) -> Option<Ordering> {
        let ordering = compare_numbers(from.as_number()?, to.as_number()?)?;
        if ordering != Ordering::Equal || !from.at.pointer.ends_with("imum") {
            return (ordering != Ordering::Equal).then_some(ordering);
        }
        let exclusive = match is_upper {
            true => "exclusiveMaximum",
            false => "exclusiveMinimum",
        };
        let excludes = |view: &View<'a>, bound: &Node| {
            let place = bound.at.pointer.rsplit_once('/').map(|(place, _)| place);
            (view.parts.iter())
                .any(|part| is_true(part, exclusive) && place == Some(part.at.pointer.as_str()))
        };
        // An upper bound that excludes itself is a smaller one.
        match (excludes(&self.old, from), excludes(&self.new, to)) {
            (was, is) if was == is => None,
            (_, is) if is == is_upper => Some(Ordering::Greater),
            _ => Some(Ordering::Less),
        }
    }

    fn multiple_of(&mut self) {
        let (from, to) = self.both("multipleOf");
        if !differs(from, to) {
            return;
        }
        let divides = match (from.and_then(Node::as_u64), to.and_then(Node::as_u64)) {
            (Some(from), Some(to)) => to != 0 && from % to == 0,
            _ => false,
        };
        let changed = match divides {
            true => &MULTIPLE_OF_GENERALIZED,
            false => &MULTIPLE_OF_CHANGED,
        };
        let rules = [&MULTIPLE_OF_ADDED, &MULTIPLE_OF_REMOVED, changed];
        if let Some((rule, text)) = keyword_change("multipleOf", from, to, rules) {
            self.report(rule, from, to, &text);
        }
    }
}
