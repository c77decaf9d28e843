//! Generates the client from progenitor's output for the document, changed so that it keeps the promises of the
//! document.
//!
//! Everything that progenitor would panic at, drop or misread is reported as a problem first ([`preconditions`],
//! [`names`]) or rewritten in a form that it understands ([`prepare`]). Of its output, the types stay, and [`pass`] adds
//! what progenitor cannot express: deprecation, stability, documentation, unknown later values. Of the requests only the
//! names and signatures are read; their code is written here, as calls of the crate `openapi-dropshot-client`, which has
//! everything that is the same for each client.

mod document;
mod names;
mod pass;
mod preconditions;
mod prepare;
mod run;
mod statuses;

use crate::{File, Generated, Options, render, rules};
use openapi_dropshot_contract::{Problem, model::Document};
use pass::Module;

/// Generates the files of the client.
///
/// # Errors
///
/// Everything in the document that progenitor cannot express, each at its place.
pub(crate) fn generate(document: &Document, options: &Options) -> Result<Generated, Vec<Problem>> {
    let mut problems = preconditions::check(document);
    let names = names::collect(document, &options.renames, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let prepared = prepare::prepare(document, &names);
    let generated = run::run(document, &names, &prepared)?;
    let modules = pass::apply(document, &names, generated, &options.client_crate);
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
