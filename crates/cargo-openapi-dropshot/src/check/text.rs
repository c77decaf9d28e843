//! Prints the gates as text: one line for each, then the findings with the command
//! that repairs them.

use super::{Gate, State};

/// The line of a gate, with the time it took.
pub(super) fn line(gate: &Gate) -> String {
    let state = match gate.state() {
        State::Passed => "ok",
        State::Warned => "warning",
        State::Failed => "FAILED",
    };
    let seconds = format!("{:.2} s", gate.took.as_secs_f64());
    format!(
        "{:<10} {state:<8} {seconds:>8}  {}",
        gate.name.as_str(),
        gate.outcome.summary
    )
}

/// The findings of the gates, and a last line with the result.
pub(super) fn details(gates: &[Gate]) -> String {
    let mut text = String::new();
    for gate in gates
        .iter()
        .filter(|gate| !gate.outcome.findings.is_empty())
    {
        text.push_str(&format!("\n{}:\n", gate.name.as_str()));
        for finding in &gate.outcome.findings {
            text.push_str(&format!("{}\n\n", finding.rendered));
        }
        if let (true, Some(fix)) = (gate.has_failed(), &gate.outcome.fix) {
            text.push_str(&format!("fix: {fix}\n"));
        }
    }
    let failed: Vec<&str> = (gates.iter())
        .filter(|gate| gate.has_failed())
        .map(|gate| gate.name.as_str())
        .collect();
    if failed.is_empty() {
        let all = match gates.len() {
            1 => "the gate is green".to_owned(),
            count => format!("all {count} gates are green"),
        };
        text.push_str(&format!("\n{all}\n"));
    } else {
        text.push_str(&format!(
            "\n{} of {} gates failed: {}\n",
            failed.len(),
            gates.len(),
            failed.join(", ")
        ));
    }
    text
}
