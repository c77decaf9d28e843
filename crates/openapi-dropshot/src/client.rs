//! Generates the client from progenitor's output for the document, changed so that it keeps the promises of the
//! document.
//!
//! [`plan`] says what each call sends and reads, and [`names`] how the types are called. Everything that progenitor would panic
//! at is reported as a problem first ([`preconditions`]). [`prepare`] writes the schemas and signatures that progenitor gets, and
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

use crate::{File, Generated, Options, render, rules};
use openapi_dropshot_contract::{Problem, model::Document};
use pass::Module;
use plan::Plan;

/// Generates the files of the client.
///
/// # Errors
///
/// Everything in the document that progenitor cannot express, each at its place.
pub(crate) fn generate(document: &Document, options: &Options) -> Result<Generated, Vec<Problem>> {
    let mut problems = preconditions::check(document);
    let plan = Plan::of(document);
    let names = names::collect(&plan, &options.renames, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let prepared = prepare::prepare(&plan, &names);
    let generated = run::run(document, &names, &prepared)?;
    let modules = pass::apply(&plan, &names, generated, &options.client_crate);
    modules
        .and_then(|(modules, calls)| {
            let files = files(modules, options).map_err(|error| error.to_string())?;
            Ok(Generated {
                files,
                client: calls,
                ..Generated::default()
            })
        })
        .map_err(|reason| {
            vec![rules::CLIENT_SHAPE.problem(
                &document.root.at,
                format!(
                    "the client generator does not know the code that progenitor made: {reason}"
                ),
                "use the version of progenitor that `Cargo.lock` names, and report the document",
            )]
        })
}

fn files(modules: Vec<Module>, options: &Options) -> syn::Result<Vec<File>> {
    let mut files = Vec::new();
    for Module { name, about, code } in modules {
        let about: Vec<&str> = about.iter().flat_map(|about| ["", about]).collect();
        files.push(File {
            path: Options::path(&options.client, &name),
            text: render::file(&options.first_line(), &about, code)?,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[cfg(test)]
mod tests;
