//! Determines the next version from a list of changes: a breaking change needs a
//! new major number, an addition a new minor number (<https://semver.org>).

use crate::diff::{Change, Level};
pub use crate::version::{Bump, Version};

/// The smallest step that these changes allow. Changes of the version itself do
/// not count.
pub fn needed(changes: &[Change]) -> Bump {
    (changes.iter())
        .filter(|change| !change.id.contains("version"))
        .map(|change| match change.level {
            Level::Err => Bump::Major,
            Level::Warn | Level::Info => Bump::Minor,
        })
        .max()
        .unwrap_or(Bump::Patch)
}
