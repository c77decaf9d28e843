//! Tests of this crate through generated clients. The first client consists of generated code only, and its document has
//! no error catalogue; see `openapi.yaml`. The second client has responses that differ by status; see `statuses.yaml`.
//! The third client has several security schemes; see `vault.yaml`. The test `client` of `openapi-dropshot` compares
//! their code with the generator.

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
