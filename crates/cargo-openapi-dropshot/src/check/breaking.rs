//! Gate `breaking`: no change since the newest released document breaks a client,
//! unless `accepted` lists it.

use super::{Inputs, Outcome, accepted, lifecycle};
use crate::counted;
use crate::repository::Finding;
use openapi_dropshot_contract::{
    Severity,
    diff::{Change, Level, level},
    model::Location,
};
use std::collections::BTreeSet;

pub(super) fn run(inputs: &Inputs<'_>) -> Outcome {
    let mut findings = inputs.releases.findings.clone();
    let summary = match (inputs.newest(), &inputs.changes) {
        (None, _) => {
            findings.extend(inputs.accepted.findings.iter().cloned());
            "nothing is released yet".to_owned()
        }
        (Some(_), None) => return Outcome::without_document(inputs),
        (Some(newest), Some(changes)) => {
            let of_this_gate = changes.iter().filter(|change| belongs_to_gate(change));
            let (accepted, open): (Vec<&Change>, Vec<&Change>) =
                of_this_gate.partition(|change| inputs.accepted.covers(change));
            findings.extend(all_findings(inputs, &open));
            findings.extend(inputs.accepted.faults(changes));
            let faults = findings.iter().filter(|finding| finding.problem.is_error());
            let what = match (faults.count(), accepted.len()) {
                (0, 0) => "no change breaks".to_owned(),
                (0, 1) => "1 accepted change breaks".to_owned(),
                (0, accepted) => format!("{accepted} accepted changes break"),
                (faults, 0) => format!("{}, for", counted(faults, "fault")),
                (faults, accepted) => format!(
                    "{} and {}, for",
                    counted(faults, "fault"),
                    counted(accepted, "accepted change")
                ),
            };
            format!("{what} a client of {}", newest.version)
        }
    };
    let accepted_breaks = &inputs.project.accepted_breaks;
    let is_of_change = |finding: &Finding| level(finding.problem.rule).is_some();
    let fix = match findings.iter().any(is_of_change) {
        true => format!("undo the change, or accept it in {accepted_breaks}"),
        false => "do what the help above says".to_owned(),
    };
    Outcome {
        summary,
        findings,
        fix: Some(fix),
    }
}

/// Whether this gate reports a change: a removal belongs to this gate and to the
/// gate `lifecycle`, other changes of lifecycles to that gate only.
fn belongs_to_gate(change: &Change) -> bool {
    change.level != Level::Info
        && (!lifecycle::is_about_change(change) || lifecycle::is_removal(change))
}

/// Makes the findings of changes. One entry accepts all changes of the same rule and place, such as those of the operations that
/// share a schema, and is printed once.
pub(super) fn all_findings(inputs: &Inputs<'_>, changes: &[&Change]) -> Vec<Finding> {
    let mut entries = BTreeSet::new();
    let findings = changes.iter().map(|change| {
        let is_new = entries.insert((
            change.level == Level::Err,
            accepted::entry(change, inputs.today),
        ));
        finding(inputs, change, is_new)
    });
    findings.collect()
}

/// Makes the finding of a change, with its place in both documents and the entry that
/// would accept it.
fn finding(inputs: &Inputs<'_>, change: &Change, is_first: bool) -> Finding {
    let mut message = match &change.operation {
        Some(operation) => format!("{operation}: {}", change.text),
        None => change.text.clone(),
    };
    if let (Some(_), Some(base)) = (&change.at.revision, &change.at.base) {
        message += &format!(" (was {base})");
    }
    // A removed part has a place in the older document only.
    let at = change.at.revision.as_ref().or(change.at.base.as_ref());
    let at = at.cloned().unwrap_or_else(|| Location::start(&inputs.file));
    Finding::new(match change.level {
        Level::Err => {
            let file = &inputs.project.accepted_breaks;
            let entry = accepted::entry(change, inputs.today);
            let help = match is_first {
                true => format!("undo the change; if it is intended, add to {file}:\n{entry}"),
                false => format!("undo the change; the entry above for {file} accepts it as well"),
            };
            change.problem(Severity::Error, &at, message, help)
        }
        Level::Warn | Level::Info => {
            let help = "make sure that no client relies on the former behaviour";
            change.problem(Severity::Warning, &at, message, help)
        }
    })
}
