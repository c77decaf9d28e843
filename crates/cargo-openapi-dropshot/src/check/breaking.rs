//! Gate `breaking`: no change since the newest released document breaks a client,
//! unless `accepted` lists it.

use super::{Finding, Inputs, Outcome, accepted, lifecycle};
use openapi_dropshot_contract::{
    Severity,
    diff::{Change, Level},
};

pub(super) fn run(inputs: &Inputs<'_>) -> Outcome {
    let mut findings = inputs.releases.findings.clone();
    let fix = Some(format!(
        "undo the change, or accept it in {}",
        inputs.project.accepted_breaks
    ));
    let Some(newest) = inputs.newest() else {
        findings.extend(inputs.accepted.findings.iter().cloned());
        return Outcome {
            summary: "nothing is released yet".to_owned(),
            findings,
            fix,
        };
    };
    let Some(changes) = &inputs.changes else {
        return Outcome::without_document(inputs);
    };
    let of_this_gate = (changes.iter()).filter(|change| belongs_to_gate(change));
    let (accepted, open): (Vec<&Change>, Vec<&Change>) =
        of_this_gate.partition(|change| inputs.accepted.covers(change));
    findings.extend(open.iter().map(|change| finding(inputs, change)));
    findings.extend(inputs.accepted.faults(changes));
    let breaks = findings
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let summary = match breaks.count() {
        0 => format!("no change breaks a client of {}", newest.version),
        1 => format!("1 fault, for a client of {}", newest.version),
        count => format!("{count} faults, for a client of {}", newest.version),
    };
    let accepted = match accepted.len() {
        0 => String::new(),
        count => format!(" ({count} accepted)"),
    };
    Outcome {
        summary: summary + &accepted,
        findings,
        fix,
    }
}

/// Whether this gate reports a change: a removal belongs to this gate and to the
/// gate `lifecycle`, other changes of lifecycles to that gate only.
fn belongs_to_gate(change: &Change) -> bool {
    change.level != Level::Info
        && (!lifecycle::is_about_change(change) || lifecycle::is_removal(change))
}

/// The finding of a change, with the entry that would accept it.
pub(super) fn finding(inputs: &Inputs<'_>, change: &Change) -> Finding {
    let help = match change.level {
        Level::Err => format!(
            "undo the change; if it is intended, add to {}:\n{}",
            inputs.project.accepted_breaks,
            accepted::entry(change, inputs.today)
        ),
        Level::Warn | Level::Info => {
            "make sure that no client relies on the former behaviour".to_owned()
        }
    };
    Finding::of_change(change, &inputs.file, &help)
}
