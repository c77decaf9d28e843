//! Tests of the generated client: its requests, its errors with the codes of the document, and the warnings of the
//! compiler. `openapi-dropshot-client` has the tests of retries, pages, blocking calls and log lines.

mod applications;
mod compiler;
mod deprecation;
mod errors;
mod examples;
mod mistakes;
mod mock;
mod models;
mod requests;
mod service;
