//! Prints the gates: as text, as one JSON object, and as workflow commands of GitHub
//! Actions, which shows each finding beside its line
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use super::{Gate, finding::severity};
use crate::diff;
use chrono::NaiveDate;
use openapi_dropshot_contract::Severity;
use serde_json::{Value, json};

/// Returns the line of a gate, with the time it took.
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

/// Returns the findings of the gates with the commands that repair them, and a last
/// line with the result.
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
    text + &match (failed.len(), gates.len()) {
        (0, 1) => "\nthe gate is green\n".to_owned(),
        (0, count) => format!("\nall {count} gates are green\n"),
        (failures, count) => {
            let failed = failed.join(", ");
            format!("\n{failures} of {count} gates failed: {failed}\n")
        }
    }
}

/// All gates as JSON, and whether they passed.
pub(super) fn json(gates: &[Gate], today: NaiveDate) -> Value {
    let of_gate = |gate: &Gate| {
        let state = match gate.severity() {
            None => "passed",
            Some(Severity::Warning) => "warned",
            Some(Severity::Error) => "failed",
        };
        let findings = gate.outcome.findings.iter().map(|finding| {
            let problem = &finding.problem;
            let mut json = diff::place(&problem.at);
            json["severity"] = severity(problem).into();
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
    };
    json!({
        "passed": !gates.iter().any(Gate::has_failed),
        "today": today.to_string(),
        "gates": gates.iter().map(of_gate).collect::<Vec<_>>(),
    })
}

/// A workflow command for each finding.
pub(super) fn annotations(gates: &[Gate]) -> String {
    // `data` is the text after the second `::`; a comma or a colon would end a property.
    let data = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut lines = String::new();
    for gate in gates {
        for finding in &gate.outcome.findings {
            let problem = &finding.problem;
            let mut message = format!("{}; {}", problem.message, problem.help);
            if let Some(fix) = &gate.outcome.fix {
                message += &format!("\nfix: {fix}");
            }
            lines += &format!(
                "::{} file={},line={},col={},title={}::{}\n",
                severity(problem),
                property(&problem.at.file),
                problem.at.line,
                problem.at.column,
                property(&format!("{} ({})", gate.name, problem.rule)),
                data(&message),
            );
        }
    }
    lines
}
