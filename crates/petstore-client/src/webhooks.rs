//! Verifies the requests that the service sends to a webhook.
//!
//! [`create_webhook`](crate::Client::create_webhook) returns the secret with which the service signs its requests. The operation describes
//! when and how often they are sent.
//!
//! ```
//! use petstore_client::{
//!     Event, FeedItem,
//!     webhooks::{Received, Webhooks},
//! };
//!
//! // Both secrets, while one is being replaced.
//! let webhooks = Webhooks::new(["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])?;
//!
//! // Called with each request: its headers, and its body as it was received.
//! let receive = |headers: &http::HeaderMap, body: &[u8]| match webhooks.verify(headers, body) {
//!     Ok(Received::Event(message)) => {
//!         // Skip an id that is stored already: an event can be sent more than once.
//!         println!("store {}", message.id);
//!         if let FeedItem::Known(Event::OrderPlaced(event)) = message.event {
//!             println!("the pet {} was ordered", event.data.pet_id);
//!         }
//!         (200, String::new())
//!     }
//!     // The service wants to know whether this receiver is yours.
//!     Ok(Received::Challenge(challenge)) => (200, challenge),
//!     Err(error) => (400, error.to_string()),
//! };
//! assert_eq!(receive(&http::HeaderMap::new(), b"{}").0, 400);
//! # Ok::<(), petstore_client::webhooks::InvalidSecret>(())
//! ```
//!
//! `examples/receive_webhooks.rs` of the repository is a complete receiver.

use crate::{FeedItem, types::Event};

pub use openapi_dropshot_client::webhooks::{InvalidSecret, Message, Received, WebhookError};

/// Verifies requests with the secrets of a webhook. An event of a type that this version of the client does not know, such as a test
/// event, is a [`FeedItem::Unknown`].
pub type Webhooks = openapi_dropshot_client::webhooks::Webhooks<FeedItem<Event>>;
