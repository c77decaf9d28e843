//! Problems: what is wrong with a document, where, and what to write instead.

use crate::model::Location;
use std::fmt;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look; nothing fails.
    Warning,
    /// The document cannot be used as it is.
    Error,
}

/// One fault of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How much it matters.
    pub severity: Severity,
    /// A stable, kebab-case name of the rule that was broken.
    pub rule: &'static str,
    /// Where.
    pub at: Location,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// Other places that the message is about, each with a few words.
    pub related: Vec<(Location, String)>,
}

impl Problem {
    /// A problem that makes the document unusable.
    pub fn error(
        rule: &'static str,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem {
            severity: Severity::Error,
            rule,
            at: at.clone(),
            message: message.into(),
            help: help.into(),
            related: Vec::new(),
        }
    }

    /// A problem that is worth a look.
    pub fn warning(
        rule: &'static str,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem { severity: Severity::Warning, ..Problem::error(rule, at, message, help) }
    }

    /// Adds another place that the message is about.
    #[must_use]
    pub fn with_related(mut self, at: &Location, words: impl Into<String>) -> Self {
        self.related.push((at.clone(), words.into()));
        self
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
