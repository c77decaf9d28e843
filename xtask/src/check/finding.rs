//! What a gate found: one thing that is wrong or worth a look, with its place
//! and what to do. How a list of them is shown is left to `text`, `json` and
//! `annotations`.

use openapi_dropshot_contract::{
    Problem, Problems, Severity,
    diff::{Change, Level},
    model::Location,
};
use std::sync::Arc;

/// One finding.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Whether the gate fails with it.
    pub(crate) severity: Severity,
    /// A stable, kebab-case name of what was broken.
    pub(crate) rule: String,
    /// Where.
    pub(crate) at: Location,
    /// What is wrong, as a lower-case fragment.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: String,
    /// All of it for a terminal, several lines.
    pub(crate) shown: String,
}

impl Finding {
    /// A finding in a file whose lines need not be shown.
    pub(crate) fn new(
        severity: Severity,
        rule: &str,
        at: Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), help.into());
        let mut shown = format!("{}[{rule}]: {message}\n  --> {at}", word(severity));
        if !at.pointer.is_empty() {
            shown.push_str(&format!("\n   = note: at {}", at.pointer));
        }
        let indented = help.replace('\n', "\n     ");
        Finding {
            severity,
            rule: rule.to_owned(),
            at,
            message,
            shown: format!("{shown}\n   = help: {indented}"),
            help,
        }
    }

    /// A problem in this text, shown with the lines around it.
    pub(crate) fn of_problem(problem: Problem, text: &Arc<str>) -> Self {
        let problems = Problems::new(text, vec![problem.clone()]);
        Finding {
            severity: problem.severity,
            rule: problem.rule.to_owned(),
            at: problem.at,
            message: problem.message,
            help: problem.help,
            shown: problems.to_string(),
        }
    }

    /// A change between two documents, with its place in both.
    pub(crate) fn of_change(change: &Change, document: &str, help: &str) -> Self {
        let severity = match change.level {
            Level::Err => Severity::Error,
            Level::Warn | Level::Info => Severity::Warning,
        };
        let mut message = match &change.operation {
            Some(operation) => format!("{operation}: {}", change.text),
            None => change.text.clone(),
        };
        let at = match (&change.at.revision, &change.at.base) {
            (Some(at), Some(base)) => {
                message.push_str(&format!(" (was {base})"));
                at.clone()
            }
            // What was removed has a place in the older document only.
            (Some(at), None) | (None, Some(at)) => at.clone(),
            (None, None) => Location::start(document),
        };
        Finding::new(severity, &change.id, at, message, help)
    }

    /// Adds lines to what a terminal shows.
    #[must_use]
    pub(crate) fn showing(mut self, lines: &str) -> Self {
        self.shown.push('\n');
        self.shown.push_str(lines.trim_end());
        self
    }
}

/// The word for a severity, in text and JSON.
pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
