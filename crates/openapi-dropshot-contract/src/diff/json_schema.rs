//! Compares the keywords that JSON Schema 2020-12 has but schemas of OpenAPI 3.0 do not have, and schemas that allow no value.
//! Keywords with another spelling in the model were rewritten before (`crate::dialect`) and are compared in the rewritten form.

use super::schema::{self, Comparison};
use super::view::{View, missing, pairs_by_name};
use crate::grammar::{holds_schemas_by_name, is_free};
use crate::model::Node;
use crate::rules::{Family, changes::*};

/// Keywords with the opposite effect: if the schema in such a keyword becomes wider, the whole schema may allow fewer values.
/// Schemas in all other keywords are compared like ordinary schemas.
const CONDITIONS: [&str; 2] = ["if", "contains"];

impl<'a> Comparison<'_, 'a> {
    /// Reports that a schema started or stopped rejecting every value. Returns whether the old or the new schema rejects every
    /// value, so that there is nothing else to compare.
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

    pub(super) fn keywords_of_json_schema(&mut self) {
        for (keyword, rules) in RESTRICTIONS {
            match holds_schemas_by_name(keyword) {
                Some(true) => self.map(keyword, rules),
                Some(false) => self.inner_schema(keyword, rules),
                None => self.dependent_required(rules),
            }
        }
        self.prefix_items();
    }

    /// Compares a keyword whose value is one schema.
    fn inner_schema(&mut self, keyword: &str, rules: &'static [Family; 2]) {
        let Some((base, revision)) = self.existence(keyword, rules) else {
            return;
        };
        if !CONDITIONS.contains(&keyword) {
            let scope = self.scope.at(keyword);
            schema::compare(self.context, &scope, &[base], &[revision]);
        } else if !self.context.equality.equivalent(base, revision) {
            let text = format!("the schema of `{keyword}` changed");
            self.report(&CONDITION_CHANGED, Some(base), Some(revision), &text);
        }
    }

    /// Reports that a keyword was added or removed. Returns both values if both sides have the keyword.
    fn existence(
        &mut self,
        keyword: &str,
        [added, removed]: &'static [Family; 2],
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

    fn map(&mut self, keyword: &str, [added, removed]: &'static [Family; 2]) {
        let [old, new] = [&self.old, &self.new].map(|view| view.parts.clone().into_iter());
        let [before, after] = [old, new].map(|all| all.flat_map(|part| part.entries(keyword)));
        for part in pairs_by_name(before, after, str::eq) {
            let name = part.name;
            match (part.base, part.revision) {
                (Some(base), Some(revision)) => {
                    let scope = self.scope.at(&format!("{keyword}[{name}]"));
                    schema::compare(self.context, &scope, &[base], &[revision]);
                }
                (base, None) => {
                    let text = format!("`{name}` was removed from `{keyword}`");
                    self.report(removed, base, None, &text);
                }
                (None, revision) => {
                    let text = format!("`{name}` was added to `{keyword}`");
                    self.report(added, None, revision, &text);
                }
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

    fn dependent_required(&mut self, [added, removed]: &'static [Family; 2]) {
        const KEYWORD: &str = "dependentRequired";
        let (from, to) = self.both(KEYWORD);
        let all = |node: Option<&'a Node>| {
            let members = node.into_iter().flat_map(Node::members);
            members.filter(|(_, names)| names.size() > 1)
        };
        let is_other = |from: &Node, to: &Node| {
            let [from, to] = [from, to].map(|names| names.as_array().unwrap_or_default());
            !missing(from, to).is_empty() || !missing(to, from).is_empty()
        };
        let rules = [added, removed, &DEPENDENT_REQUIRED_CHANGED];
        for part in pairs_by_name(all(from), all(to), str::eq) {
            if let Some((family, verb)) = part.change(rules, is_other) {
                let name = part.name;
                let text = format!("the requirement of `{KEYWORD}` for `{name}` {verb}");
                self.report(family, from, to, &text);
            }
        }
    }
}

/// Returns whether no value is valid: the schema is `false` (which the reader rewrites) or `not: {}`.
fn allows_nothing(view: &View<'_>) -> bool {
    let mut parts = view.parts.iter().filter_map(|part| part.get("not"));
    parts.any(|not| not.as_object().is_some() && is_free(not))
}
