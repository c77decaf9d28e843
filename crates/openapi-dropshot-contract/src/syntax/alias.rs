//! Expands aliases of YAML: copies the value with the anchor to the place of the
//! alias. The number of values is bounded, because a few lines of aliases of
//! aliases can expand to billions of values.

use super::{MAX_DEPTH, child_pointer};
use crate::model::{Location, Member, Node, NodeKind};
use indexmap::IndexMap;

/// Copies the value of an anchor to the place of an alias. The copy keeps the line
/// and column of the value, and gets its own pointers.
pub(super) struct Copier {
    /// Values that may still be made.
    left: usize,
    /// Depth of the place that is copied to.
    depth: usize,
}

/// Why a copy cannot be made.
pub(super) enum CopyError {
    /// More values than may still be made.
    Many,
    /// Deeper than values may be nested.
    Deep,
    /// A pointer longer than they may become.
    Long,
}

impl Copier {
    /// A copier that may make this many values, at this depth.
    pub(super) fn new(left: usize, depth: usize) -> Self {
        Copier { left, depth }
    }

    /// How many values may still be made.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Copies a value to the place of this pointer.
    pub(super) fn copy(&mut self, node: &Node, pointer: String) -> Result<Node, CopyError> {
        self.left = self.left.checked_sub(1).ok_or(CopyError::Many)?;
        if self.depth > MAX_DEPTH {
            return Err(CopyError::Deep);
        }
        self.depth += 1;
        let kind = match &node.kind {
            NodeKind::Array(items) => {
                let mut copies = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let child =
                        child_pointer(&pointer, &index.to_string()).ok_or(CopyError::Long)?;
                    copies.push(self.copy(item, child)?);
                }
                NodeKind::Array(copies)
            }
            NodeKind::Object(members) => {
                let mut copies = IndexMap::with_capacity(members.len());
                for (name, member) in members {
                    let child = child_pointer(&pointer, name).ok_or(CopyError::Long)?;
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
