//! The models of the service: schemas and parameters, generated from the document. Every value of these types is valid by the
//! document.

#[rustfmt::skip]
mod generated;

pub use generated::*;
