//! Pairs the elements of two lists.

/// Returns each element of `before` paired with the equal element of `after`, if there is one,
/// followed by the elements that only `after` has. Each pair has at least one element.
pub(crate) fn pairs<'l, T>(
    before: &'l [T],
    after: &'l [T],
    same: impl Fn(&T, &T) -> bool,
) -> Vec<(Option<&'l T>, Option<&'l T>)> {
    let counterpart = |old: &'l T| after.iter().find(|new| same(old, new));
    let is_new = |new: &&'l T| !before.iter().any(|old| same(old, new));
    (before.iter().map(|old| (Some(old), counterpart(old))))
        .chain(after.iter().filter(is_new).map(|new| (None, Some(new))))
        .collect()
}
