//! What the service promises over HTTP, generated from `spec/openapi.yaml`: the
//! dropshot trait that a server implements, its dispatch, the refusals that the
//! document lists, and the table of its operations. What it does not say
//! (listeners, keys, storage) is left to `petstore-server`.

#[rustfmt::skip]
mod generated;

pub use generated::*;
