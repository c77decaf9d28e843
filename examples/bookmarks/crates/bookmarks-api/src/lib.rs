//! The HTTP interface of the service, generated from the document: the trait that the server implements, the errors, the table of
//! the operations, and the implementation of `Contract`, through which a server calls the trait.

#[rustfmt::skip]
mod generated;

pub use generated::*;
