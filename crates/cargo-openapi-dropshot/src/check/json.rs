//! Prints the gates as one JSON object.

use super::{Gate, State, finding};
use chrono::NaiveDate;
use serde_json::{Value, json};

/// All gates, and whether they passed.
pub(super) fn render(gates: &[Gate], today: NaiveDate) -> Value {
    let gates_of: Vec<Value> = gates.iter().map(gate).collect();
    json!({
        "passed": !gates.iter().any(Gate::has_failed),
        "today": today.to_string(),
        "gates": gates_of,
    })
}

fn gate(gate: &Gate) -> Value {
    let state = match gate.state() {
        State::Passed => "passed",
        State::Warned => "warned",
        State::Failed => "failed",
    };
    let findings = (gate.outcome.findings.iter())
        .map(|found| {
            json!({
                "severity": finding::word(found.severity),
                "rule": found.rule,
                "file": &*found.at.file,
                "line": found.at.line,
                "column": found.at.column,
                "pointer": found.at.pointer,
                "message": found.message,
                "help": found.help,
            })
        })
        .collect::<Vec<Value>>();
    json!({
        "name": gate.name.as_str(),
        "state": state,
        "summary": gate.outcome.summary,
        "seconds": gate.took.as_secs_f64(),
        "fix": gate.outcome.fix,
        "findings": findings,
    })
}
