//! Generates the client from progenitor's output, changed so that it follows the document.
//!
//! [`plan`] decides what each call sends and reads, and [`names`] the names of the types. Constructs at which progenitor would panic
//! are reported as problems first ([`preconditions`]). [`prepare`] writes the schemas and signatures that progenitor gets, and
//! [`run`] runs it. Of its output, [`pass`] keeps the types and reads the signatures, and writes everything else: builders,
//! documentation, deprecation, unknown later values, and requests, as calls of the crate `openapi-dropshot-client`, which has
//! everything that is the same for each client.

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
/// Everything in the document that progenitor cannot express, each at its place.
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
        let message =
            format!("the client generator does not know the form of the code that progenitor generated: {reason}");
        let help = "use the version of progenitor that `Cargo.lock` names, and report the document";
        vec![rules::CLIENT_SHAPE.problem(&document.root.at, message, help)]
    })
}

#[cfg(test)]
mod tests;
