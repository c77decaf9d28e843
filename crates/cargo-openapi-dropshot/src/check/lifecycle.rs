//! Gate `lifecycle`: deprecations, sunsets and stability levels follow their rules on the given day.

use super::{
    Inputs, Outcome,
    changes::{all_findings, is_about_lifecycle, is_removal},
};
use crate::{
    Project, counted,
    repository::Finding,
    rules::{SUNSET_NEAR, SUNSET_PASSED},
};
use openapi_dropshot_contract::{
    Document, Problem,
    diff::{Change, Level},
    lifecycle::{Due, due},
    model::Location,
    rules::document::{INCOMPLETE_DEPRECATION, LIFECYCLE, NOT_DEPRECATED, UNKNOWN_REPLACEMENT},
};

/// Whether a rule for one document belongs to this gate, because it is about deprecation.
pub(super) fn is_about(rule: &str) -> bool {
    let own = [
        &INCOMPLETE_DEPRECATION,
        &LIFECYCLE,
        &NOT_DEPRECATED,
        &UNKNOWN_REPLACEMENT,
    ];
    own.iter().any(|own| own.id == rule)
}

pub(super) fn run(inputs: &Inputs<'_>, document: &Document) -> Outcome {
    let lints = inputs.lints.iter().filter(|problem| is_about(problem.rule));
    let mut findings = inputs.findings(lints.cloned());
    let changes = inputs.changes.iter().flatten().filter(|change| {
        let matters = change.level != Level::Info && is_about_lifecycle(change);
        matters && !inputs.accepted.covers(change)
    });
    let changes: Vec<&Change> = changes.collect();
    findings.extend(all_findings(inputs, &changes));
    if let Some(usage) = &inputs.usage {
        let changes = inputs.changes.iter().flatten();
        let removals = changes.filter(|change| is_removal(change));
        let problem = |change: &Change| usage.problem(change, &inputs.file, inputs.today);
        findings.extend(removals.filter_map(problem).map(Finding::new));
    }
    let due = due(document, inputs.today);
    let due = due
        .iter()
        .map(|due| due_sunset(inputs.project, document, due));
    findings.extend(inputs.findings(due));
    let operations = document.operations.iter();
    let deprecated = operations.filter(|own| own.deprecated).count();
    let count = match findings.len() {
        0 => "no finding".to_owned(),
        count => counted(count, "finding"),
    };
    Outcome {
        summary: format!("on {}, {deprecated} deprecated: {count}", inputs.today),
        findings,
        fix: Some(inputs.follow_help()),
    }
}

/// The problem of a sunset that is near or has passed, at the line of the sunset.
fn due_sunset(project: &Project, document: &Document, due: &Due) -> Problem {
    if !due.is_overdue() {
        let help = match &project.usage_command {
            Some(command) => format!(
                "`{command}` lists the clients that still call this operation; tell them when it will be removed"
            ),
            None => {
                "tell the clients that still call this operation when it will be removed".to_owned()
            }
        };
        return SUNSET_NEAR.problem(&due.at, &due.text, help);
    }
    let id = due.id.as_deref().unwrap_or(&due.operation);
    let then = match project.output {
        Some(_) => format!(
            "run `{}`, and let compiler errors lead you to the code that implements or calls `{id}`",
            project.task("generate")
        ),
        None => format!("and remove the code that implements `{id}`"),
    };
    let help = format!(
        "remove `{}` from the document, {then}; or write a later day in `x-sunset`",
        due.operation
    );
    let problem = SUNSET_PASSED.problem(&due.at, &due.text, help);
    let contains = |at: &Location| due.at.pointer.starts_with(&format!("{}/", at.pointer));
    let mut operations = document.operations.iter().map(|operation| &operation.at);
    match operations.find(|at| contains(at)) {
        Some(at) => problem.with_related(at, "the operation to remove"),
        None => problem,
    }
}
