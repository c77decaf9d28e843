//! What an alias of YAML stands for: a copy of the value with the anchor. Kept
//! within bounds, for a few lines of aliases of aliases can mean billions.

use super::{MAX_DEPTH, child_pointer};
use crate::model::{Location, Member, Node, NodeKind};
use indexmap::IndexMap;

/// Copies the value of an anchor to where an alias stands. The copy keeps the
/// line and column where the value is written, and gets its own pointers.
pub(super) struct Copier {
    /// Values that may still be made.
    left: usize,
    /// Depth of the place that is copied to.
    depth: usize,
}

/// Why a copy cannot be made.
pub(super) enum Unfit {
    /// More values than may still be made.
    Many,
    /// Deeper than values may stand in one another.
    Deep,
    /// A pointer longer than they may become.
    Long,
}

impl Copier {
    /// A copier that may make so many values, at this depth.
    pub(super) fn new(left: usize, depth: usize) -> Self {
        Copier { left, depth }
    }

    /// How many values may still be made.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Copies a value to the place of this pointer.
    pub(super) fn copy(&mut self, node: &Node, pointer: String) -> Result<Node, Unfit> {
        self.left = self.left.checked_sub(1).ok_or(Unfit::Many)?;
        if self.depth > MAX_DEPTH {
            return Err(Unfit::Deep);
        }
        self.depth += 1;
        let kind = match &node.kind {
            NodeKind::Array(items) => {
                let mut copies = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let child = child_pointer(&pointer, &index.to_string()).ok_or(Unfit::Long)?;
                    copies.push(self.copy(item, child)?);
                }
                NodeKind::Array(copies)
            }
            NodeKind::Object(members) => {
                let mut copies = IndexMap::with_capacity(members.len());
                for (name, member) in members {
                    let child = child_pointer(&pointer, name).ok_or(Unfit::Long)?;
                    let key_at = Location {
                        pointer: child.clone(),
                        ..member.key_at.clone()
                    };
                    copies.insert(
                        name.clone(),
                        Member {
                            key_at,
                            value: self.copy(&member.value, child)?,
                        },
                    );
                }
                NodeKind::Object(copies)
            }
            plain => plain.clone(),
        };
        self.depth -= 1;
        Ok(Node {
            at: Location {
                pointer,
                ..node.at.clone()
            },
            kind,
        })
    }
}
