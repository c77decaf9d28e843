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
//! let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the key").build()?;
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
//! The service answers a page at a time. [`Response::next_cursor`] leads to the
//! next one; keep the filter, and change only the cursor:
//!
//! ```no_run
//! # use petstore_client::{Client, Error, PetStatus};
//! # async fn walk(client: &Client) -> Result<(), Error> {
//! let mut page = client.list_pets().status(PetStatus::Available).send().await?;
//! loop {
//!     for pet in page.iter() {
//!         println!("{}: {}", pet.id, pet.name);
//!     }
//!     let Some(cursor) = page.next_cursor()? else { break };
//!     page = client.list_pets().status(PetStatus::Available).cursor(cursor).send().await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # When it fails
//!
//! There is one [`Error`]. [`Error::code`] is what to decide by, such as
//! `not_found`; the list of codes is open, so decide by [`Error::status`] where
//! you do not know one. [`Error::request_id`] is what the owner of the service
//! asks for.
//!
//! ```no_run
//! # use petstore_client::{Client, NewPet};
//! # async fn add(client: &Client) {
//! match client.create_pet().body(NewPet::builder().name("Tom").category_id(3)).send().await {
//!     Ok(added) => println!("added with the id {}", added.id),
//!     Err(error) => match (error.code(), error.status()) {
//!         (Some("rate_limited"), _) => println!("too fast, try again later"),
//!         (_, Some(500..)) => println!("the service has trouble: {error}"),
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
//! day of its removal and its replacement. A newer service may answer more than
//! this version knows: unknown members are ignored, unknown values are kept, as
//! in [`PetStatus::Unknown`], and what may grow is `#[non_exhaustive]`.
//!
//! # Licence
//!
//! This crate is licensed under Apache-2.0 or MIT, at your option. It builds on
//! `progenitor-client`, which is licensed under the Mozilla Public License 2.0
//! (MPL-2.0): its files stay under that licence wherever they are distributed.

mod client;
mod client_builder;
mod error;
#[rustfmt::skip]
#[allow(
    clippy::all,
    dead_code,
    deprecated,
    reason = "the code is not written here, and belongs to deprecated operations, too"
)]
mod generated;
mod link;
mod response;

pub use client::Client;
pub use client_builder::{BuildError, ClientBuilder};
pub use error::{Error, ErrorKind};
pub use generated::{builder, types};
pub use response::Response;
pub use types::{NewPet, Pet, PetStatus, Pets};
