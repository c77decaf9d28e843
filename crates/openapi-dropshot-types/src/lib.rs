//! The run-time library of the models and dropshot APIs that `openapi-dropshot` generates. It
//! contains the code that is the same for every document.
//!
//! Without features, the crate depends on no server. It contains
//!
//! - the parts of generated models: string [formats], [rules] of strings and
//!   collections, checked numbers and strings, [unions], and helpers for serde
//!   ([members]) and schemars ([shapes]);
//! - [`Operation`] and [`Security`], which describe an operation of a document, and
//!   [`ErrorEntry`] and [`Rejection`], which describe its errors;
//! - [`FeedCursor`](feed::FeedCursor), the position of an event in a feed.
//!
//! The feature `dropshot` adds `Contract`, the trait through which a server calls a generated API
//! without knowing its document, and the functions that generated implementations of this trait
//! call.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "dropshot"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "dropshot")]
pub mod by_status;
pub mod feed;
pub mod formats;
pub mod members;
pub mod prelude;
pub mod rules;
pub mod shapes;
pub mod unions;

mod error;
mod failure;
mod macros;
mod never;
mod operation;
mod security;
mod text;

#[cfg(feature = "dropshot")]
mod contract;
#[cfg(feature = "dropshot")]
mod cookies;
#[cfg(feature = "dropshot")]
pub mod dispatch;
#[cfg(feature = "dropshot")]
mod items;
#[cfg(feature = "dropshot")]
#[doc(hidden)]
pub mod json;
#[cfg(feature = "dropshot")]
#[doc(hidden)]
pub mod operation_error;
#[cfg(feature = "dropshot")]
mod parts;
#[cfg(feature = "dropshot")]
mod router;
#[cfg(feature = "dropshot")]
#[doc(hidden)]
pub mod stream;

pub use error::{Condition, ErrorEntry, ErrorMember, ErrorShape, Rejection};
pub use failure::{IdempotencyFailure, StateFailure};
pub use macros::{CheckedNumber, CheckedString};
pub use never::Never;
pub use operation::{Deprecation, Operation, OperationLimits, Stability, is_json};
pub use security::{RequiredScheme, SchemeKind, Security, SecurityScheme};
pub use text::{FromText, Violation};

#[cfg(feature = "dropshot")]
pub use {
    contract::Contract,
    cookies::{Cookies, cookies},
    dispatch::OptionalBody,
    items::{Item, ItemRules, StreamedItems},
    operation_error::OperationError,
    parts::{BodyFault, FilePart, FormPart, FormParts, PartRules, PartValue, ReadPart},
    router::Router,
    stream::{Event, StreamFormat, Streamed},
};

/// The items that the macros of this crate use. They are not part of the public API.
#[doc(hidden)]
pub mod private {
    #[cfg(feature = "dropshot")]
    pub use crate::operation_error;
    #[cfg(feature = "dropshot")]
    pub use dropshot;
    pub use {schemars, serde};
}
