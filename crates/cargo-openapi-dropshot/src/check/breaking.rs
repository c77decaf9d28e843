//! Gate `breaking`: no change since the newest released document breaks a client,
//! unless `accepted` lists it.

use super::{Finding, Inputs, Outcome, accepted, lifecycle};
use crate::counted;
use openapi_dropshot_contract::{
    Problem,
    diff::{Change, Level},
    model::Location,
};

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
            findings.extend(open.iter().map(|change| finding(inputs, change)));
            findings.extend(inputs.accepted.faults(changes));
            let faults = findings.iter().filter(|finding| finding.problem.is_error());
            let faults = match faults.count() {
                0 => "no change breaks".to_owned(),
                count => format!("{}, for", counted(count, "fault")),
            };
            let summary = format!("{faults} a client of {}", newest.version);
            match accepted.len() {
                0 => summary,
                count => format!("{summary} ({count} accepted)"),
            }
        }
    };
    let accepted_breaks = &inputs.project.accepted_breaks;
    Outcome {
        summary,
        findings,
        fix: Some(format!(
            "undo the change, or accept it in {accepted_breaks}"
        )),
    }
}

/// Whether this gate reports a change: a removal belongs to this gate and to the
/// gate `lifecycle`, other changes of lifecycles to that gate only.
fn belongs_to_gate(change: &Change) -> bool {
    change.level != Level::Info
        && (!lifecycle::is_about_change(change) || lifecycle::is_removal(change))
}

/// Makes the finding of a change, with its place in both documents and the entry that
/// would accept it.
pub(super) fn finding(inputs: &Inputs<'_>, change: &Change) -> Finding {
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
            let help = format!("undo the change; if it is intended, add to {file}:\n{entry}");
            Problem::error(change.id, &at, message, help)
        }
        Level::Warn | Level::Info => {
            let help = "make sure that no client relies on the former behaviour";
            Problem::warning(change.id, &at, message, help)
        }
    })
}
