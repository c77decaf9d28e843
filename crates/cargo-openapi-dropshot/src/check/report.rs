//! Prints the results of the gates: as text, as one JSON object, and as entries for other formats.

use super::outcome::Gate;
use crate::output::{Entry, place};
use chrono::NaiveDate;
use openapi_dropshot_contract::Severity;
use serde_json::{Value, json};

/// Returns the line for a gate, with its duration.
pub(super) fn line(gate: &Gate) -> String {
    let state = match gate.severity() {
        None => "ok",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error) => "FAILED",
    };
    let seconds = format!("{:.2} s", gate.took.as_secs_f64());
    let (name, summary) = (&gate.name, &gate.outcome.summary);
    format!("{name:<10} {state:<8} {seconds:>8}  {summary}")
}

/// Returns the findings of the gates with the commands that fix them, followed by a line with the
/// result.
pub(super) fn details(gates: &[Gate]) -> String {
    let mut text = String::new();
    for gate in gates {
        if gate.outcome.findings.is_empty() {
            continue;
        }
        text += &format!("\n{}:\n", gate.name);
        for finding in &gate.outcome.findings {
            text += &format!("{}\n\n", finding.rendered);
        }
        if let (true, Some(fix)) = (gate.has_failed(), &gate.outcome.fix) {
            text += &format!("fix: {fix}\n");
        }
    }
    let failed = gates.iter().filter(|gate| gate.has_failed());
    let failed: Vec<&str> = failed.map(|gate| gate.name.as_str()).collect();
    let has_warned = |gate: &&Gate| gate.severity() == Some(Severity::Warning);
    let warned = gates.iter().filter(has_warned);
    let warned: Vec<&str> = warned.map(|gate| gate.name.as_str()).collect();
    text + &match (failed.len(), gates.len()) {
        (0, 1) if warned.is_empty() => "\nthe gate is green\n".to_owned(),
        (0, 1) => "\nthe gate passed with a warning\n".to_owned(),
        (0, count) if warned.is_empty() => format!("\nall {count} gates are green\n"),
        (0, count) => {
            let (warnings, names) = (warned.len(), warned.join(", "));
            format!("\nno gate failed; {warnings} of {count} warned: {names}\n")
        }
        (failures, count) => {
            let failed = failed.join(", ");
            format!("\n{failures} of {count} gates failed: {failed}\n")
        }
    }
}

/// The gates of one document.
pub(super) struct Report {
    /// The name of the document.
    pub(super) document: String,
    pub(super) gates: Vec<Gate>,
}

/// Returns all gates as JSON, and whether they passed. If there are several documents, their gates
/// are in `documents`.
pub(super) fn json(reports: &[Report], today: NaiveDate) -> Value {
    let has_passed = |report: &Report| !report.gates.iter().any(Gate::has_failed);
    let gates = |report: &Report| report.gates.iter().map(of_gate).collect::<Vec<_>>();
    let mut json = json!({
        "passed": reports.iter().all(has_passed),
        "today": today.to_string(),
    });
    match reports {
        [only] => json["gates"] = gates(only).into(),
        several => {
            let documents = several.iter().map(|report| {
                json!({
                    "name": report.document,
                    "passed": has_passed(report),
                    "gates": gates(report),
                })
            });
            json["documents"] = documents.collect();
        }
    }
    json
}

fn of_gate(gate: &Gate) -> Value {
    let state = match gate.severity() {
        None => "passed",
        Some(Severity::Warning) => "warned",
        Some(Severity::Error) => "failed",
    };
    let findings = gate.outcome.findings.iter().map(|finding| {
        let problem = &finding.problem;
        let mut json = place(&problem.at);
        json["severity"] = problem.severity.word().into();
        json["rule"] = problem.rule.into();
        json["message"] = problem.message.as_str().into();
        json["help"] = problem.help.as_str().into();
        json
    });
    json!({
        "name": gate.name,
        "state": state,
        "summary": gate.outcome.summary,
        "seconds": gate.took.as_secs_f64(),
        "fix": gate.outcome.fix,
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// Returns the findings of all gates for other output formats.
pub(super) fn entries(reports: &[Report]) -> Vec<Entry> {
    let gates = reports.iter().flat_map(|report| &report.gates);
    let entries = gates.flat_map(|gate| {
        gate.outcome.findings.iter().map(|finding| {
            let problem = &finding.problem;
            let mut message = format!("{}; {}", problem.message, problem.help);
            if let Some(fix) = &gate.outcome.fix {
                message += &format!("\nfix: {fix}");
            }
            Entry {
                severity: Some(problem.severity),
                rule: problem.rule,
                title: format!("{} ({})", gate.name, problem.rule),
                at: problem.at.clone(),
                message,
            }
        })
    });
    entries.collect()
}
