//! The client of the pet store service: lists the pets of a store and adds pets to it.
//!
//! # A first pet
//!
//! You need the base URL of the service, which ends with the version of its API (`/v1`), and an API key. The command
//! `petstore-server key create NAME` prints a key. A server that starts with a new store also prints its first key.
//!
//! The crate is not in a registry yet. Depend on it by path, or by the URL of the Git repository:
//!
//! ```toml
//! [dependencies]
//! petstore-client = { path = "../petstore/crates/petstore-client" }
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! ```no_run
//! use petstore_client::{Client, NewPet, PetStatus};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), petstore_client::Error> {
//! let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
//!
//! let rex = NewPet::builder().name("Rex").category_id(7).status(PetStatus::Available);
//! let added = client.create_pet().body(rex).send().await?;
//! println!("{} has the id {}", added.name, added.id);
//!
//! let available = client.list_pets().status(PetStatus::Available).limit(10).send().await?;
//! for pet in available.iter() {
//!     println!("{}: {}", pet.id, pet.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A program needs only one [`Client`]: it is cheap to clone and keeps its connections open.
//!
//! # A page for each task
//!
//! | page | |
//! |---|---|
//! | [`guide::quick_start`] | add the first pet |
//! | [`guide::models`] | values of requests and responses |
//! | [`guide::errors`] | errors and how to handle them |
//! | [`guide::retries`] | which requests are sent again, and time limits |
//! | [`guide::pagination`] | lists, many calls at once, and waiting for a state |
//! | [`guide::orders`] | order a pet, change the order, and wait for its delivery (feature `beta`) |
//! | [`guide::extending`] | interceptors, changing keys, custom transports, traces and metrics |
//! | [`recovery`] | how an application continues after a crash: stored idempotency keys and cursors |
//! | [`guide::testing`] | tests with a transport in memory, and with the real service |
//! | [`guide::upgrading`] | deprecation, and newer services |
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `http2` | HTTP/2 over https; on by default |
//! | `rustls` | https by rustls and aws-lc-rs; on by default |
//! | `native-tls` | https by the system's TLS library (OpenSSL on Linux); used if both TLS features are on |
//! | `opentelemetry` | traces and metrics: the module [`telemetry`] |
//! | `blocking` | `send_blocking`, and pages as iterators: the module `blocking` |
//! | `beta`, `experimental` | the operations of these stability levels; currently orders, export and import are `beta`, and events and webhooks are `experimental`. Parameters of these levels need no feature |
//! | `webhooks` | with `experimental`: verifies what the service sends to a webhook, in the module `webhooks` |
//!
//! The client needs tokio. It uses the proxies of the system; [`ClientBuilder::proxy`] and [`ClientBuilder::http_client`] set
//! others. It sends the headers `authorization`, `accept`, `content-type` and `user-agent`, the header parameters of the
//! document, and the headers that the application adds. It sends no `api-version`. Each call has a `tracing` span with the
//! operation, the status, the request id and the number of retries.
//!
//! In a browser (`wasm32-unknown-unknown`), the client uses `fetch` and needs no tokio. There, it has no connection settings, no
//! `blocking`, no custom or mock transports, and no keys from files. `examples/browser` is a page that lists and adds pets.
//!
//! # Licence
//!
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on `progenitor-client`, which is licensed under the
//! Mozilla Public License 2.0 (MPL-2.0). The files of that crate stay under this licence wherever they are distributed.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[rustfmt::skip]
mod generated;
#[cfg(feature = "experimental")]
mod events;
pub mod guide;
#[cfg(all(feature = "experimental", feature = "webhooks"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "experimental", feature = "webhooks"))))]
pub mod webhooks;

pub use generated::*;
#[cfg(feature = "experimental")]
pub use types::{
    CreatedWebhook, DeliveryStatus, NewWebhook, Redelivery, Webhook, WebhookDelivery,
    WebhookStatus, WebhookUpdate, WebhookUpdateStatus,
};
pub use types::{ErrorCode, NewPet, Pet, PetStatus, Pets};
#[cfg(feature = "experimental")]
pub use types::{Event, EventType};
#[cfg(feature = "beta")]
pub use types::{ImportResult, NewOrder, Order, OrderStatus, OrderUpdate, Orders, PetToImport};
