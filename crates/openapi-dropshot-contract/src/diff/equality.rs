//! Decides whether two values of the two documents mean the same, references
//! followed. Equal values, which are most of any two documents, need no further
//! comparison.

use super::view::{Side, reference};
use crate::model::{Node, NodeKind};
use std::collections::{HashMap, HashSet};

/// Members of a schema that do not restrict which values are valid.
const ANNOTATIONS: &[&str] = &[
    "title",
    "description",
    "default",
    "example",
    "examples",
    "externalDocs",
    "xml",
];

type Pair = (*const Node, *const Node, bool);

pub(super) struct Equality<'a> {
    base: Side<'a>,
    revision: Side<'a>,
    known: HashMap<Pair, bool>,
}

impl<'a> Equality<'a> {
    pub(super) fn new(base: Side<'a>, revision: Side<'a>) -> Self {
        Equality {
            base,
            revision,
            known: HashMap::new(),
        }
    }

    /// Whether both are the same in every member.
    pub(super) fn same(&mut self, base: &'a Node, revision: &'a Node) -> bool {
        self.decide(base, revision, false)
    }

    /// Whether the same values are valid, whatever they are called.
    pub(super) fn equivalent(&mut self, base: &'a Node, revision: &'a Node) -> bool {
        self.decide(base, revision, true)
    }

    fn decide(&mut self, base: &'a Node, revision: &'a Node, loose: bool) -> bool {
        let mut assumed = HashSet::new();
        let same = self.compare(base, revision, loose, &mut assumed);
        if same {
            // All assumptions on the way were true.
            self.known
                .extend(assumed.into_iter().map(|pair| (pair, true)));
        } else {
            self.known.insert((base, revision, loose), false);
        }
        same
    }

    fn compare(
        &mut self,
        base: &'a Node,
        revision: &'a Node,
        loose: bool,
        assumed: &mut HashSet<Pair>,
    ) -> bool {
        let refers = reference(base).is_some() || reference(revision).is_some();
        if refers {
            let names = (reference(base), reference(revision));
            if !loose && names.0.is_some() != names.1.is_some() {
                return false;
            }
            let pair = (
                std::ptr::from_ref(base),
                std::ptr::from_ref(revision),
                loose,
            );
            if let Some(known) = self.known.get(&pair) {
                return *known;
            }
            let base = self.base.resolve(base);
            let revision = self.revision.resolve(revision);
            let target = (
                std::ptr::from_ref(base),
                std::ptr::from_ref(revision),
                loose,
            );
            if let Some(known) = self.known.get(&target) {
                return *known;
            }
            if !assumed.insert(target) {
                return true;
            }
            return self.compare_members(base, revision, loose, loose, assumed);
        }
        self.compare_members(base, revision, loose, loose, assumed)
    }

    /// `skip` leaves annotations out, which is for schemas: among names that
    /// the author chose, `title` is a name like any other.
    fn compare_members(
        &mut self,
        base: &'a Node,
        revision: &'a Node,
        loose: bool,
        skip: bool,
        assumed: &mut HashSet<Pair>,
    ) -> bool {
        match (&base.kind, &revision.kind) {
            (NodeKind::Array(a), NodeKind::Array(b)) => {
                a.len() == b.len()
                    && (a.iter().zip(b)).all(|(a, b)| {
                        (loose || !is_renamed(a, b)) && self.compare(a, b, loose, assumed)
                    })
            }
            (NodeKind::Object(a), NodeKind::Object(b)) => {
                let counts = |name: &&String| !skip || !ANNOTATIONS.contains(&name.as_str());
                a.keys().filter(counts).count() == b.keys().filter(counts).count()
                    && a.iter()
                        .filter(|(name, _)| counts(name))
                        .all(|(name, member)| {
                            b.get(name).is_some_and(|other| match name.as_str() {
                                "properties" => self.compare_members(
                                    &member.value,
                                    &other.value,
                                    loose,
                                    false,
                                    assumed,
                                ),
                                "enum" | "required" => member.value.same_value(&other.value),
                                _ => self.compare(&member.value, &other.value, loose, assumed),
                            })
                        })
            }
            _ => base.same_value(revision),
        }
    }
}

/// Whether both are references to schemas of different names. As members of a
/// list, such schemas are different ones even if they are equal.
pub(super) fn is_renamed(base: &Node, revision: &Node) -> bool {
    match (reference(base), reference(revision)) {
        (Some(base), Some(revision)) => base != revision,
        _ => false,
    }
}

/// Whether a schema holds annotations only, and so accepts everything.
pub(super) fn is_annotation_only(node: &Node) -> bool {
    node.as_object().is_some_and(|members| {
        (members.keys()).all(|name| ANNOTATIONS.contains(&name.as_str()) || name.starts_with("x-"))
    })
}
