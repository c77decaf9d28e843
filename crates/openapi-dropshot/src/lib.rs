//! Turns an OpenAPI 3.0 document into Rust: models, a dropshot API trait with
//! its dispatch, and a progenitor client.
//!
//! [`generate`] is a pure function: the same document and [`Options`] give the
//! same bytes on every machine. It rejects what it cannot express, and says where
//! that stands and what to write instead; it drops nothing silently.
//! `openapi-dropshot-contract` reads and lints documents: [`generate`] reports the
//! errors of its linter, too. The caller writes the files.

// The rules are in clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod api;
mod client;
mod docs;
mod lifecycle;
mod models;
mod names;
mod options;
mod plan;
mod probe;
mod render;

pub use options::Options;
pub use probe::{ProbeError, probe};

use openapi_dropshot_contract::{Problem, model::Document};

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path of the file, relative to the root of the workspace.
    pub path: String,
    /// The content of the file.
    pub text: String,
}

/// Generates all files for a document, sorted by path.
///
/// # Errors
///
/// The errors that the linter finds, and all constructs that the generator does not support.
pub fn generate(document: &Document, options: &Options) -> Result<Vec<File>, Vec<Problem>> {
    let server = generate_service(document, options);
    let client = client::generate(document, options);
    match (server, client) {
        (Ok(mut files), Ok(client)) => {
            files.extend(client);
            files.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(files)
        }
        (server, client) => {
            let mut problems: Vec<Problem> = server
                .err()
                .into_iter()
                .chain(client.err())
                .flatten()
                .collect();
            problems.sort_by(|a, b| a.at.cmp(&b.at));
            // Service and client may reject the same thing at the same place.
            problems.dedup_by(|a, b| a.rule == b.rule && a.at == b.at);
            Err(problems)
        }
    }
}

/// Generates the client only.
///
/// # Errors
///
/// All constructs of the document that the client does not support.
pub fn generate_client(document: &Document, options: &Options) -> Result<Vec<File>, Vec<Problem>> {
    client::generate(document, options)
}

/// Generates models and API only: what a service needs.
///
/// # Errors
///
/// As [`generate`], without what only the client does not support.
pub fn generate_service(document: &Document, options: &Options) -> Result<Vec<File>, Vec<Problem>> {
    let plan = plan::plan(document)?;
    let written = models::files(&plan, options).and_then(|mut files| {
        files.extend(api::files(document, &plan, options)?);
        Ok(files)
    });
    written.map_err(|error| {
        let message = format!("the generator wrote text that is not valid Rust: {error}");
        let help =
            "this is a fault of the generator, or of a name in its options; please report it";
        vec![Problem::error(
            "generator-fault",
            &document.root.at,
            message,
            help,
        )]
    })
}
