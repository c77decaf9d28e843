//! Sends requests and receives responses: by reqwest, or by a `tower::Service` of the application.

use crate::{
    BoxError,
    platform::{Local, local, take},
    retry::Record,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use progenitor_client::ByteStream;
use std::fmt;

#[cfg(not(target_arch = "wasm32"))]
mod service;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use service::{Cloned, SendRequest, TransportErrorKind};
#[cfg(not(target_arch = "wasm32"))]
pub use service::{RequestBody, TransportError};

/// How the requests of a client are sent.
pub(crate) enum Transport {
    Reqwest(reqwest::Client),
    #[cfg(not(target_arch = "wasm32"))]
    Service(std::sync::Arc<dyn SendRequest>),
}

impl Transport {
    /// # Errors
    ///
    /// There is no response.
    pub(crate) async fn send(&self, request: reqwest::Request) -> Result<Received, BoxError> {
        let response = match self {
            Transport::Reqwest(client) => local(client.execute(request)).await?,
            #[cfg(not(target_arch = "wasm32"))]
            Transport::Service(service) => {
                // The connection of a service has no time limit of its own to take from the request.
                service.send(request.try_into()?).await?
            }
        };
        Ok(Received::new(response))
    }
}

/// A response as it was received.
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) record: Record,
    body: Body,
}

enum Body {
    /// The body was read.
    Complete(Bytes),
    /// The body has not been read; the headers were taken out of this response.
    Arriving(Local<reqwest::Response>),
}

impl Received {
    fn new(mut response: reqwest::Response) -> Self {
        Received {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            record: Record::default(),
            body: Body::Arriving(local(response)),
        }
    }

    /// Reads the body to its end and keeps it.
    ///
    /// # Errors
    ///
    /// The connection broke, or it took too long.
    pub(crate) async fn complete(self) -> Result<Self, (StatusCode, HeaderMap, reqwest::Error)> {
        let Body::Arriving(response) = self.body else {
            return Ok(self);
        };
        match local(take(response).bytes()).await {
            Ok(bytes) => Ok(Received {
                body: Body::Complete(bytes),
                ..self
            }),
            Err(error) => Err((self.status, self.headers, error)),
        }
    }

    /// The body, if it was read.
    pub(crate) fn bytes(&self) -> Bytes {
        match &self.body {
            Body::Complete(bytes) => bytes.clone(),
            Body::Arriving(_) => Bytes::new(),
        }
    }

    /// The begin of the body, with at most one chunk more than `most` bytes; what comes before the connection breaks is
    /// enough. A browser has no chunks.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn begin(&mut self, most: usize) -> Vec<u8> {
        let body = std::mem::replace(&mut self.body, Body::Complete(Bytes::new()));
        let mut text = match body {
            Body::Complete(bytes) => bytes.to_vec(),
            Body::Arriving(response) => {
                let bytes = local(take(response).bytes()).await;
                bytes.unwrap_or_default().to_vec()
            }
        };
        text.truncate(most + 1);
        text
    }

    /// The begin of the body, with at most one chunk more than `most` bytes; what comes before the connection breaks is
    /// enough.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) async fn begin(&mut self, most: usize) -> Vec<u8> {
        let mut text = Vec::new();
        match &mut self.body {
            Body::Complete(bytes) => text.extend_from_slice(bytes),
            Body::Arriving(response) => {
                while let Ok(Some(chunk)) = response.chunk().await {
                    text.extend_from_slice(&chunk);
                    if text.len() > most {
                        break;
                    }
                }
            }
        }
        text
    }

    /// The body as it arrives.
    pub(crate) fn into_stream(self) -> ByteStream {
        match self.body {
            Body::Complete(bytes) => {
                ByteStream::new(Box::pin(futures_util::stream::iter([Ok(bytes)])))
            }
            Body::Arriving(response) => ByteStream::new(Box::pin(take(response).bytes_stream())),
        }
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
