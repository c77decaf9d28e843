//! Ways to break a copy of the house on purpose. What counts as broken is left
//! to the rules.

use crate::support::Copy;
use std::fs;

impl Copy {
    /// The workspace as it is.
    pub(crate) fn of_the_house() -> Self {
        Copy::of(&[""])
    }

    /// Writes a file, which may be a new one.
    #[must_use]
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    /// Removes a file.
    #[must_use]
    pub(crate) fn without(self, path: &str) -> Self {
        fs::remove_file(self.root().join(path))
            .unwrap_or_else(|error| panic!("cannot remove {path}: {error}"));
        self
    }

    /// Replaces the first `old` of a file by `new`.
    #[must_use]
    pub(crate) fn replacing(self, path: &str, old: &str, new: &str) -> Self {
        self.replace(path, old, new);
        self
    }

    /// Adds lines to the end of a file.
    #[must_use]
    pub(crate) fn appending(self, path: &str, lines: &str) -> Self {
        let text = self.read(path) + lines;
        self.with(path, &text)
    }

    /// Gives a crate one more dependency, as `[dependencies]` would have it.
    #[must_use]
    pub(crate) fn with_dependency(self, manifest: &str, line: &str) -> Self {
        self.replacing(
            manifest,
            "[dependencies]\n",
            &format!("[dependencies]\n{line}\n"),
        )
    }
}
