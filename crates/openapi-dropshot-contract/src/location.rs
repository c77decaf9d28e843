//! A place in a document.

use std::fmt;
use std::sync::Arc;

/// A place in a document: file, one-based line and column, and the JSON
/// pointer (RFC 6901) from the root of that file.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as the caller named it.
    pub file: Arc<str>,
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// JSON pointer such as `/paths/~1books/get`; empty for the root.
    pub pointer: String,
}

impl Location {
    /// The beginning of a file.
    pub fn start(file: &str) -> Self {
        Location {
            file: Arc::from(file),
            line: 1,
            column: 1,
            pointer: String::new(),
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
