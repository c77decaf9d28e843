//! Gate `breaking`: no change since the newest released document breaks a client, except changes
//! that `accepted` lists.

use super::{
    Inputs, Outcome,
    changes::{all_findings, is_about_lifecycle, is_removal},
};
use crate::counted;
use crate::repository::{Finding, frozen};
use anyhow::Result;
use openapi_dropshot_contract::{
    diff::{Change, Level, level},
    model::Location,
};

pub(super) fn run(inputs: &Inputs<'_>) -> Result<Outcome> {
    let mut findings = inputs.releases.findings.clone();
    let (documents, since) = (&inputs.releases.texts, inputs.since.as_deref());
    let lost = frozen::findings_since(inputs.project, documents, since)?;
    let known: Vec<Location> = (findings.iter())
        .map(|finding| finding.problem.at.clone())
        .collect();
    findings.extend((lost.into_iter()).filter(|lost| !known.contains(&lost.problem.at)));
    let summary = match (inputs.newest(), &inputs.changes) {
        (None, _) => {
            findings.extend(inputs.accepted.findings.iter().cloned());
            "nothing is released yet".to_owned()
        }
        (Some(_), None) => return Ok(Outcome::without_document(inputs)),
        (Some(newest), Some(changes)) => {
            let of_this_gate = changes.iter().filter(|change| belongs_to_gate(change));
            let (accepted, open): (Vec<&Change>, Vec<&Change>) =
                of_this_gate.partition(|change| inputs.accepted.covers(change));
            findings.extend(all_findings(inputs, &open));
            findings.extend(inputs.accepted.faults(changes));
            let errors = findings.iter().filter(|finding| finding.problem.is_error());
            let what = match (errors.count(), accepted.len()) {
                (0, 0) => "no change breaks".to_owned(),
                (0, 1) => "1 accepted change breaks".to_owned(),
                (0, accepted) => format!("{accepted} accepted changes break"),
                (errors, 0) => format!("{}, for", counted(errors, "error")),
                (errors, accepted) => format!(
                    "{} and {}, for",
                    counted(errors, "error"),
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
        false => "follow the help above".to_owned(),
    };
    Ok(Outcome {
        summary,
        findings,
        fix: Some(fix),
    })
}

/// Whether this gate reports a change. Removals are reported by this gate and by the gate
/// `lifecycle`; other changes of a lifecycle only by that gate.
fn belongs_to_gate(change: &Change) -> bool {
    change.level != Level::Info && (!is_about_lifecycle(change) || is_removal(change))
}
