//! Compares bounds of numbers, lengths and counts, `multipleOf` and
//! `uniqueItems`.

use super::schema::{Comparison, keyword_change, quoted};
use super::view::{View, missing};
use crate::grammar::EXCLUSIVE_BOUNDS;
use crate::model::{Node, compare_numbers};
use crate::rules::{Family, changes::*};
use std::cmp::Ordering;

impl<'a> Comparison<'_, 'a> {
    pub(super) fn bounds(&mut self) {
        const UNIQUE: &str = "uniqueItems";
        for (keyword, rules) in BOUNDS {
            // An exclusive bound is compared together with the inclusive bound of the same
            // direction.
            if !EXCLUSIVE_BOUNDS.iter().any(|(own, ..)| own == keyword) {
                self.bound(keyword, rules);
            }
        }
        self.multiple_of();
        match (self.old.flag(UNIQUE), self.new.flag(UNIQUE)) {
            (false, true) => self.report_meaning(&UNIQUE_ITEMS_SET, (None, None)),
            (true, false) => self.report_meaning(&UNIQUE_ITEMS_UNSET, (None, None)),
            _ => {}
        }
    }

    fn bound(&mut self, keyword: &'static str, rules: &'static [Family; 4]) {
        let is_upper = keyword.starts_with("max");
        let strictest = match is_upper {
            true => Ordering::Less,
            false => Ordering::Greater,
        };
        // A minimum length or count of zero restricts nothing. Without `minContains`, `contains`
        // requires at least one element anyway.
        let restricts = |node: &Node| match keyword {
            "minContains" => node.as_u64() != Some(1),
            _ => keyword == "minimum" || is_upper || node.as_u64() != Some(0),
        };
        let exclusive = (EXCLUSIVE_BOUNDS.iter()).find(|(_, own, _)| *own == keyword);
        let exclusive =
            exclusive.and_then(|(exclusive, ..)| BOUNDS.iter().find(|(own, _)| own == exclusive));
        let mut keywords = vec![(keyword, false)];
        keywords.extend(exclusive.map(|(exclusive, _)| (*exclusive, true)));
        let bound = |view: &View<'a>| {
            let bound = view.bound(&keywords, strictest);
            bound.filter(|(bound, _)| restricts(bound)).unzip()
        };
        let ((from, was), (to, is)) = (bound(&self.old), bound(&self.new));
        let (was, is) = (was == Some(true), is == Some(true));
        let zero = |node: Option<&Node>| node.and_then(Node::as_u64) == Some(0);
        let order = match (from, to) {
            (Some(from), Some(to)) => {
                let numbers = from.as_number().zip(to.as_number());
                numbers.and_then(|(from, to)| compare_numbers(from, to))
            }
            // Without `minContains`, its value is 1. `minContains: 0` is therefore a lower bound
            // than an absent one.
            (None, to) if zero(to) && keyword == "minContains" => Some(Ordering::Greater),
            (from, None) if zero(from) && keyword == "minContains" => Some(Ordering::Less),
            _ => None,
        };
        let is_exclusive = match (from, to) {
            (Some(_), Some(_)) if order == Some(Ordering::Equal) => was != is,
            (Some(_), Some(_)) => was && is,
            _ => was || is,
        };
        let (keyword, [increased, decreased, set, unset]) = match exclusive {
            Some((keyword, rules)) if is_exclusive => (*keyword, rules),
            _ => (keyword, rules),
        };
        let rule = match (from, to, order) {
            (None, None, _) => return,
            (.., Some(Ordering::Less)) => increased,
            (.., Some(Ordering::Greater)) => decreased,
            (.., Some(Ordering::Equal)) if was == is => return,
            (.., Some(Ordering::Equal)) if is => set,
            (.., Some(Ordering::Equal)) => unset,
            (Some(_), Some(_), None) => return,
            (None, Some(_), None) => set,
            (Some(_), None, None) => unset,
        };
        if order == Some(Ordering::Equal) {
            return self.report_meaning(rule, (from, to));
        }
        if let Some((rule, text)) = keyword_change(keyword, from, to, [rule; 3]) {
            self.report(rule, from, to, &text);
        }
    }

    fn multiple_of(&mut self) {
        let (before, after) = (self.old.all("multipleOf"), self.new.all("multipleOf"));
        let (all_before, all_after) = (common_multiple(&before), common_multiple(&after));
        let is_same = match (all_before, all_after) {
            (Some(from), Some(to)) => from == to,
            _ => missing(&before, &after).is_empty() && missing(&after, &before).is_empty(),
        };
        if is_same {
            return;
        }
        let divides = |divisor: Option<u64>, number: Option<u64>| {
            divisor
                .zip(number)
                .is_some_and(|(divisor, number)| divisor != 0 && number % divisor == 0)
        };
        let family = match (before.is_empty(), after.is_empty(), self.scope.is_request()) {
            (true, ..) => &MULTIPLE_OF_SET,
            (_, true, _) => &MULTIPLE_OF_UNSET,
            (.., true) if divides(all_after, all_before) => &MULTIPLE_OF_GENERALIZED,
            (.., false) if divides(all_before, all_after) => &MULTIPLE_OF_SPECIALIZED,
            _ => &MULTIPLE_OF_CHANGED,
        };
        let listed = |numbers: &[&Node]| {
            let numbers: Vec<String> = numbers.iter().map(|number| quoted(number)).collect();
            numbers.join(" and ")
        };
        let text = match (before.is_empty(), after.is_empty()) {
            (true, _) => format!("`multipleOf` {} was added", listed(&after)),
            (_, true) => format!("`multipleOf` {} was removed", listed(&before)),
            _ => {
                let (from, to) = (listed(&before), listed(&after));
                format!("`multipleOf` changed from {from} to {to}")
            }
        };
        let changed = |values: &[&'a Node], others: &[&'a Node]| {
            let new =
                (values.iter()).find(|value| !others.iter().any(|other| other.same_value(value)));
            new.or(values.first()).copied()
        };
        let (from, to) = (changed(&before, &after), changed(&after, &before));
        self.report(family, from, to, &text);
    }
}

/// Returns the smallest number that is a multiple of all these numbers: several `multipleOf` have
/// the same effect as one `multipleOf` with that number. Returns `None` if there are no numbers, if
/// one of them is not a positive integer, or if the result is too large.
fn common_multiple(numbers: &[&Node]) -> Option<u64> {
    fn common_divisor(a: u64, b: u64) -> u64 {
        match b {
            0 => a,
            _ => common_divisor(b, a % b),
        }
    }
    let mut numbers = numbers.iter().map(|number| number.as_u64());
    let first = numbers.next()??;
    numbers.try_fold(first, |common, number| {
        let number = number?;
        (common / common_divisor(common, number).max(1)).checked_mul(number)
    })
}
