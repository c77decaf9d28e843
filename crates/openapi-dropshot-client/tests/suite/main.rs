//! Tests of this crate by way of a generated client. The client consists of generated code alone, and its document has no
//! catalogue of errors; see `openapi.yaml`. A second client has responses that differ by status; see
//! `statuses.yaml`, and a third one several security schemes; see `vault.yaml`. The test `client` of `openapi-dropshot` compares their code with the generator.

mod alternatives;
mod batches;
#[cfg(feature = "blocking")]
mod blocking;
mod books;
mod clock;
mod connections;
mod credentials;
mod deprecations;
#[rustfmt::skip]
mod generated;
#[rustfmt::skip]
mod statuses;
mod errors;
mod events;
mod hooks;
mod interceptors;
mod pages;
mod paths;
mod raw;
mod retries;
mod schemes;
mod secrets;
mod service;
mod sizes;
mod streams;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod transport;
mod typed_bodies;
mod waiting;
#[rustfmt::skip]
mod vault;
mod walks;
