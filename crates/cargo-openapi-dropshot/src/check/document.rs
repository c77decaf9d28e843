//! Gate `document`: the document is valid OpenAPI 3.0 and keeps the project rules,
//! except those about deprecation, which belong to the gate `lifecycle`.

use super::{Finding, Inputs, Outcome, lifecycle};

pub(super) fn run(inputs: &Inputs<'_>) -> Outcome {
    let problems = match &inputs.document {
        Ok(_) => (inputs.lints.iter())
            .filter(|problem| !lifecycle::is_about(problem.rule))
            .cloned()
            .collect(),
        Err(problems) => problems.problems().to_vec(),
    };
    let findings: Vec<Finding> = problems
        .into_iter()
        .map(|problem| Finding::of_problem(problem, &inputs.text))
        .collect();
    let summary = match (&inputs.document, findings.len()) {
        (Err(_), _) => format!("{} is not a usable document", inputs.file),
        (Ok(document), 0) => format!(
            "{} keeps all rules: {} operations, {} schemas",
            inputs.file,
            document.operations.len(),
            document.schemas.len()
        ),
        (Ok(_), count) => format!("{} breaks rules: {count}", inputs.file),
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
