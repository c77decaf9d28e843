//! The client of the pet store service: list the animals of a store, and add
//! some.
//!
//! # From zero to the first pet
//!
//! You need the address of the service, which ends with the version of its
//! interface (`/v1`), and an API key. `petstore-server key create NAME` prints
//! one; a server that starts on a new store shows its first.
//!
//! ```toml
//! [dependencies]
//! petstore-client = "1"
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
//! One [`Client`] serves a whole program: it is cheap to clone and keeps its
//! connections open.
//!
//! # More than a page
//!
//! The service answers a page at a time. `stream` follows its links and yields
//! one pet after the other; `pages` yields the pages:
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
//! Nothing is asked for before it is needed, so who stops early asks for no
//! more. A walk that was broken off begins again from [`Items::cursor`]. What
//! there is of `futures::StreamExt` works as well.
//!
//! # When it fails
//!
//! A request is sent again by itself where that is safe and may help:
//!
//! | what happened | `GET`, and what has an `Idempotency-Key` | other requests |
//! |---|---|---|
//! | no connection | again | again |
//! | 429 `rate_limited`, 503 `overloaded`, 408 `request_timeout`, 409 `conflict` | again | again |
//! | the connection broke, the answer broke off, or it took too long | again | an error |
//! | 503 `unavailable`; 502, 503 or 504 of a proxy | again | an error |
//! | any other error | an error | an error |
//!
//! Creations get an `Idempotency-Key` by themselves, a new one each call and the
//! same for all tries of it, so that a pet is added once. (A service of the
//! version 1.0.0 does not know the key yet; there, a creation whose answer was
//! lost may be done twice. Give such calls [`RetryPolicy::never`].)
//!
//! Between two tries is a random pause that grows, and never shorter than the
//! service asks for in `Retry-After` or `RateLimit`. There is an end to it: the
//! number of tries ([`RetryPolicy`], six), what all calls of a client may repeat
//! together ([`RetryBudget`]), and the time, 10 seconds a try and 30 seconds a
//! call. All of it can be set for a client ([`ClientBuilder`]), all but the budget
//! for a call as well ([`CallOptions`]).
//!
//! What is left is one [`Error`]. [`Error::code`] is what to decide by; the list
//! of codes is open, so decide by [`Error::is_retryable`] and [`Error::status`]
//! where you do not know one. [`Error::was_sent`] tells whether anything can
//! have happened. [`Error::request_id`] is what the owner of the service asks
//! for.
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
//! Neither `Display` nor `Debug` of anything here shows the API key, a header
//! or the text of an answer that could not be read.
//!
//! # What changes, and when you hear of it
//!
//! A deprecated operation warns where it is called, when you compile, with the
//! day of its removal and its replacement. What the service deprecates later,
//! its answers say: that is logged once an operation and process, given to
//! [`ClientBuilder::on_deprecation`], and counted in
//! [`Client::deprecated_calls`].
//!
//! A newer service may answer more than this version knows: unknown members are
//! ignored, unknown values are kept, as in [`PetStatus::Unknown`] and
//! [`ErrorCode::Unknown`], and what may grow is `#[non_exhaustive]`.
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `rustls` | https by rustls and aws-lc-rs; on by default |
//! | `native-tls` | https by what the system has (OpenSSL on Linux), preferred where both are on |
//! | `blocking` | `send_blocking`, and pages as iterators: the module `blocking` |
//! | `beta`, `experimental` | operations of these levels of stability, which say so: at present those on orders, all `beta`; without the feature they are not there. Parameters of these levels are always there |
//!
//! Needs tokio. Proxies of the system are used; [`ClientBuilder::proxy`] and
//! [`ClientBuilder::http_client`] take others. No `api-version` or other header
//! is sent that the document does not name. Each call has a `tracing` span, with
//! the operation, the status, the id of the request and how often it was
//! repeated. Not tried: `wasm32`.
//!
//! # Licence
//!
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on
//! `progenitor-client`, which is licensed under the Mozilla Public License 2.0
//! (MPL-2.0): its files stay under that licence wherever they are distributed.

#[cfg(feature = "blocking")]
pub mod blocking;
mod build_error;
mod call;
mod client;
mod client_builder;
mod deprecation;
mod error;
#[rustfmt::skip]
#[allow(
    clippy::all,
    clippy::unwrap_used,
    dead_code,
    deprecated,
    reason = "the code is not written here, and belongs to deprecated operations, too"
)]
mod generated;
mod link;
mod pages;
mod response;
mod retry;

pub use build_error::BuildError;
pub use call::CallOptions;
pub(crate) use call::{Call, Operation, Prepared};
pub use client::Client;
pub use client_builder::ClientBuilder;
pub use deprecation::Deprecation;
pub use error::{Error, ErrorKind};
/// The requests of the operations, each with its parameters and `send`: a method
/// of [`Client`] begins one.
///
/// ```
/// use petstore_client::{Client, builder::ListPets};
///
/// fn first_ten(client: &Client) -> ListPets<'_> {
///     client.list_pets().limit(10)
/// }
/// ```
pub use generated::builder;
/// What is sent, and what is answered. Those that are needed most stand at the
/// root of the crate as well.
///
/// ```
/// let rex = petstore_client::types::NewPet::builder().name("Rex").category_id(7);
/// # let _ = rex;
/// ```
pub use generated::types;
pub use pages::{Items, Pages};
/// The version of reqwest that this crate is built on, for
/// [`ClientBuilder::http_client`] and [`ClientBuilder::proxy`].
pub use reqwest;
pub use response::Response;
pub use retry::{Clock, RetryBudget, RetryPolicy};
pub use types::{ErrorCode, NewPet, Pet, PetStatus, Pets};
#[cfg(feature = "beta")]
pub use types::{NewOrder, Order, OrderStatus, OrderUpdate, Orders};
