//! The data of the pet store: schemas and parameters, generated from
//! `spec/openapi.yaml`. Every value of these types keeps the rules of the document.

#[rustfmt::skip]
mod generated;

pub use generated::*;
