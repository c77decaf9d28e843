//! Gate `roundtrip`: the generated code means what the document says.

use super::{Finding, Inputs, Outcome};
use crate::roundtrip;
use anyhow::Result;
use openapi_dropshot_contract::{Document, Problem, meaning::Difference, model::Location};
use std::sync::Arc;

pub(super) fn run(inputs: &Inputs<'_>) -> Result<Outcome> {
    let Some(document) = inputs.document() else {
        return Ok(Outcome::without_document(inputs));
    };
    let differences = roundtrip::differences_of(inputs.project, &inputs.path)?;
    Ok(outcome(inputs, document, differences))
}

/// The result of the gate for these differences between document and code.
pub(crate) fn outcome(
    inputs: &Inputs<'_>,
    document: &Document,
    differences: Vec<Difference>,
) -> Outcome {
    let findings: Vec<Finding> = differences
        .into_iter()
        .map(|difference| finding(inputs, difference))
        .collect();
    let summary = match findings.len() {
        0 => format!(
            "{} operations and {} schemas passed",
            document.operations.len(),
            document.schemas.len()
        ),
        1 => "1 difference".to_owned(),
        count => format!("{count} differences"),
    };
    Outcome {
        summary,
        findings,
        fix: Some(format!(
            "repair the generator (openapi-dropshot), then: {} && {} {}",
            inputs.project.task("generate"),
            inputs.project.task("roundtrip"),
            inputs.file
        )),
    }
}

fn finding(inputs: &Inputs<'_>, difference: Difference) -> Finding {
    let at = Location {
        file: Arc::clone(&inputs.file),
        ..difference.at
    };
    let message = format!("{}: {}", difference.part, difference.message);
    let help = "the service would not do what its document says: repair the generator (openapi-dropshot), or write \
                this part of the document in another way";
    Finding::of_problem(
        Problem::error(difference.rule, &at, message, help),
        &inputs.text,
    )
}
