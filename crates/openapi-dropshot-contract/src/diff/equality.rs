//! Decides whether two values of the two documents have the same meaning, after following
//! references. Most values of two documents are equal and need no further comparison.

use super::view::Side;
use crate::grammar::is_annotation;
use crate::model::{Node, NodeKind};
use std::collections::{HashMap, HashSet};
use std::ptr::from_ref;

type Pair = (*const Node, *const Node, bool);

pub(super) struct Equality<'a> {
    base: Side<'a>,
    revision: Side<'a>,
    known: HashMap<Pair, bool>,
    /// Whether the current comparison ignores annotations and names.
    loose: bool,
    /// The pairs that are currently being compared. If such a pair occurs again inside of itself,
    /// it is assumed to be equal.
    assumed: HashSet<Pair>,
}

impl<'a> Equality<'a> {
    pub(super) fn new(base: Side<'a>, revision: Side<'a>) -> Self {
        Equality {
            base,
            revision,
            known: HashMap::new(),
            loose: false,
            assumed: HashSet::new(),
        }
    }

    /// Whether all members of both values are the same.
    pub(super) fn same(&mut self, base: &'a Node, revision: &'a Node) -> bool {
        self.decide(base, revision, false)
    }

    /// Whether both schemas allow the same values, regardless of names.
    pub(super) fn equivalent(&mut self, base: &'a Node, revision: &'a Node) -> bool {
        self.decide(base, revision, true)
    }

    fn decide(&mut self, base: &'a Node, revision: &'a Node, loose: bool) -> bool {
        self.loose = loose;
        let same = self.compare(base, revision);
        if same {
            // All assumptions made during this comparison were true.
            (self.known).extend(self.assumed.drain().map(|pair| (pair, true)));
        } else {
            self.known.insert((base, revision, loose), false);
        }
        self.assumed.clear();
        same
    }

    fn compare(&mut self, base: &'a Node, revision: &'a Node) -> bool {
        let refers = (base.word("$ref").is_some(), revision.word("$ref").is_some());
        if refers == (false, false) {
            return self.compare_members(base, revision, self.loose);
        }
        if !self.loose && refers != (true, true) {
            return false;
        }
        let target = (self.base.resolve(base), self.revision.resolve(revision));
        for (base, revision) in [(base, revision), target] {
            if let Some(known) = self
                .known
                .get(&(from_ref(base), from_ref(revision), self.loose))
            {
                return *known;
            }
        }
        let (base, revision) = target;
        !(self.assumed).insert((base, revision, self.loose))
            || self.compare_members(base, revision, self.loose)
    }

    /// `skip` tells whether to skip annotations. It is set for schemas only: among names that the
    /// author chose, `title` is an ordinary name.
    fn compare_members(&mut self, base: &'a Node, revision: &'a Node, skip: bool) -> bool {
        match (&base.kind, &revision.kind) {
            (NodeKind::Array(a), NodeKind::Array(b)) => {
                let mut elements = a.iter().zip(b);
                a.len() == b.len()
                    && elements
                        .all(|(a, b)| (self.loose || !is_renamed(a, b)) && self.compare(a, b))
            }
            (NodeKind::Object(a), NodeKind::Object(b)) => {
                let counts = |name: &&String| !skip || !is_annotation(name);
                let mut members = a.iter().filter(|(name, _)| counts(name));
                a.keys().filter(counts).count() == b.keys().filter(counts).count()
                    && members.all(|(name, member)| {
                        let (value, other) = (&member.value, b.get(name).map(|other| &other.value));
                        other.is_some_and(|other| match name.as_str() {
                            "properties" => self.compare_members(value, other, false),
                            "enum" | "required" => value.same_value(other),
                            _ => self.compare(value, other),
                        })
                    })
            }
            _ => base.same_value(revision),
        }
    }
}

/// Whether both are references to schemas with different names. As members of a list, such schemas
/// are different even if their content is equal.
pub(super) fn is_renamed(base: &Node, revision: &Node) -> bool {
    match (base.word("$ref"), revision.word("$ref")) {
        (Some(base), Some(revision)) => base != revision,
        _ => false,
    }
}
