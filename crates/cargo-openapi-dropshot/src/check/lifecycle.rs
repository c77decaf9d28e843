//! Gate `lifecycle`: deprecations, sunsets and stability levels keep their rules on
//! the day for which the gates run.

use super::{Finding, Inputs, Outcome, breaking};
use crate::Project;
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

/// Whether a change belongs to the gate: it changes a sunset or a stability level,
/// or removes an operation.
pub(super) fn is_about_change(change: &Change) -> bool {
    change.id.contains("sunset") || change.id.contains("stability") || is_removal(change)
}

/// Whether an operation was removed.
pub(super) fn is_removal(change: &Change) -> bool {
    change.id.starts_with("api-removed-") || change.id.starts_with("api-path-removed-")
}

pub(super) fn run(inputs: &Inputs<'_>) -> Outcome {
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
        due.iter().map(|due| {
            Finding::of_problem(due_sunset(inputs.project, document, due), &inputs.text)
        }),
    );
    let deprecated = (document.operations.iter()).filter(|operation| operation.deprecated);
    let summary = format!("on {}, {} deprecated: ", inputs.today, deprecated.count());
    let summary = match findings.len() {
        0 => summary + "no finding",
        1 => summary + "1 finding",
        count => summary + &format!("{count} findings"),
    };
    Outcome {
        summary,
        findings,
        fix: Some(format!(
            "follow the help in {}, then: {}",
            inputs.file,
            inputs.project.task("generate")
        )),
    }
}

/// The problem of a sunset that is near or has passed, at its line.
fn due_sunset(project: &Project, document: &Document, due: &Due) -> Problem {
    let id = due.id.as_deref().unwrap_or(&due.operation);
    let operation = (document.operations.iter()).find(|operation| {
        due.at
            .pointer
            .starts_with(&format!("{}/", operation.at.pointer))
    });
    if due.is_overdue() {
        let help = format!(
            "remove `{}` from the document, run `{}`, and follow the compiler to the code that implements \
             or calls `{id}`; or write a later day in `x-sunset`",
            due.operation,
            project.task("generate")
        );
        let problem = Problem::error("sunset-passed", &due.at, &due.text, help);
        match operation {
            Some(operation) => problem.with_related(&operation.at, "the operation to remove"),
            None => problem,
        }
    } else {
        let help = match &project.usage_command {
            Some(command) => format!(
                "`{command}` lists who still calls this operation; tell them when it will be removed"
            ),
            None => "tell those who still call this operation when it will be removed".to_owned(),
        };
        Problem::warning("sunset-near", &due.at, &due.text, help)
    }
}
