//! What models and dropshot APIs that `openapi-dropshot` generates need at run
//! time, and what is the same for every document.
//!
//! Without features the crate depends on no server: it has [`Operation`], which
//! describes an operation of a document, and [`ErrorEntry`] and [`Rejection`],
//! which describe its errors. The feature `dropshot` adds [`Contract`], the
//! trait by which a server reaches a generated API without knowing its document.

mod error;
mod failure;
mod operation;

#[cfg(feature = "dropshot")]
mod contract;
#[cfg(feature = "dropshot")]
pub mod dispatch;
#[cfg(feature = "dropshot")]
#[doc(hidden)]
pub mod operation_error;
#[cfg(feature = "dropshot")]
mod optional_body;
#[cfg(feature = "dropshot")]
mod router;

pub use error::{Condition, ErrorEntry, ErrorMember, Rejection};
pub use failure::{IdempotencyFailure, StateFailure};
pub use operation::{Deprecation, Operation, Stability};

#[cfg(feature = "dropshot")]
pub use {
    contract::Contract, operation_error::OperationError, optional_body::OptionalBody,
    router::Router,
};

/// What the macros of this crate name. It is no part of the public interface.
#[cfg(feature = "dropshot")]
#[doc(hidden)]
pub mod private {
    pub use crate::operation_error;
    pub use {dropshot, schemars, serde};
}
