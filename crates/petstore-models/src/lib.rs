//! The data of the pet store service: schemas and parameters as its document
//! `spec/openapi.yaml` has them. A value of one of these types keeps the rules
//! of the document by construction; what HTTP does with it is left to
//! `petstore-api`.

#[rustfmt::skip]
mod generated;

pub use generated::*;
