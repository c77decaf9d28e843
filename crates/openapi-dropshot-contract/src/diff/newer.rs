//! Compares the keywords that JSON Schema 2020-12 has and the schemas of OpenAPI 3.0 lack, and
//! schemas that allow no value. What has another spelling in the model is rewritten before (`crate::dialect`) and compared as that.

use super::schema::{self, Comparison};
use super::view::{View, members};
use crate::model::Node;
use crate::normal::is_free;
use crate::pairs::pairs;
use crate::rules::{Family, changes::*};

/// The keywords that hold one schema, with the rules for adding and removing them. A wider
/// schema allows more values, so that the schemas are compared like others.
#[rustfmt::skip]
static SCHEMAS: &[(&str, [&Family; 2])] = &[
    ("then", [&THEN_ADDED, &THEN_REMOVED]),
    ("else", [&ELSE_ADDED, &ELSE_REMOVED]),
    ("propertyNames", [&PROPERTY_NAMES_ADDED, &PROPERTY_NAMES_REMOVED]),
    ("unevaluatedItems", [&UNEVALUATED_ITEMS_ADDED, &UNEVALUATED_ITEMS_REMOVED]),
    ("unevaluatedProperties", [&UNEVALUATED_PROPERTIES_ADDED, &UNEVALUATED_PROPERTIES_REMOVED]),
];

/// The keywords that hold one schema, where a wider schema may allow fewer values.
static CONDITIONS: &[(&str, [&Family; 2])] = &[
    ("if", [&IF_ADDED, &IF_REMOVED]),
    ("contains", [&CONTAINS_ADDED, &CONTAINS_REMOVED]),
];

/// The keywords that hold schemas by name.
#[rustfmt::skip]
static MAPS: &[(&str, [&Family; 2])] = &[
    ("patternProperties", [&PATTERN_PROPERTY_ADDED, &PATTERN_PROPERTY_REMOVED]),
    ("dependentSchemas", [&DEPENDENT_SCHEMA_ADDED, &DEPENDENT_SCHEMA_REMOVED]),
];

impl<'a> Comparison<'_, 'a> {
    /// Reports that a schema began or ceased to allow no value at all. Returns whether one of
    /// both allows none, so that there is nothing else to compare.
    pub(super) fn nothing(&mut self) -> bool {
        let nodes = (self.old.first("not"), self.new.first("not"));
        match (allows_nothing(&self.old), allows_nothing(&self.new)) {
            (false, false) => return false,
            (true, true) => {}
            (false, true) => self.report_meaning(&SCHEMA_BECAME_FALSE, (None, nodes.1)),
            (true, false) => self.report_meaning(&SCHEMA_BECAME_NOT_FALSE, (nodes.0, None)),
        }
        true
    }

    pub(super) fn newer(&mut self) {
        for (keyword, rules) in SCHEMAS {
            if let Some((base, revision)) = self.existence(keyword, *rules) {
                let scope = self.scope.at(keyword);
                schema::compare(self.context, &scope, &[base], &[revision]);
            }
        }
        for (keyword, rules) in CONDITIONS {
            if let Some((base, revision)) = self.existence(keyword, *rules)
                && !self.context.equality.equivalent(base, revision)
            {
                let text = format!("the schema of `{keyword}` changed");
                self.report(&CONDITION_CHANGED, Some(base), Some(revision), &text);
            }
        }
        for (keyword, rules) in MAPS {
            self.map(keyword, *rules);
        }
        self.prefix_items();
        self.dependent_required();
    }

    /// Reports a keyword that was added or removed; returns both values if both sides have it.
    fn existence(
        &mut self,
        keyword: &str,
        [added, removed]: [&'static Family; 2],
    ) -> Option<(&'a Node, &'a Node)> {
        let restricts = |node: &&Node| node.as_bool() != Some(true) && !is_free(node);
        let (from, to) = self.both(keyword);
        match (from.filter(restricts), to.filter(restricts)) {
            (Some(from), Some(to)) => return Some((from, to)),
            (None, Some(_)) => self.report_meaning(added, (None, to)),
            (Some(_), None) => self.report_meaning(removed, (from, None)),
            (None, None) => {}
        }
        None
    }

    fn map(&mut self, keyword: &str, [added, removed]: [&'static Family; 2]) {
        let all = |view: &View<'a>| -> Vec<(&'a str, &'a Node)> {
            let parts = view.parts.iter();
            parts.flat_map(|part| members(part, keyword)).collect()
        };
        let (before, after) = (all(&self.old), all(&self.new));
        for pair in pairs(&before, &after, |(a, _), (b, _)| a == b) {
            match pair {
                (Some((name, base)), Some((_, revision))) => {
                    let scope = self.scope.at(&format!("{keyword}[{name}]"));
                    schema::compare(self.context, &scope, &[*base], &[*revision]);
                }
                (Some((name, base)), None) => {
                    let text = format!("`{name}` was removed from `{keyword}`");
                    self.report(removed, Some(base), None, &text);
                }
                (None, Some((name, revision))) => {
                    let text = format!("`{name}` was added to `{keyword}`");
                    self.report(added, None, Some(revision), &text);
                }
                (None, None) => {}
            }
        }
    }

    fn prefix_items(&mut self) {
        const KEYWORD: &str = "prefixItems";
        let (before, after) = (self.old.list(KEYWORD), self.new.list(KEYWORD));
        for index in 0..before.len().max(after.len()) {
            match (before.get(index), after.get(index)) {
                (Some(base), Some(revision)) => {
                    let scope = self.scope.at(&format!("{KEYWORD}[{index}]"));
                    schema::compare(self.context, &scope, &[*base], &[*revision]);
                }
                (Some(base), None) => {
                    let text = format!("the schema of element {index} was removed");
                    self.report(&PREFIX_ITEMS_REMOVED, Some(base), None, &text);
                }
                (None, Some(revision)) => {
                    let text = format!("a schema was added for element {index}");
                    self.report(&PREFIX_ITEMS_ADDED, None, Some(revision), &text);
                }
                (None, None) => {}
            }
        }
    }

    fn dependent_required(&mut self) {
        const KEYWORD: &str = "dependentRequired";
        let (from, to) = self.both(KEYWORD);
        let all = |node: Option<&'a Node>| -> Vec<(&'a str, Vec<&'a str>)> {
            let members = node.and_then(Node::as_object).into_iter().flatten();
            let lists = members.map(|(name, _)| {
                let names = node.map_or(&[][..], |node| node.items(name));
                let mut names: Vec<&str> = names.iter().filter_map(Node::as_str).collect();
                names.sort_unstable();
                (name.as_str(), names)
            });
            lists.filter(|(_, names)| !names.is_empty()).collect()
        };
        let (before, after) = (all(from), all(to));
        for (old, new) in pairs(&before, &after, |(a, _), (b, _)| a == b) {
            let name = old.or(new).map_or("", |(name, _)| *name);
            let (family, verb) = match (old, new) {
                (Some((_, old)), Some((_, new))) if old == new => continue,
                (Some(_), Some(_)) => (&DEPENDENT_REQUIRED_CHANGED, "changed"),
                (Some(_), None) => (&DEPENDENT_REQUIRED_REMOVED, "was removed"),
                (None, _) => (&DEPENDENT_REQUIRED_ADDED, "was added"),
            };
            let text = format!("what `{KEYWORD}` requires beside `{name}` {verb}");
            self.report(family, from, to, &text);
        }
    }
}

/// Returns whether no value is valid: `false`, which is rewritten, or `not: {}`.
fn allows_nothing(view: &View<'_>) -> bool {
    let mut parts = view.parts.iter().filter_map(|part| part.get("not"));
    parts.any(|not| not.as_object().is_some() && is_free(not))
}
