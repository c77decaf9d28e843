//! Verifies webhooks: messages that a service sends to an endpoint of the application, signed as
//! [Standard Webhooks](https://www.standardwebhooks.com) specifies.
//!
//! Verify the bytes of the body as they were received, before anything parses or changes them. A message can arrive more than
//! once, because the service repeats it until it gets a response with a status from 200 to 299: keep the ids of processed
//! messages for longer than the retries last (a week is enough), and ignore a message whose id is known. Messages can arrive in
//! another order than they were sent.
//!
//! A service may ask for a proof that the endpoint belongs to the application: it sends a challenge, which is signed like a
//! message. Respond to it with the status 200 and the challenge as the text of the body.
//!
//! ```
//! use openapi_dropshot_client::webhooks::{Received, Webhooks};
//! use http::{HeaderMap, StatusCode};
//!
//! // The generated client has a type for the events of its service.
//! #[derive(serde::Deserialize)]
//! struct Event {
//!     r#type: String,
//! }
//!
//! // While the secret is rotated, give both: the service signs with the new and with the previous one.
//! let webhooks = Webhooks::<Event>::new(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])?;
//!
//! // Called by the framework of the application with each request to the endpoint.
//! let receive = |headers: &HeaderMap, body: &[u8]| match webhooks.verify(headers, body) {
//!     Ok(Received::Event(message)) => {
//!         println!("{}: {}", message.id, message.event.r#type);
//!         (StatusCode::NO_CONTENT, String::new())
//!     }
//!     Ok(Received::Challenge(challenge)) => (StatusCode::OK, challenge),
//!     Err(error) => (StatusCode::BAD_REQUEST, error.to_string()),
//! };
//! assert_eq!(receive(&HeaderMap::new(), b"{}").0, StatusCode::BAD_REQUEST);
//! # Ok::<(), openapi_dropshot_client::webhooks::InvalidSecret>(())
//! ```

use crate::json::json_body;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use http::HeaderMap;
use serde::{Deserialize, de::DeserializeOwned};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};
use std::{marker::PhantomData, sync::Arc};
use subtle::ConstantTimeEq as _;

/// How much the timestamp of a message may differ from the clock of this machine.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// The smallest number of bytes of a secret, according to Standard Webhooks.
const SHORTEST_SECRET: usize = 24;
/// The greatest number of signatures of a message that are compared.
const MOST_SIGNATURES: usize = 16;

/// Verifies the messages of a service, whose events have the type `T`. Clones share the secrets, which `Debug` does not show.
pub struct Webhooks<T> {
    secrets: Arc<[Webhook]>,
    clock: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    event: PhantomData<fn() -> T>,
}

/// A secret of an endpoint is not valid. The error does not show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSecret {
    /// No secret was given.
    #[error(
        "there is no secret of the endpoint; pass the one that the service showed when the endpoint was created"
    )]
    Missing,
    /// It is not `whsec_` and base64 of at least 24 bytes.
    #[error(
        "the secret of the endpoint is not `whsec_` with base64 of at least 24 bytes; copy it completely, without spaces or line breaks"
    )]
    Form,
}

/// What a service sends to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received<T> {
    /// An event.
    Event(Message<T>),
    /// The service asks for a proof that the application owns the endpoint: respond with the status 200 and this text.
    Challenge(String),
}

/// An event, and the message that contained it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<T> {
    /// The id, which is the same each time the message is sent.
    pub id: String,
    /// When the message was sent, this time.
    pub timestamp: DateTime<Utc>,
    /// The body.
    pub event: T,
}

/// Why a message is rejected. Respond with 400, so that the service tries again: the application may have the wrong secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookError {
    /// A header is missing.
    #[error(
        "the request has no header `{0}`, so it is not a message of the service; check that a proxy passes this header on"
    )]
    MissingHeader(&'static str),
    /// A header cannot be read.
    #[error("the header `{0}` cannot be read, so the request is not a message of the service")]
    InvalidHeader(&'static str),
    /// The message was sent more than five minutes ago.
    #[error(
        "the timestamp of the message is more than five minutes old; if this happens often, check the clock of this machine"
    )]
    TooOld,
    /// The message was sent more than five minutes in the future.
    #[error(
        "the timestamp of the message is more than five minutes ahead; if this happens often, check the clock of this machine"
    )]
    TooNew,
    /// No signature was made with one of the secrets.
    #[error(
        "no signature of the message is valid; check that the secret is that of this endpoint, and that the body is \
         verified as it was received"
    )]
    Signature,
    /// The message was signed by the service, and its body does not have the type `T`.
    #[error(
        "the body of the message does not have the expected type; update the client of this service"
    )]
    Body(#[source] serde_json::Error),
}

impl<T> Webhooks<T> {
    /// Verifies with the secrets of the endpoint, each of which begins with `whsec_`: one, or the new and the previous one while it
    /// is rotated.
    ///
    /// # Errors
    ///
    /// There is no secret, or one is not valid.
    pub fn new(secrets: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, InvalidSecret> {
        let secrets = secrets.into_iter().map(|secret| {
            let text = secret.as_ref().strip_prefix("whsec_");
            let bytes = text.and_then(|text| STANDARD.decode(text).ok());
            let bytes = bytes.filter(|bytes| bytes.len() >= SHORTEST_SECRET);
            Webhook::from_bytes(bytes.ok_or(InvalidSecret::Form)?).map_err(|_| InvalidSecret::Form)
        });
        let secrets: Arc<[Webhook]> = secrets.collect::<Result<_, _>>()?;
        if secrets.is_empty() {
            return Err(InvalidSecret::Missing);
        }
        Ok(Webhooks {
            secrets,
            clock: Arc::new(Utc::now),
            event: PhantomData,
        })
    }

    /// Another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

impl<T: DeserializeOwned> Webhooks<T> {
    /// Verifies the signature and the time of a message, and reads its body. The module has an example.
    ///
    /// # Errors
    ///
    /// The message was not signed with one of the secrets, its timestamp differs from the clock by more than five minutes, or its body is
    /// not a `T`.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Received<T>, WebhookError> {
        let id = header(headers, HEADER_WEBHOOK_ID)?;
        let signatures = header(headers, HEADER_WEBHOOK_SIGNATURE)?;
        let seconds: Option<i64> = header(headers, HEADER_WEBHOOK_TIMESTAMP)?.parse().ok();
        let timestamp = seconds
            .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
            .ok_or(WebhookError::InvalidHeader(HEADER_WEBHOOK_TIMESTAMP))?;
        let is_signed = self.secrets.iter().any(|secret| {
            // A body that is not UTF-8 is not JSON, and the service does not sign it.
            secret
                .sign(id, timestamp.timestamp(), body)
                .is_ok_and(|expected| contains(signatures, &expected))
        });
        if !is_signed {
            return Err(WebhookError::Signature);
        }
        let age = (self.clock)() - timestamp;
        if age > TOLERANCE {
            return Err(WebhookError::TooOld);
        }
        if age < -TOLERANCE {
            return Err(WebhookError::TooNew);
        }
        if let Ok(Request::Challenge { challenge }) = serde_json::from_slice(body) {
            return Ok(Received::Challenge(challenge));
        }
        Ok(Received::Event(Message {
            id: id.to_owned(),
            timestamp,
            event: json_body(body).map_err(WebhookError::Body)?,
        }))
    }
}

/// A request of the service that is not an event.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Request {
    #[serde(rename = "endpoint.verification")]
    Challenge { challenge: String },
}

fn header<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<&'a str, WebhookError> {
    let value = headers.get(name).ok_or(WebhookError::MissingHeader(name))?;
    value
        .to_str()
        .map_err(|_| WebhookError::InvalidHeader(name))
}

/// Whether a list of signatures contains one, in a time that does not depend on how much of it is right.
fn contains(signatures: &str, expected: &str) -> bool {
    let mut signatures = signatures.split(' ').take(MOST_SIGNATURES);
    signatures.any(|signature| signature.as_bytes().ct_eq(expected.as_bytes()).into())
}

impl<T> Clone for Webhooks<T> {
    fn clone(&self) -> Self {
        Webhooks {
            secrets: Arc::clone(&self.secrets),
            clock: Arc::clone(&self.clock),
            event: PhantomData,
        }
    }
}

debug_fields!([T] Webhooks<T>);

#[cfg(test)]
mod tests;
