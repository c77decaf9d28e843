//! The state of a comparison: both documents, the policy, and the changes found so far.

use super::equality::Equality;
use super::view::{Named, Side, pairs_by_name};
use super::{Change, Place, Policy};
use crate::model::Node;
use crate::rules::{ChangeRule, Family, Level, changes as rules};
use std::collections::HashSet;

pub(super) struct Context<'a> {
    pub base: Side<'a>,
    pub revision: Side<'a>,
    pub policy: &'a Policy,
    /// The operation that is being compared.
    pub operation: Option<String>,
    /// Whether the current operation or parameter is stable.
    pub stable: bool,
    /// If a webhook or a callback is being compared, the beginning of the ids of its rules. The service sends the requests
    /// of these operations.
    pub outgoing: Option<&'static str>,
    /// How many days of deprecation the policy requires for the operation.
    pub deprecation_days: u32,
    /// Whether the current parameter is serialized as `name=a&name=b`.
    pub exploded: bool,
    pub equality: Equality<'a>,
    /// Pairs of schemas that were already compared for the same body or parameter. This makes the comparison of recursive
    /// schemas end.
    pub seen: HashSet<(*const Node, *const Node, bool, bool)>,
    changes: Vec<Change>,
}

impl<'a> Context<'a> {
    pub(super) fn new(base: &'a Node, revision: &'a Node, policy: &'a Policy) -> Self {
        let (base, revision) = (Side { root: base }, Side { root: revision });
        Context {
            base,
            revision,
            policy,
            operation: None,
            stable: true,
            outgoing: None,
            deprecation_days: policy.deprecation_days_stable,
            exploded: false,
            equality: Equality::new(base, revision),
            seen: HashSet::new(),
            changes: Vec::new(),
        }
    }

    /// Reports a change at the places of these two nodes.
    pub(super) fn report(
        &mut self,
        rule: &'static ChangeRule,
        base: Option<&Node>,
        revision: Option<&Node>,
        text: impl Into<String>,
    ) {
        let level = match rule.level {
            Level::Err if !self.stable && !rule.is_promise() => Level::Warn,
            level => level,
        };
        let change = Change {
            id: rule.id,
            level,
            operation: self.operation.clone(),
            text: text.into(),
            remedy: rule.remedy(),
            at: Place {
                base: base.map(|node| node.at.as_written()),
                revision: revision.map(|node| node.at.as_written()),
            },
        };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    /// Reports a change with the rule of a family for the first of these places that has a rule.
    pub(super) fn report_at(
        &mut self,
        family: &Family,
        places: &[&str],
        base: Option<&Node>,
        revision: Option<&Node>,
        text: impl Into<String>,
    ) {
        match family.at(places) {
            Some(rule) => self.report(rule, base, revision, text),
            None => debug_assert!(false, "`{}` has no rule for {places:?}", family.ending),
        }
    }

    /// Reports a change if something became required or optional.
    pub(super) fn report_necessity(
        &mut self,
        place: &str,
        what: &str,
        (was_required, base): (bool, Option<&Node>),
        (is_required, revision): (bool, Option<&Node>),
    ) {
        let (family, necessity) = match (was_required, is_required) {
            (false, true) => (&rules::BECAME_REQUIRED, "required"),
            (true, false) => (&rules::BECAME_OPTIONAL, "optional"),
            _ => return,
        };
        let text = format!("{what} became {necessity}");
        self.report_at(family, &[place], base, revision, text);
    }

    /// Pairs the entries of the map `keyword` of both objects by name. References are followed. Names of headers are
    /// case-insensitive.
    pub(super) fn by_name(
        &self,
        keyword: &str,
        base: &'a Node,
        revision: &'a Node,
    ) -> Vec<Named<'a>> {
        let before = base.entries(keyword);
        let before = before.map(|(name, node)| (name, self.base.resolve(node)));
        let after = revision.entries(keyword);
        let after = after.map(|(name, node)| (name, self.revision.resolve(node)));
        pairs_by_name(before, after, |old, new| {
            old == new || (keyword == "headers" && old.eq_ignore_ascii_case(new))
        })
    }

    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns all changes. The most severe changes are first; changes of the same level are in the order of the documents.
    pub(super) fn finish(mut self) -> Vec<Change> {
        self.changes.sort_by_key(|change| {
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let place = at.map(|at| (at.line, at.column));
            (change.level, place, change.id, change.text.clone())
        });
        self.changes
    }
}
