//! Generates the client from the output of progenitor, with changes so that it follows the document.
//!
//! [`plan`] decides what each call sends and reads, and [`names`] chooses the names of the types. Constructs at which progenitor
//! would panic are reported as problems first ([`preconditions`]). [`prepare`] writes the schemas and signatures for progenitor,
//! and [`run`] runs it. From its output, [`pass`] keeps the types and reads the signatures. [`pass`] writes everything else:
//! builders, documentation, deprecation, variants for unknown values, and requests. The generated code calls the crate
//! `openapi-dropshot-client`, which contains everything that is the same for all clients.

mod document;
mod names;
mod pass;
mod plan;
mod preconditions;
mod prepare;
mod run;

use crate::{Generated, Options, rules};
use openapi_dropshot_contract::{Problem, model::Document};
use plan::Plan;

/// Generates the files of the client.
///
/// # Errors
///
/// All constructs of the document that progenitor cannot express, each with its place.
pub(crate) fn generate(document: &Document, options: &Options) -> Result<Generated, Vec<Problem>> {
    let renamed = names::without_taken(document);
    let document = renamed.as_ref().unwrap_or(document);
    let mut problems = preconditions::check(document);
    let plan = Plan::of(document);
    let names = names::collect(&plan, &options.renames, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let prepared = prepare::prepare(&plan, &names);
    let generated = run::run(document, &names, &prepared)?;
    pass::apply(&plan, &names, generated, options).map_err(|reason| {
        let message = format!(
            "the client generator does not recognise the code that progenitor generated: {reason}"
        );
        let help = "use the version of progenitor in `Cargo.lock`, and report the document";
        vec![rules::CLIENT_SHAPE.problem(&document.root.at, message, help)]
    })
}

#[cfg(test)]
mod tests;
