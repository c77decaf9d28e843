//! Keeps the OpenAPI document of a service, the code generated from it and its
//! released versions in agreement.
//!
//! Each module is one task: [`generate`] writes the generated code, [`check`]
//! runs all gates, [`diff`] compares two documents, [`release`] freezes the
//! document as a release, and [`roundtrip`] shows that generated code means what
//! its document says. A task takes a [`Project`], which says where the files of
//! the project are, and its own `Options`, which `clap` reads from a command line.
//!
//! The tasks depend on no generated code, so that broken output can always be
//! generated again.

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod check;
pub mod diff;
pub mod generate;
mod project;
pub mod release;
pub mod roundtrip;

pub use project::{Output, Project};

/// Prints an error with its causes on standard error, as all tasks do.
pub fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}
