//! Problems: what is wrong with a document, where, and what to write instead.

mod render;

use crate::model::Location;
use std::fmt;
use std::sync::Arc;

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
        Problem {
            severity: Severity::Warning,
            ..Problem::error(rule, at, message, help)
        }
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

/// What is wrong with one document, together with its text: shown as rustc
/// shows errors, with the line that is meant and what to write instead.
#[derive(Clone, Debug)]
pub struct Problems {
    text: Arc<str>,
    problems: Vec<Problem>,
}

impl Problems {
    /// Puts problems beside the text they are about, in the order of the text.
    pub fn new(text: &Arc<str>, mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| {
            let key = |p: &Problem| (p.at.line, p.at.column, p.rule);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        // What stands in a component shows up wherever it is used.
        problems.dedup();
        Problems {
            text: Arc::clone(text),
            problems,
        }
    }

    /// The problems, in the order of the text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The problems alone.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Whether one of them makes the document unusable.
    pub fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = render::Source::new(&self.text);
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&source.render(problem))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(
            f,
            "{}: {severity}[{}]: {}; {}",
            self.at, self.rule, self.message, self.help
        )
    }
}
