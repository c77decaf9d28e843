//! Converts changes since the newest release to findings, and decides which gate reports a change.

use super::{accepted, inputs::Inputs};
use crate::repository::Finding;
use openapi_dropshot_contract::{
    Severity,
    diff::{Change, Level},
    model::Location,
};
use std::collections::BTreeSet;

/// Whether the gate `lifecycle` reports a change: it changes a sunset or a stability level, or removes an operation.
pub(super) fn is_about_lifecycle(change: &Change) -> bool {
    change.id.contains("sunset") || change.id.contains("stability") || is_removal(change)
}

/// Whether an operation was removed.
pub(super) fn is_removal(change: &Change) -> bool {
    change.id.starts_with("api-removed-") || change.id.starts_with("api-path-removed-")
}

/// Converts changes to findings. One entry accepts all changes with the same rule and place, such as the changes of operations
/// that share a schema, so the entry is printed only once.
pub(super) fn all_findings(inputs: &Inputs<'_>, changes: &[&Change]) -> Vec<Finding> {
    let mut entries = BTreeSet::new();
    let findings = changes.iter().map(|change| {
        let entry = accepted::entry(change, inputs.today);
        let is_new = entries.insert((change.level == Level::Err, entry));
        finding(inputs, change, is_new)
    });
    findings.collect()
}

/// Converts a change to a finding, with its place in both documents and the entry that would accept it.
fn finding(inputs: &Inputs<'_>, change: &Change, is_first: bool) -> Finding {
    let mut message = match &change.operation {
        Some(operation) => format!("{operation}: {}", change.text),
        None => change.text.clone(),
    };
    if let (Some(_), Some(base)) = (&change.at.revision, &change.at.base) {
        message += &format!(" (was {base})");
    }
    // A removed part has a place only in the older document.
    let at = change.at.revision.as_ref().or(change.at.base.as_ref());
    let at = at.cloned().unwrap_or_else(|| Location::start(&inputs.file));
    Finding::new(match change.level {
        Level::Err => {
            let file = &inputs.project.accepted_breaks;
            let entry = accepted::entry(change, inputs.today);
            let help = match is_first {
                true => format!("undo the change; if it is intended, add to {file}:\n{entry}"),
                false => {
                    format!(
                        "undo the change; if it is intended, the entry shown above for {file} also accepts this change"
                    )
                }
            };
            change.problem(Severity::Error, &at, message, help)
        }
        Level::Warn | Level::Info => {
            let help = "make sure that no client relies on the old behaviour";
            change.problem(Severity::Warning, &at, message, help)
        }
    })
}
