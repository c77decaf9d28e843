//! Determines the next version from a list of changes: a breaking change requires a new major
//! version, an addition a new minor version (<https://semver.org>).

use crate::diff::{Change, Level};
pub use crate::version::{Bump, Version};

/// Returns the smallest version bump that is correct for these changes. Changes of the version
/// number itself are ignored.
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
