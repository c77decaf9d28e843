//! Gate 4: nothing breaks an existing client, measured against the newest
//! released document. What a break is is left to `openapi_dropshot_contract::diff`, which
//! breaks are meant to `accepted`.

use super::{Finding, Inputs, Outcome, accepted, lifecycle};
use openapi_dropshot_contract::{
    Severity,
    diff::{Change, Level},
};

pub(super) fn run(inputs: &Inputs) -> Outcome {
    let mut findings = inputs.releases.findings.clone();
    let fix = Some(format!(
        "put back what was there, or accept the break in {}",
        accepted::FILE
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
    let of_this_gate = (changes.iter()).filter(|change| is_of_this_gate(change));
    let (accepted, open): (Vec<&Change>, Vec<&Change>) =
        of_this_gate.partition(|change| inputs.accepted.covers(change));
    findings.extend(open.iter().map(|change| finding(inputs, change)));
    findings.extend(inputs.accepted.faults(changes));
    let breaks = findings
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let summary = match breaks.count() {
        0 => format!("nothing breaks a client of {}", newest.version),
        1 => format!("1 fault, for a client of {}", newest.version),
        count => format!("{count} faults, for a client of {}", newest.version),
    };
    let meant = match accepted.len() {
        0 => String::new(),
        count => format!(" ({count} accepted)"),
    };
    Outcome {
        summary: summary + &meant,
        findings,
        fix,
    }
}

/// A removal counts here and for the gate `lifecycle`, everything else about
/// lifecycles there only.
fn is_of_this_gate(change: &Change) -> bool {
    change.level != Level::Info
        && (!lifecycle::is_about_change(change) || lifecycle::is_removal(change))
}

/// A change as a finding, with the entry that would accept it.
pub(super) fn finding(inputs: &Inputs, change: &Change) -> Finding {
    let help = match change.level {
        Level::Err => format!(
            "put back what was there; if the break is meant, add to {}:\n{}",
            accepted::FILE,
            accepted::entry(change, inputs.today)
        ),
        Level::Warn | Level::Info => "make sure that no client relies on what was there".to_owned(),
    };
    Finding::of_change(change, &inputs.file, &help)
}
