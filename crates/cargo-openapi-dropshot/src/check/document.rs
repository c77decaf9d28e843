//! Gate `document`: the document is valid OpenAPI and follows the project rules, except the rules
//! about deprecation, which belong to the gate `lifecycle`.

use super::{Inputs, Outcome, lifecycle};

pub(super) fn run(inputs: &Inputs<'_>) -> Outcome {
    let problems = match &inputs.document {
        Ok(_) => {
            let mut problems = inputs.lints.clone();
            problems.retain(|problem| !lifecycle::is_about(problem.rule));
            problems
        }
        Err(problems) => problems.problems().to_vec(),
    };
    let findings = inputs.findings(problems);
    let summary = match (&inputs.document, findings.len()) {
        (Err(_), _) => format!("{} is not a usable document", inputs.file),
        (Ok(document), 0) => format!(
            "{} follows all rules: {} operations, {} schemas",
            inputs.file,
            document.operations.len(),
            document.schemas.len()
        ),
        (Ok(_), count) => format!("{} breaks rules: {count}", inputs.file),
    };
    Outcome {
        summary,
        findings,
        fix: Some(inputs.follow_help()),
    }
}
