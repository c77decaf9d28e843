//! Compares keywords that list values or describe texts: `enum`,
//! `x-extensible-enum`, `default`, `nullable` and `pattern`.

use super::schema::{Comparison, keyword_change, quoted};
use super::scope::Role;
use super::view::{differs, missing};
use crate::model::Node;
use crate::rules::{Family, changes as rules};

/// The rules for a default that was added, removed or changed.
pub(super) static DEFAULT: [&Family; 3] = [
    &rules::DEFAULT_VALUE_ADDED,
    &rules::DEFAULT_VALUE_REMOVED,
    &rules::DEFAULT_VALUE_CHANGED,
];

impl Comparison<'_, '_> {
    pub(super) fn values(&mut self) {
        let nullable = match self.flags("nullable") {
            (false, true) => Some((&rules::BECAME_NULLABLE, "`null` is allowed now")),
            (true, false) => Some((
                &rules::BECAME_NOT_NULLABLE,
                "`null` is not allowed any more",
            )),
            _ => None,
        };
        if let Some((rule, text)) = nullable {
            let (base, revision) = self.both("nullable");
            self.report(rule, base, revision, text);
        }
        self.enumeration();
        self.extensible();
        self.pattern();
        self.default();
    }

    /// Compares the defaults of bodies and properties; those of parameters are
    /// compared in `parameters`.
    fn default(&mut self) {
        let (from, to) = self.both("default");
        if self.scope.role == Role::Body
            && differs(from, to)
            && let Some((rule, text)) = keyword_change("default", from, to, DEFAULT)
        {
            self.scope.report(self.context, rule, from, to, &text);
        }
    }

    fn enumeration(&mut self) {
        let (from, to) = self.both("enum");
        match (from, to) {
            (None, None) => return,
            (None, Some(_)) => {
                let text = "only listed values are allowed now";
                return self.report(&rules::BECAME_ENUM, None, to, text);
            }
            (Some(_), None) => {
                let text = "values are not restricted to a list any more";
                return self.report(&rules::ENUM_LIFTED, from, None, text);
            }
            (Some(_), Some(_)) => {}
        }
        let (before, after) = (self.old.list("enum"), self.new.list("enum"));
        for value in missing(&before, &after) {
            let text = format!("the value {} was removed", quoted(value));
            // For whole response bodies, oasdiff has an id of another form.
            if self.scope.is_body() && !self.scope.is_request() {
                let rule = &rules::RESPONSE_MEDIATYPE_ENUM_VALUE_REMOVED;
                let text = format!("{}: {text}", self.scope.subject());
                self.context.report(rule, Some(value), to, text);
            } else {
                self.report(&rules::ENUM_VALUE_REMOVED, Some(value), to, &text);
            }
        }
        for value in missing(&after, &before) {
            let text = format!("the value {} was added", quoted(value));
            self.report(&rules::ENUM_VALUE_ADDED, from, Some(value), &text);
        }
    }

    fn extensible(&mut self) {
        const KEYWORD: &str = "x-extensible-enum";
        let to = self.new.first(KEYWORD);
        // Clients expect that values of responses are added and removed.
        if !self.scope.is_request() || to.is_none() {
            return;
        }
        for value in missing(&self.old.list(KEYWORD), &self.new.list(KEYWORD)) {
            let text = format!("the value {} of `{KEYWORD}` was removed", quoted(value));
            let rule = &rules::X_EXTENSIBLE_ENUM_VALUE_REMOVED;
            self.report(rule, Some(value), to, &text);
        }
    }

    fn pattern(&mut self) {
        let is_written = |node: &&Node| node.as_str().is_some_and(|text| !text.is_empty());
        let (base, revision) = self.both("pattern");
        let (from, to) = (base.filter(is_written), revision.filter(is_written));
        let matches_all = matches!(to.and_then(Node::as_str), Some(".*" | "^.*$"));
        if !differs(from, to) || (from.is_none() && matches_all) {
            return;
        }
        let changed = match self.scope.is_request() && matches_all {
            true => &rules::PATTERN_GENERALIZED,
            false => &rules::PATTERN_CHANGED,
        };
        let families = [&rules::PATTERN_ADDED, &rules::PATTERN_REMOVED, changed];
        if let Some((rule, text)) = keyword_change("pattern", from, to, families) {
            self.report(rule, base, revision, &text);
        }
    }
}
