//! Finds which member of a list of schemas became which: by reference, by
//! equality, by title, by meaning, by shape.

use crate::diff::context::Context;
use crate::diff::equality::is_renamed;
use crate::diff::view::reference;
use crate::model::Node;

pub(super) struct Matches<'a> {
    /// Members of both lists, changed or not.
    pub pairs: Vec<(&'a Node, &'a Node)>,
    pub added: Vec<&'a Node>,
    pub removed: Vec<&'a Node>,
}

impl<'a> Matches<'a> {
    pub(super) fn of(context: &mut Context<'a>, base: &[&'a Node], revision: &[&'a Node]) -> Self {
        let mut matches = Matches {
            pairs: Vec::new(),
            added: revision.to_vec(),
            removed: base.to_vec(),
        };
        matches.pair(|a, b| reference(a).is_some() && reference(a) == reference(b));
        matches.pair(|a, b| !is_renamed(a, b) && context.equality.same(a, b));
        matches.pair(|a, b| {
            let title = a.get("title").and_then(Node::as_str);
            title.is_some() && title == b.get("title").and_then(Node::as_str)
        });
        matches.pair(|a, b| !is_renamed(a, b) && context.equality.equivalent(a, b));
        matches.pair(|a, b| {
            is_inline(a) && is_inline(b) && shape(a).is_some_and(|a| shape(b) == Some(a))
        });
        // If one member is left on either side, it probably changed.
        if let ([removed], [added]) = (matches.removed.as_slice(), matches.added.as_slice())
            && is_inline(removed)
            && is_inline(added)
        {
            matches.pairs.push((removed, added));
            matches.removed.clear();
            matches.added.clear();
        }
        matches
    }

    /// Pairs the remaining members that belong together.
    fn pair(&mut self, mut belong: impl FnMut(&'a Node, &'a Node) -> bool) {
        let mut left = Vec::new();
        for base in std::mem::take(&mut self.removed) {
            match self.added.iter().position(|other| belong(base, other)) {
                Some(index) => self.pairs.push((base, self.added.remove(index))),
                None => left.push(base),
            }
        }
        self.removed = left;
    }
}

/// Whether a schema has no name: it is neither a reference nor has a title.
fn is_inline(node: &Node) -> bool {
    reference(node).is_none() && node.get("title").is_none()
}

/// The names of the properties, in order.
fn shape(node: &Node) -> Option<Vec<&str>> {
    let properties = node.get("properties")?.as_object()?;
    let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
    names.sort_unstable();
    (!names.is_empty()).then_some(names)
}
