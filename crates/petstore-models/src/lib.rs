//! The models of the pet store: schemas and parameters, generated from
//! `spec/openapi.yaml`. Every value of these types is valid by the document.

#[rustfmt::skip]
mod generated;

pub use generated::*;
