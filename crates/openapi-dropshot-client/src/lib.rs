//! The parts of a generated API client that are the same for every service: retries, time limits, pagination, errors,
//! deprecation notices, idempotency keys, streams and blocking calls.
//!
//! `openapi-dropshot` generates a client from an OpenAPI document: types, a builder for each request, and a `Client` with a method for
//! each operation. The generated code calls this crate for everything else. The crate of a client needs only one hand-written file:
//!
//! ```text
//! // src/lib.rs
//! mod generated;
//! pub use generated::*;
//! ```
//!
//! Its `Cargo.toml` must list this crate, `serde` and `serde_json` as dependencies and, if the document has dates, UUIDs or patterns, also
//! `chrono`, `uuid` and `regress`. Its features `rustls`, `native-tls` and `blocking` enable the features of this crate with the same
//! names. Its features `beta` and `experimental` enable the operations of these stability levels.
//!
//! Applications use the items of this crate through the generated client. Its aliases `Error`, `Response`, `Pages` and `Items` already
//! contain the type of the document's error codes.
//!
//! # Retries
//!
//! A call sends a failed request again if this is safe and can succeed:
//!
//! | failure | `GET`, `HEAD`, `PUT`, `DELETE`, `OPTIONS`, and requests with an `Idempotency-Key` | other requests |
//! |---|---|---|
//! | no connection could be established | sent again | sent again |
//! | 429, or the code `rate_limited`, `overloaded`, `request_timeout` or `conflict` | sent again | sent again |
//! | the connection broke, or the response was interrupted or took too long | sent again | an error |
//! | 408, 425, 502, 503 or 504, or the code `unavailable` | sent again | an error |
//! | any other error | an error | an error |
//!
//! If an operation has the header parameter `Idempotency-Key`, each call gets its own key and keeps it in all its tries, unless the
//! application sets a key. If a request relies on this key and may have been carried out, it is not sent again with another API key; see
//! [`Credentials`].
//!
//! If the service rejects an API key with 401, the request is sent again once, provided that [`Credentials`] returns another key.
//!
//! The pause between two tries is random and grows with each try. It is never shorter than the time that the service requests in
//! `Retry-After` or `RateLimit`. A call ends when its tries ([`RetryPolicy`]), the budget of its client ([`RetryBudget`]) or its time
//! limit are used up. A client has a default for each of these limits ([`ClientBuilder`]), and a call can have its own limits
//! ([`CallOptions`]).
//!
//! After a 429 that says how long to wait, and after a response whose `RateLimit` reports that nothing is left, all calls of the client
//! and its clones pause for that time, and each of them for a random time up to the first pause of its [`RetryPolicy`]. If the time
//! limit of a call would end during the pause, the call sends its request at once, and the service decides. If this request succeeds,
//! the pause ends for all calls.
//!
//! # Streams
//!
//! A response that is a stream of items is read as it arrives; see [`stream`]. A stream of events reconnects when its connection ends.
//!
//! # Deprecation
//!
//! The compiler warns about operations that the document deprecates. If the service deprecates an operation later, the client sees it in
//! the responses: it logs the deprecation once, passes it to [`ClientBuilder::on_deprecation`], and counts it in
//! [`Client::deprecated_calls`].
//!
//! # Spans
//!
//! Each call has a `tracing` span with the name of the generated crate and the fields `operation`, `method`, `status`,
//! `request_id`, `retries` and `error`. It also has the fields of OpenTelemetry's semantic conventions for HTTP clients:
//! `http.request.method`, `url.full`, `url.template`, `server.address`, `server.port`, `http.response.status_code`,
//! `error.type` and `http.request.resend_count`. The module [`telemetry`] has metrics, and propagates traces.
//!
//! # Licence
//!
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on `progenitor-client`, which is licensed under the Mozilla
//! Public License 2.0 (MPL-2.0). The files of that crate stay under this licence wherever they are distributed.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod debug;

mod batch;
#[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
mod build_error;
mod call;
mod client;
mod client_builder;
mod credentials;
mod deprecation;
mod error;
mod failed_load;
mod feed;
pub mod generated;
mod interceptor;
mod json;
mod link;
mod lock;
#[cfg(not(target_arch = "wasm32"))]
pub mod mock;
mod multipart;
mod operation;
mod pages;
mod platform;
mod prepared;
mod raw;
mod record;
pub mod recovery;
mod response;
mod retry;
mod retry_after;
mod service;
pub mod stream;
pub mod telemetry;
mod throttle;
mod transport;
mod waiting;
#[cfg(feature = "webhooks")]
#[cfg_attr(docsrs, doc(cfg(feature = "webhooks")))]
pub mod webhooks;

pub use batch::{Batch, BatchError, BatchReport, Progress};
pub use build_error::BuildError;
pub use call::CallOptions;
pub use client::Client;
pub use client_builder::ClientBuilder;
#[cfg(not(target_arch = "wasm32"))]
pub use credentials::ApiKeyFile;
pub use credentials::{ApiKey, Credentials};
pub use deprecation::Deprecation;
pub use error::{Error, ErrorCode, ErrorKind, TypedError};
pub use failed_load::FailedLoad;
pub use feed::{CursorLost, Feed, FeedItem};
pub use interceptor::{Interceptor, TryOutcome, TryRequest};
pub use multipart::{FilePart, Multipart};
pub use pages::{Items, Pages};
/// The body of a response that is read as it arrives.
pub use progenitor_client::ByteStream;
pub use raw::RawRequest;
pub use record::RetryStop;
/// The version of reqwest that this crate uses, for [`ClientBuilder::http_client`] and [`ClientBuilder::proxy`].
pub use reqwest;
pub use response::Response;
pub use retry::{Clock, RetryBudget, RetryDecision, RetryPolicy};
#[doc(hidden)]
pub use tracing;
#[cfg(not(target_arch = "wasm32"))]
pub use transport::{DefaultTransport, RequestBody, TransportError};
pub use waiting::{WaitError, Waiting};

/// An error of any type, as the crate `tower` defines it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
