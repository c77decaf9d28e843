//! A pet store service inside a test: for applications that use
//! `petstore-client`, and want to know what they do when the service is slow,
//! rejects requests, breaks off, or ends an operation.
//!
//! [`Server::start`] gives the real service, on memory and on a free port, with
//! a key and a client of its own, in milliseconds. Each test starts its own, so
//! that tests run side by side; a server ends when it is dropped.
//!
//! ```
//! use petstore_testing::{
//!     Fault, OperationId, Server,
//!     petstore_client::{Client, Error, NewPet},
//! };
//! use std::time::Duration;
//!
//! /// The application.
//! async fn take_in(client: &Client, name: &str) -> Result<i64, Error> {
//!     let pet = NewPet::builder().name(name).category_id(7);
//!     Ok(client.create_pet().body(pet).send().await?.id)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::start().await?;
//! server.inject(Fault::overloaded(Duration::from_secs(1)).on(OperationId::CreatePet).times(1));
//!
//! let id = take_in(&server.client(), "Rex").await?;
//!
//! assert_eq!(server.received(OperationId::CreatePet), 2);
//! let pets = server.client().list_pets().send().await?;
//! assert_eq!(pets.iter().map(|pet| pet.id).collect::<Vec<_>>(), [id]);
//! # Ok(())
//! # }
//! ```
//!
//! # What can be made to happen
//!
//! | to see | |
//! |---|---|
//! | 503 or 429 with `Retry-After`, an HTML 502 | [`Fault::overloaded`], [`Fault::unavailable`], [`Fault::rate_limited`], [`Fault::bad_gateway`] |
//! | a slow service, and the deadlines of the client | [`Fault::slow`] |
//! | a connection that breaks, before or after the request was done | [`Fault::cut`], [`Fault::cut_before_the_answer`], [`Fault::truncated`] |
//! | only to some requests | [`Fault::on`], [`Fault::after`], [`Fault::times`] |
//! | how often the client tried | [`Server::received`] |
//! | the day on which an operation is removed | [`Builder::enforce_sunsets`], [`Clock::set`] |
//! | a rate limit that counts | [`Builder::rate_limit`], [`Clock::advance`] |
//!
//! Pauses of the client pass by the clock of the machine, not by that of the
//! service. A test that wants none gives its client a clock of its own,
//! `petstore_client::ClientBuilder::clock`, or
//! `petstore_client::RetryPolicy::never`.
//!
//! # How it is made
//!
//! The service is `petstore-server`'s own, unchanged. Faults happen in a relay
//! in front of it, which is part of this crate only: the program that is
//! shipped has none of it.

mod clock;
mod fault;
mod operation;
mod relay;
mod server;

pub use clock::Clock;
pub use fault::Fault;
pub use petstore_client;
pub use petstore_server::OperationId;
pub use server::{Builder, Server, StartError};
