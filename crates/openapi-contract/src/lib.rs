//! Reads an OpenAPI 3.0 document with line and column, and lints it.

pub mod model;
mod problem;
mod syntax;

pub use problem::{Problem, Severity};
