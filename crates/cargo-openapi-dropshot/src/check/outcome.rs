//! The result of a gate.

use super::inputs::Inputs;
use crate::{repository::Finding, rules};
use openapi_dropshot_contract::{Rule, Severity, model::Location};
use std::time::Duration;

/// The result of a gate.
pub(crate) struct Outcome {
    /// What was checked, as a phrase that begins with a lower-case letter.
    pub(super) summary: String,
    /// The errors and warnings.
    pub(crate) findings: Vec<Finding>,
    /// The command or the instruction that fixes the findings.
    pub(crate) fix: Option<String>,
}

impl Outcome {
    /// Creates a failed result with one error at the first character of the document.
    pub(super) fn failed(
        inputs: &Inputs<'_>,
        summary: &str,
        rule: &Rule,
        message: &str,
        help: &str,
    ) -> Self {
        let problem = rule.problem(&Location::start(&inputs.file), message, help);
        Outcome {
            summary: summary.to_owned(),
            findings: vec![Finding::new(problem)],
            fix: None,
        }
    }

    /// Creates the result for a document that cannot be read. The gate `document` reports the
    /// reason.
    pub(super) fn without_document(inputs: &Inputs<'_>) -> Self {
        let summary = "not checked: the document cannot be read";
        let message = "the document cannot be read";
        let help = "first fix what the gate `document` found";
        Outcome::failed(inputs, summary, &rules::NO_DOCUMENT, message, help)
    }
}

/// A gate that was run.
pub(super) struct Gate {
    /// The name in the command line and in the report.
    pub(super) name: String,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

impl Gate {
    /// The highest severity of its findings.
    pub(super) fn severity(&self) -> Option<Severity> {
        let findings = self.outcome.findings.iter();
        findings.map(|finding| finding.problem.severity).max()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.severity() == Some(Severity::Error)
    }
}
