//! The HTTP interface of the service, generated from the document: the trait that the server implements, the errors, the table of
//! operations, and the implementation of `Contract`, with which the server library calls the trait.

#[rustfmt::skip]
mod generated;

pub use generated::*;
