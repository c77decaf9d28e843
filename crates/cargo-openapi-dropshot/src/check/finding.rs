//! A finding of a gate: one fault or warning, with its place and its remedy.

use openapi_dropshot_contract::{
    Problem, Problems, Severity,
    diff::{Change, Level},
    model::Location,
};
use std::sync::Arc;

/// One finding.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// An error fails the gate, a warning does not.
    pub(crate) severity: Severity,
    /// A stable, kebab-case name of the broken rule.
    pub(crate) rule: String,
    /// The place.
    pub(crate) at: Location,
    /// What is wrong, as a lower-case fragment.
    pub(crate) message: String,
    /// The remedy.
    pub(crate) help: String,
    /// The whole finding as several lines for a terminal.
    pub(crate) rendered: String,
}

impl Finding {
    /// A finding that is printed without the lines of its file.
    pub(crate) fn new(
        severity: Severity,
        rule: &str,
        at: Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), help.into());
        let mut rendered = format!("{}[{rule}]: {message}\n  --> {at}", word(severity));
        if !at.pointer.is_empty() {
            rendered.push_str(&format!("\n   = note: at {}", at.pointer));
        }
        let indented = help.replace('\n', "\n     ");
        Finding {
            severity,
            rule: rule.to_owned(),
            at,
            message,
            rendered: format!("{rendered}\n   = help: {indented}"),
            help,
        }
    }

    /// A problem in this text, printed with the lines around it.
    pub(crate) fn of_problem(problem: Problem, text: &Arc<str>) -> Self {
        let problems = Problems::new(text, vec![problem.clone()]);
        Finding {
            severity: problem.severity,
            rule: problem.rule.to_owned(),
            at: problem.at,
            message: problem.message,
            help: problem.help,
            rendered: problems.to_string(),
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
            // A removed part has a place in the older document only.
            (Some(at), None) | (None, Some(at)) => at.clone(),
            (None, None) => Location::start(document),
        };
        Finding::new(severity, change.id, at, message, help)
    }

    /// Adds lines to those for a terminal.
    #[must_use]
    pub(crate) fn with_lines(mut self, lines: &str) -> Self {
        self.rendered.push('\n');
        self.rendered.push_str(lines.trim_end());
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
