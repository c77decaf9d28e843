//! Gate `roundtrip`: the generated code means what the document says.

use super::{Inputs, Outcome};
use crate::{counted, roundtrip};
use anyhow::Result;
use openapi_dropshot_contract::{Document, Problem, meaning::Difference, model::Location};
use std::sync::Arc;

pub(super) fn run(inputs: &Inputs<'_>, document: &Document) -> Result<Outcome> {
    let differences = roundtrip::differences_of(inputs.project, &inputs.path)?;
    Ok(outcome(inputs, document, differences))
}

/// The result of the gate for these differences between document and code.
pub(crate) fn outcome(
    inputs: &Inputs<'_>,
    document: &Document,
    differences: Vec<Difference>,
) -> Outcome {
    let (operations, schemas) = (document.operations.len(), document.schemas.len());
    let summary = match differences.len() {
        0 => format!("{operations} operations and {schemas} schemas passed"),
        count => counted(count, "difference"),
    };
    let problems = differences.into_iter().map(|difference| {
        let file = Arc::clone(&inputs.file);
        let at = Location { file, ..difference.at };
        let message = format!("{}: {}", difference.part, difference.message);
        let help = "the service would not do what its document says: repair the generator (openapi-dropshot), or write \
                    this part of the document in another way";
        Problem::error(difference.rule, &at, message, help)
    });
    Outcome {
        summary,
        findings: inputs.findings(problems),
        fix: Some(format!(
            "repair the generator (openapi-dropshot), then: {} && {} {}",
            inputs.project.task("generate"),
            inputs.project.task("roundtrip"),
            inputs.file
        )),
    }
}
