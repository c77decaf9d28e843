//! Gate 3: the generated code means what the document says. What that takes,
//! and what is accepted all the same, is left to `crate::roundtrip`.

#[cfg(test)]
mod tests;

use super::{Finding, Inputs, Outcome};
use crate::roundtrip;
use anyhow::Result;
use openapi_dropshot_contract::{Document, Problem, meaning::Difference, model::Location};
use std::sync::Arc;

pub(super) fn run(inputs: &Inputs) -> Result<Outcome> {
    let Some(document) = inputs.document() else {
        return Ok(Outcome::without_document(inputs));
    };
    let differences = roundtrip::contract(&inputs.root, &inputs.path)?;
    Ok(judged(inputs, document, differences))
}

/// What the differences between the document and its code mean for the gate.
fn judged(inputs: &Inputs, document: &Document, differences: Vec<Difference>) -> Outcome {
    let findings: Vec<Finding> = differences
        .into_iter()
        .map(|difference| finding(inputs, difference))
        .collect();
    let summary = match findings.len() {
        0 => format!(
            "{} operations and {} schemas came through",
            document.operations.len(),
            document.schemas.len()
        ),
        1 => "1 difference".to_owned(),
        count => format!("{count} differences"),
    };
    Outcome {
        summary,
        findings,
        fix: Some(
            "mend the generator (crates/openapi-dropshot), then: cargo xtask generate && cargo xtask roundtrip \
             spec/openapi.yaml"
                .to_owned(),
        ),
    }
}

fn finding(inputs: &Inputs, difference: Difference) -> Finding {
    let at = Location {
        file: Arc::clone(&inputs.file),
        ..difference.at
    };
    let message = format!("{}: {}", difference.part, difference.message);
    let help = "the service would not do what its document says: mend the generator, or say it in a way that comes \
                through; what is equal all the same goes into xtask/src/roundtrip/accepted.rs, with a reason";
    Finding::of_problem(
        Problem::error(difference.rule, &at, message, help),
        &inputs.text,
    )
}
