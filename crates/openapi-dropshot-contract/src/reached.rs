//! Follows the links between parts, such as references.

use std::collections::BTreeSet;

/// Returns these parts and all parts to which links lead from them, directly or through other parts. `next` returns the parts to
/// which the links of a part lead.
pub fn reached<T: Clone + Ord, N: IntoIterator<Item = T>>(
    parts: impl IntoIterator<Item = T>,
    next: impl Fn(&T) -> N,
) -> BTreeSet<T> {
    let mut open: Vec<T> = parts.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(part) = open.pop() {
        if reached.insert(part.clone()) {
            open.extend(next(&part));
        }
    }
    reached
}
