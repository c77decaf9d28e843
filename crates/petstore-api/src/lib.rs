//! The HTTP interface of the pet store, generated from `spec/openapi.yaml`: the
//! dropshot trait that a server implements, the errors that the document lists,
//! the table of its operations, and the implementation of `Contract`, through
//! which a server calls the trait.

#[rustfmt::skip]
mod generated;

pub use generated::*;
