//! Problems of a document: what is wrong, where, and what to write instead.

mod render;

use crate::location::Location;
use crate::rules::{Rule, Severity};
use std::fmt;
use std::sync::Arc;

/// One problem of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How serious it is.
    pub severity: Severity,
    /// The id of the rule that was violated.
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

impl Rule {
    /// Makes a problem of this rule, with the remedy of the rule as its help.
    pub fn violation(&self, at: &Location, message: impl Into<String>) -> Problem {
        let mut help = self.remedy.trim_end_matches('.').to_owned();
        if let Some(first) = help.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        self.problem(at, message, help)
    }

    /// Makes a problem of this rule, with another help.
    pub fn problem(
        &self,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem {
            severity: self.severity,
            ..Problem::error(self.id, at, message, help)
        }
    }
}

impl Problem {
    /// A problem that makes the document unusable, by the id of a rule that is
    /// not declared as a [`Rule`].
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

    /// The same for a problem that is worth a look.
    pub fn warning(
        rule: &'static str,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem::error(rule, at, message, help).with_severity(Severity::Warning)
    }

    /// Whether the problem makes the document unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Replaces the severity, where it depends on more than the rule.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Problem { severity, ..self }
    }

    /// Adds another place that the message is about.
    #[must_use]
    pub fn with_related(mut self, at: &Location, label: impl Into<String>) -> Self {
        self.related.push((at.clone(), label.into()));
        self
    }
}

/// The problems of one document, together with its text. They are displayed as
/// rustc displays errors: with the line and with what to write instead.
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
        // A problem in a component is found again wherever the component is used.
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
        self.problems.iter().any(Problem::is_error)
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
