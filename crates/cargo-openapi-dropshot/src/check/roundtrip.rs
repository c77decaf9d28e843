//! Gate `roundtrip`: the generated code behaves as the document says.

use super::{Inputs, Outcome};
use crate::{counted, roundtrip};
use anyhow::Result;
use openapi_dropshot_contract::{Document, Problem};
use std::sync::Arc;

pub(super) fn run(inputs: &Inputs<'_>, document: &Document) -> Result<Outcome> {
    let problems = roundtrip::problems_of(inputs.project, &inputs.path)?;
    Ok(outcome(inputs, document, problems))
}

/// Returns the result of the gate for these problems of the document and its code.
pub(crate) fn outcome(
    inputs: &Inputs<'_>,
    document: &Document,
    mut problems: Vec<Problem>,
) -> Outcome {
    let (operations, schemas) = (document.operations.len(), document.schemas.len());
    let summary = match problems.len() {
        0 => format!("{operations} operations and {schemas} schemas passed"),
        count => counted(count, "difference"),
    };
    for problem in &mut problems {
        problem.at.file = Arc::clone(&inputs.file);
    }
    Outcome {
        summary,
        findings: inputs.findings(problems),
        fix: Some(format!(
            "report this bug in the generator; until it is fixed, write this part of the document differently, then: {} && {} {}",
            inputs.project.task("generate"),
            inputs.project.task("roundtrip"),
            inputs.file
        )),
    }
}
