//! Runs the pet store service inside a test, for applications that use `petstore-client`. Tests can check how an
//! application behaves when the service is slow, rejects requests, closes connections, or removes an operation.
//!
//! [`Server::start`] starts the real service within milliseconds, with a store in
//! memory, on a free port, and with its own key and client. Each test starts its own
//! server, so that tests can run in parallel. A server stops when it is dropped.
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
//! # Faults and other events
//!
//! | to test | use |
//! |---|---|
//! | 503 or 429 with `Retry-After`, or an HTML page with 502 | [`Fault::overloaded`], [`Fault::unavailable`], [`Fault::rate_limited`], [`Fault::bad_gateway`] |
//! | any status and code, such as 500, 401, 409 or an unknown one | [`Fault::error`], [`Fault::response`] |
//! | a slow service, and the deadlines of the client | [`Fault::slow`] |
//! | a connection that breaks before or after the request was carried out | [`Fault::cut`], [`Fault::cut_before_the_answer`], [`Fault::truncated`] |
//! | faults that affect only some requests | [`Fault::on`], [`Fault::after`], [`Fault::times`] |
//! | how often the client tried | [`Server::received`] |
//! | the removal date of an operation | [`Builder::enforce_sunsets`], [`Clock::set`] |
//! | a rate limit that counts requests | [`Builder::rate_limit`], [`Clock::advance`] |
//!
//! Pauses of the client use the clock of the machine, not that of the
//! service. To avoid them in a test, give the client its own clock with
//! `petstore_client::ClientBuilder::clock`, or
//! `petstore_client::RetryPolicy::never`.
//!
//! # Receivers of webhooks
//!
//! [`sign_webhook`] signs an event as the service does, so that a test can send it to the receiver of the application.
//!
//! # Unit tests without a service
//!
//! `petstore_client::mock::MockTransport` gives a client responses from memory. It is part of the client, so that unit
//! tests need neither this crate nor a socket. Use it where a test is about the code around a call, and this crate where
//! the behaviour of the service matters.
//!
//! # Implementation
//!
//! The service is the unchanged `petstore-server`. A relay in front of it injects the faults. Only this crate contains
//! the relay; the released program does not.

mod clock;
mod fault;
mod operation;
mod relay;
mod server;
mod webhook;

pub use clock::Clock;
pub use fault::Fault;
pub use petstore_client;
pub use petstore_server::OperationId;
pub use server::{Builder, Server, StartError};
pub use webhook::{InvalidWebhook, SignedWebhook, sign_webhook};
