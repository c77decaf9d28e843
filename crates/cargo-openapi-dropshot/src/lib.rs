//! Checks that the OpenAPI document of a service, the code generated from it and its released versions agree.
//!
//! Each module is one task: [`generate`] writes the generated code, [`check`] runs all gates, [`diff`] compares two
//! documents, [`release`] freezes the document as a release, [`roundtrip`] checks that generated code behaves as its
//! document says, [`explain`] describes a rule, and [`init`] creates a new service. A task takes [`Project`]s, which a
//! [`Configuration`] reads from the file `openapi-dropshot.toml` of a repository, and its own `Options`, which `clap`
//! parses from the command line. [`cli`] is the command line of `cargo openapi-dropshot`.
//!
//! The tasks do not depend on generated code, so that broken generated code can always be generated again.

/// Compiles the example of the README.
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

use std::collections::BTreeMap;

/// Prints an error with its causes on standard error, in the same format for all tasks.
pub fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}

/// Returns a number with a noun, such as `1 error` or `2 errors`.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Counts how often each element occurs.
fn frequencies<T: Ord>(elements: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut frequencies = BTreeMap::new();
    for element in elements {
        *frequencies.entry(element).or_default() += 1;
    }
    frequencies
}
