//! The client of the pet store service: lists the pets of a store and adds pets to it.
//!
//! # A first pet
//!
//! You need the address of the service, which ends with the version of its interface (`/v1`), and an API key. The command
//! `petstore-server key create NAME` prints a key; a server that starts on a new store shows its first key.
//!
//! The crate is not in a registry yet. Depend on it by path, or by the URL of the Git repository that you cloned:
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
//! One [`Client`] serves a whole program: it is cheap to clone and keeps its connections open.
//!
//! # More than a page
//!
//! The service returns lists in pages. `stream` follows their links and yields one pet after the other; `pages` yields
//! the pages:
//!
//! ```no_run
//! # use petstore_client::{Client, Error, PetStatus};
//! # async fn walk(client: &Client) -> Result<(), Error> {
//! let mut pets = client.list_pets().status(PetStatus::Available).stream();
//! while let Some(pet) = pets.next().await {
//!     let pet = pet?;
//!     println!("{}: {}", pet.id, pet.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Each page is fetched when it is needed. After an interruption, begin again from [`Items::cursor`]. The methods of
//! `futures::StreamExt` work as well. With the feature `blocking`, `Items::blocking` returns an iterator, and each
//! request has `send_blocking`.
//!
//! # Errors and retries
//!
//! A request is sent again if that is safe and may help:
//!
//! | what happened | `GET`, and requests with an `Idempotency-Key` | other requests |
//! |---|---|---|
//! | no connection was made | again | again |
//! | 429 `rate_limited`, 503 `overloaded`, 408 `request_timeout`, 409 `conflict` | again | again |
//! | the connection broke, the response broke off, or it took too long | again | an error |
//! | 503 `unavailable`; 502, 503 or 504 of a proxy | again | an error |
//! | any other error | an error | an error |
//!
//! Each creation gets an `Idempotency-Key` of its own and keeps it for all its tries, so that a pet is added once. (A
//! service of the version 1.0.0 does not know the key yet; there, a creation whose response was lost may be carried out
//! twice. Give such calls [`RetryPolicy::never`].)
//!
//! The pause between two tries is random, grows, and is never shorter than the service asks for in `Retry-After` or
//! `RateLimit`. The number of tries is limited ([`RetryPolicy`], six), and so are the retries of all calls of a client
//! together ([`RetryBudget`]) and the time: 10 seconds per try and 30 seconds per call. [`ClientBuilder`] changes all of
//! it for a client; [`CallOptions`] changes all but the budget for a call.
//!
//! All other errors are returned as an [`Error`]. Decide by [`Error::code`]; the list of codes is open, so decide by
//! [`Error::is_retryable`] and [`Error::status`] if you do not know a code. [`Error::was_sent`] tells whether the service
//! may have seen the request. Quote [`Error::request_id`] when you report an error.
//!
//! ```no_run
//! # use petstore_client::{Client, ErrorCode, NewPet};
//! # async fn add(client: &Client) {
//! match client.create_pet().body(NewPet::builder().name("Tom").category_id(3)).send().await {
//!     Ok(added) => println!("added with the id {}", added.id),
//!     Err(error) => match error.code() {
//!         Some(ErrorCode::InvalidRequest) => println!("not a pet: {}", error.message()),
//!         _ if error.is_retryable() => println!("not now: {error}"),
//!         _ => println!("not added: {error}"),
//!     },
//! }
//! # }
//! ```
//!
//! Neither `Display` nor `Debug` of any type shows the API key, a header, or the text of a response that could not be
//! read.
//!
//! # Deprecation and newer services
//!
//! The compiler warns of each use of a deprecated operation, with the day of its removal and its replacement.
//! Deprecations that only the service knows are read from its responses: each is logged once per operation and process,
//! passed to [`ClientBuilder::on_deprecation`], and counted in [`Client::deprecated_calls`].
//!
//! A newer service may send more than this version knows: unknown members are ignored, unknown values are kept, as in
//! [`PetStatus::Unknown`] and [`ErrorCode::Unknown`], and types that may grow are `#[non_exhaustive]`.
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `rustls` | https by rustls and aws-lc-rs; on by default |
//! | `native-tls` | https by the system's TLS library (OpenSSL on Linux), preferred if both are on |
//! | `blocking` | `send_blocking`, and pages as iterators: the module `blocking` |
//! | `beta`, `experimental` | the operations of these levels of stability, at present those on orders, all `beta`. Parameters of these levels need no feature |
//!
//! The client needs tokio. It uses the proxies of the system; [`ClientBuilder::proxy`] and [`ClientBuilder::http_client`]
//! set other ones. It sends no `api-version` and no other header that the document does not name. Each call has a
//! `tracing` span with the operation, the status, the request id and the number of retries. The target `wasm32` is
//! not tested.
//!
//! # Licence
//!
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on `progenitor-client`, which is licensed
//! under the Mozilla Public License 2.0 (MPL-2.0): its files stay under that licence wherever they are distributed.

#[rustfmt::skip]
mod generated;

pub use generated::*;
pub use types::{ErrorCode, NewPet, Pet, PetStatus, Pets};
#[cfg(feature = "beta")]
pub use types::{NewOrder, Order, OrderStatus, OrderUpdate, Orders};
