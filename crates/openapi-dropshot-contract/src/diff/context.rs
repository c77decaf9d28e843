//! What one comparison carries along: both documents, the policy, and the
//! changes found so far.

use super::equality::Equality;
use super::rules;
use super::view::Side;
use super::{Change, Level, Place, Policy};
use crate::model::Node;
use std::collections::HashSet;

pub(super) struct Context<'a> {
    pub base: Side<'a>,
    pub revision: Side<'a>,
    pub policy: &'a Policy,
    /// The operation at hand.
    pub operation: Option<String>,
    /// Whether the operation at hand promised to stay.
    pub stable: bool,
    /// How many days of deprecation the policy asks of the operation at hand.
    pub deprecation_days: u32,
    /// Whether the parameter at hand is written as `name=a&name=b`.
    pub exploded: bool,
    pub equality: Equality<'a>,
    /// Pairs of schemas that were compared already for the same body or
    /// parameter; what refers to itself ends here.
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
            deprecation_days: policy.deprecation_days_stable,
            exploded: false,
            equality: Equality::new(base, revision),
            seen: HashSet::new(),
            changes: Vec::new(),
        }
    }

    /// Reports a change, at the places of these two nodes.
    pub(super) fn report(
        &mut self,
        id: &str,
        base: Option<&Node>,
        revision: Option<&Node>,
        text: impl Into<String>,
    ) {
        let rule = rules::level(id);
        debug_assert!(rule.is_some(), "there is no rule `{id}`");
        let mut level = rule.unwrap_or(Level::Warn);
        if level == Level::Err && !self.stable && !rules::is_lifecycle(id) {
            level = Level::Warn;
        }
        let change = Change {
            id: id.to_owned(),
            level,
            operation: self.operation.clone(),
            text: text.into(),
            at: Place {
                base: base.map(|node| node.at.clone()),
                revision: revision.map(|node| node.at.clone()),
            },
        };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// All changes, the gravest first, then in the order of the documents.
    pub(super) fn finish(mut self) -> Vec<Change> {
        self.changes.sort_by_key(|change| {
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let place = at.map(|at| (at.line, at.column));
            (change.level, place, change.id.clone(), change.text.clone())
        });
        self.changes
    }
}
