//! Black-box tests of the reader and the linter: small documents with one error each, whole
//! documents, and files that are not OpenAPI documents.

mod support;

mod bytes;
mod corpus;
mod dialect;
mod diff;
mod due;
mod errors;
mod files;
mod forms;
mod golden;

mod lifecycle;
mod meaning;
mod model;
mod normal;
mod operations;
mod paths;
mod project_rules;
mod references;
mod rules;
mod schemas;
mod structure;
mod syntax;
mod values;
mod waiters;
