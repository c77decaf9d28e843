//! The client of the service, generated from the document.

#[rustfmt::skip]
mod generated;

pub use generated::*;
