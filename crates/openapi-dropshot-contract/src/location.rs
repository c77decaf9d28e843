//! A place in a document.

use std::fmt;
use std::sync::Arc;

/// A place in a document: file, one-based line and column, and the JSON
/// pointer (RFC 6901).
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as the caller named it.
    pub file: Arc<str>,
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// The JSON pointer, such as `/paths/~1books/get`; empty for the root. It points into the tree that contains the
    /// value, which may be rewritten.
    pub pointer: String,
    /// The pointer to the value as it is written, if the tree was rewritten and the value is now at another place.
    pub written: Option<String>,
}

impl Location {
    /// The beginning of a file.
    pub fn start(file: &str) -> Self {
        Location {
            file: Arc::from(file),
            line: 1,
            column: 1,
            ..Location::default()
        }
    }

    /// The beginning of a line of a file.
    pub fn line(file: &str, line: usize) -> Self {
        Location {
            line,
            ..Location::start(file)
        }
    }

    /// The place of a byte in the text of a file.
    pub fn at_byte(file: &str, text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let last_line = before.rsplit('\n').next().unwrap_or_default();
        Location {
            column: last_line.chars().count() + 1,
            ..Location::line(file, before.matches('\n').count() + 1)
        }
    }

    /// Returns the place in the document as it is written.
    #[must_use]
    pub fn as_written(&self) -> Self {
        Location {
            pointer: self.written.as_ref().unwrap_or(&self.pointer).clone(),
            written: None,
            file: Arc::clone(&self.file),
            ..*self
        }
    }

    /// Sets the pointer to the value. `is_rewritten` tells whether the pointer leads into a rewritten tree, or into
    /// a tree that counts as the written document.
    pub(crate) fn move_to(&mut self, pointer: &str, is_rewritten: bool) {
        if self.pointer != pointer {
            let before = std::mem::replace(&mut self.pointer, pointer.to_owned());
            self.written = is_rewritten.then(|| self.written.take().unwrap_or(before));
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}#{}", self.pointer)
    }
}
