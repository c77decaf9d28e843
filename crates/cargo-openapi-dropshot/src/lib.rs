//! Checks that the OpenAPI document of a service, the code generated from it and its released versions agree.
//!
//! Each module is one task: [`generate`] writes the generated code, [`check`]
//! runs all gates, [`diff`] compares two documents, [`release`] freezes the
//! document as a release, [`roundtrip`] shows that generated code means what
//! its document says, and [`explain`] describes a rule. [`init`] writes a new service. A task takes [`Project`]s, which a
//! [`Configuration`] reads from the file `openapi-dropshot.toml` of a repository, and its own
//! `Options`, which `clap` reads from a command line. [`cli`] is the command
//! `cargo openapi-dropshot`.
//!
//! The tasks depend on no generated code, so that broken output can always be
//! generated again.

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[macro_use]
mod printing;

pub mod check;
pub mod cli;
mod configuration;
pub mod diff;
pub mod explain;
mod files;
mod fix;
pub mod generate;
pub mod init;
mod output;
mod project;
pub mod release;
mod renames;
mod repository;
mod revision;
pub mod roundtrip;
mod rules;
mod settings;
mod skip;
mod supported;

pub use configuration::{Configuration, FILE};
pub use project::{Output, Project, Severities};
pub use settings::json_schema;

use openapi_dropshot_contract::model::{Location, Operation};

/// Prints an error with its causes on standard error, as all tasks do.
pub fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}

/// Converts a byte offset of a text to a place.
fn location(file: &str, text: &str, offset: usize) -> Location {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Location {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        ..Location::start(file)
    }
}

/// Returns a number with a noun, such as `1 error` or `2 errors`.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns the name of an operation, such as `GET /things`.
fn name_of(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path.value)
}
