//! Gate 5: deprecations, sunsets and stability keep their promises, on the day
//! on which the gates are run. The rules of one document are left to
//! `openapi_dropshot_contract::lint`, those of two to its `diff`, and what is due to its
//! `lifecycle`.

use super::{Finding, Inputs, Outcome, breaking};
use openapi_dropshot_contract::{
    Document, Problem,
    diff::{Change, Level},
    lifecycle::{Due, due},
};

/// The rules of one document that are about deprecation.
const RULES: &[&str] = &[
    "incomplete-deprecation",
    "lifecycle",
    "not-deprecated",
    "unknown-replacement",
];

/// Whether a rule of one document belongs to this gate.
pub(super) fn is_about(rule: &str) -> bool {
    RULES.contains(&rule)
}

/// Whether a change is about what was promised for later.
pub(super) fn is_about_change(change: &Change) -> bool {
    change.id.contains("sunset") || change.id.contains("stability") || is_removal(change)
}

/// Whether an operation was removed.
pub(super) fn is_removal(change: &Change) -> bool {
    change.id.starts_with("api-removed-") || change.id.starts_with("api-path-removed-")
}

pub(super) fn run(inputs: &Inputs) -> Outcome {
    let Some(document) = inputs.document() else {
        return Outcome::without_document(inputs);
    };
    let mut findings: Vec<Finding> = (inputs.lints.iter())
        .filter(|problem| is_about(problem.rule))
        .map(|problem| Finding::of_problem(problem.clone(), &inputs.text))
        .collect();
    let changes = inputs.changes.as_deref().unwrap_or_default();
    findings.extend(
        (changes.iter())
            .filter(|change| change.level != Level::Info && is_about_change(change))
            .filter(|change| !inputs.accepted.covers(change))
            .map(|change| breaking::finding(inputs, change)),
    );
    let due = due(document, inputs.today);
    findings.extend(
        due.iter()
            .map(|due| Finding::of_problem(problem(document, due), &inputs.text)),
    );
    let deprecated = (document.operations.iter()).filter(|operation| operation.deprecated);
    let summary = format!("on {}, {} deprecated: ", inputs.today, deprecated.count());
    let summary = match findings.len() {
        0 => summary + "every promise is kept",
        1 => summary + "1 thing to look at",
        count => summary + &format!("{count} things to look at"),
    };
    Outcome {
        summary,
        findings,
        fix: Some(format!(
            "write what the help says into {}, then: cargo xtask generate",
            inputs.file
        )),
    }
}

/// A sunset that is near or here, at its line.
fn problem(document: &Document, due: &Due) -> Problem {
    let id = due.id.as_deref().unwrap_or(&due.operation);
    let operation = (document.operations.iter()).find(|operation| {
        due.at
            .pointer
            .starts_with(&format!("{}/", operation.at.pointer))
    });
    if due.is_overdue() {
        let help = format!(
            "take `{}` out of the document, run `cargo xtask generate`, and follow the compiler to what implements \
             and calls `{id}`; or promise a later day in `x-sunset`",
            due.operation
        );
        let problem = Problem::error("sunset-passed", &due.at, &due.text, help);
        match operation {
            Some(operation) => problem.with_related(&operation.at, "what has to go"),
            None => problem,
        }
    } else {
        let help =
            "`petstore-server usage` lists the keys that still call it; write to their owners";
        Problem::warning("sunset-near", &due.at, &due.text, help)
    }
}
