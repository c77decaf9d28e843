//! The parts of a generated API client that are the same for every service: retries, time limits, pagination, errors,
//! deprecation notices, idempotency keys, streams and blocking calls.
//!
//! `openapi-dropshot` generates a client from an OpenAPI document: types, a builder for each request, and a `Client` with
//! a method for each operation. The generated code calls this crate for everything else. A crate with a client needs one
//! hand-written file:
//!
//! ```text
//! // src/lib.rs
//! mod generated;
//! pub use generated::*;
//! ```
//!
//! Its `Cargo.toml` names this crate, `serde`, `serde_json` and, if the document has dates, UUIDs or patterns, `chrono`,
//! `uuid` and `regress`. Its features `rustls`, `native-tls` and `blocking` switch on those of this crate; `beta` and
//! `experimental` show the operations of these stability levels.
//!
//! Applications get everything of this crate by way of the generated client, whose aliases `Error`, `Response`, `Pages`
//! and `Items` set the type of the error codes of its document.
//!
//! # Retries
//!
//! A call sends its request again if that is safe and may help:
//!
//! | what happened | `GET`, `HEAD`, `PUT`, `DELETE`, `OPTIONS`, and requests with an `Idempotency-Key` | other requests |
//! |---|---|---|
//! | no connection was made | again | again |
//! | 429, or the code `rate_limited`, `overloaded`, `request_timeout` or `conflict` | again | again |
//! | the connection broke, the response was interrupted, or it took too long | again | an error |
//! | 408, 425, 502, 503 or 504, or the code `unavailable` | again | an error |
//! | any other error | an error | an error |
//!
//! If an operation has the header parameter `Idempotency-Key`, each call gets a key of its own and keeps it over all
//! tries, unless the application sets one. A request that relies on it and may have been carried out is not sent again with
//! another API key; see [`Credentials`].
//!
//! A request whose API key is rejected with 401 is sent again once if the provider ([`Credentials`]) has another key.
//!
//! The pause between two tries is random, grows, and is never shorter than the service asks for in `Retry-After` or
//! `RateLimit`. A call ends when its number of tries ([`RetryPolicy`]), the budget of its client ([`RetryBudget`]) or its
//! time limit is used up. A client has defaults for all of them ([`ClientBuilder`]); a call can have other ones
//! ([`CallOptions`]).
//!
//! After a 429 that says how long to wait, and after a response whose `RateLimit` has nothing left, all calls of the client and
//! its clones pause for that time. A call whose time limit would end during the pause sends its request at once instead, and
//! the service decides; if it succeeds, the pause ends for all calls.
//!
//! # Streams
//!
//! A response that is a stream of items is read as it arrives; see [`stream`]. A stream of events connects again when its connection ends.
//!
//! # Deprecation
//!
//! The compiler warns of operations that the document deprecates. Deprecations that only the service knows are read from
//! its responses: each is logged once, passed to [`ClientBuilder::on_deprecation`], and counted in
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
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on `progenitor-client`, which is licensed
//! under the Mozilla Public License 2.0 (MPL-2.0): its files stay under that licence wherever they are distributed.

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
/// The version of reqwest that this crate is built on, for [`ClientBuilder::http_client`] and [`ClientBuilder::proxy`].
pub use reqwest;
pub use response::Response;
pub use retry::{Clock, RetryBudget, RetryDecision, RetryPolicy};
#[doc(hidden)]
pub use tracing;
#[cfg(not(target_arch = "wasm32"))]
pub use transport::{DefaultTransport, RequestBody, TransportError};
pub use waiting::{WaitError, Waiting};

/// An error of any type, as the crate `tower` has it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
