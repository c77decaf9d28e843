//! Sends requests and receives responses: by reqwest, or by a `tower::Service` of the application.

use crate::{
    BoxError,
    platform::{Local, local, take},
    record::Record,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::{HeaderMap, Method, StatusCode};
use progenitor_client::ByteStream;
use std::{future::Future, pin::pin};

#[cfg(not(target_arch = "wasm32"))]
use futures_util::{
    TryFutureExt as _,
    future::{Either, ready},
};

#[cfg(not(target_arch = "wasm32"))]
mod service;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use service::{Cloned, SendRequest};
#[cfg(not(target_arch = "wasm32"))]
pub use service::{DefaultTransport, RequestBody, TransportError};

/// The HTTP clients of a client. Two of them follow different redirects; without redirects they are one.
#[derive(Clone, Debug)]
pub(crate) struct HttpClients {
    pub(crate) reads: reqwest::Client,
    pub(crate) writes: reqwest::Client,
}

impl HttpClients {
    /// Begins to send a request, as [`Transport::send`] does.
    pub(crate) fn execute(
        &self,
        request: reqwest::Request,
    ) -> impl Future<Output = Result<reqwest::Response, reqwest::Error>> + use<> {
        let client = match *request.method() {
            Method::GET | Method::HEAD => &self.reads,
            _ => &self.writes,
        };
        client.execute(request)
    }
}

/// One client sends all requests.
impl From<reqwest::Client> for HttpClients {
    fn from(client: reqwest::Client) -> Self {
        HttpClients {
            reads: client.clone(),
            writes: client,
        }
    }
}

/// How the requests of a client are sent.
pub(crate) enum Transport {
    Reqwest(HttpClients),
    #[cfg(not(target_arch = "wasm32"))]
    Service(std::sync::Arc<dyn SendRequest>),
}

impl Transport {
    /// Begins to send a request. It is not part of the future, which would have to be moved with it.
    ///
    /// # Errors
    ///
    /// No response arrived.
    pub(crate) fn send(
        &self,
        request: reqwest::Request,
    ) -> impl Future<Output = Result<reqwest::Response, BoxError>> + Send + use<> {
        match self {
            #[cfg(target_arch = "wasm32")]
            Transport::Reqwest(clients) => {
                let sending = local(clients.execute(request));
                async { Ok(sending.await?) }
            }
            #[cfg(not(target_arch = "wasm32"))]
            Transport::Reqwest(clients) => Either::Left(clients.execute(request).err_into()),
            #[cfg(not(target_arch = "wasm32"))]
            // The connection of a service has no time limit of its own to take from the request.
            Transport::Service(service) => Either::Right(match request.try_into() {
                Ok(request) => service.send(request),
                Err(error) => Box::pin(ready(Err(BoxError::from(error)))),
            }),
        }
    }
}

/// A response as it was received. It is small, because it is moved from function to function.
pub(crate) struct Received {
    pub(crate) head: Box<Head>,
    body: Body,
}

/// The part of a response that is known before its body.
#[derive(Clone)]
pub(crate) struct Head {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) record: Record,
    /// How many bytes the body may have if it is read to its end.
    pub(crate) max_bytes: u64,
}

impl Head {
    /// Takes the headers out of a response.
    pub(crate) fn of(response: &mut reqwest::Response, max_bytes: u64) -> Box<Self> {
        Box::new(Head {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            record: Record::default(),
            max_bytes,
        })
    }
}

/// Why the body of a success was not read to its end.
pub(crate) enum BodyProblem {
    /// The connection broke, or it took too long.
    Broken(reqwest::Error),
    /// It has more bytes than the client may read.
    TooLarge,
}

/// Reads a body of at most so many bytes, counted after decompression. The chunks are copied as they arrive: one of a single
/// byte keeps a whole buffer of the connection in memory.
pub(crate) async fn read_body(
    response: Local<reqwest::Response>,
    max_bytes: u64,
) -> Result<Bytes, BodyProblem> {
    // In a block of its own: in browsers a response must not be held while its body is awaited.
    let chunks = {
        let response = take(response);
        let length = response.content_length();
        if length.is_some_and(|length| length > max_bytes) {
            return Err(BodyProblem::TooLarge);
        }
        local(response.bytes_stream())
    };
    let mut chunks = pin!(chunks);
    let (mut first, mut body) = (Bytes::new(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(BodyProblem::Broken)?;
        let length = first.len() + body.len() + chunk.len();
        if length as u64 > max_bytes {
            return Err(BodyProblem::TooLarge);
        }
        if length == chunk.len() {
            // Most bodies have one chunk.
            first = chunk;
        } else {
            body.extend_from_slice(&std::mem::take(&mut first));
            body.extend_from_slice(&chunk);
        }
    }
    Ok(if body.is_empty() { first } else { body.into() })
}

enum Body {
    /// The body was read.
    Complete(Bytes),
    /// The body has not been read; the headers were taken out of this response.
    Arriving(Box<Local<reqwest::Response>>),
}

impl Received {
    /// A response whose body has not been read.
    pub(crate) fn arriving(head: Box<Head>, response: reqwest::Response) -> Self {
        Received {
            head,
            body: Body::Arriving(Box::new(local(response))),
        }
    }

    /// A response whose body was read.
    pub(crate) fn complete(head: Box<Head>, body: Bytes) -> Self {
        Received {
            head,
            body: Body::Complete(body),
        }
    }

    /// The body, which is read to its end if it was not.
    ///
    /// # Errors
    ///
    /// The connection broke, it took too long, or it is too large.
    pub(crate) async fn into_bytes(self) -> Result<(Box<Head>, Bytes), (Box<Head>, BodyProblem)> {
        let response = match self.body {
            Body::Complete(bytes) => return Ok((self.head, bytes)),
            Body::Arriving(response) => *response,
        };
        match read_body(response, self.head.max_bytes).await {
            Ok(bytes) => Ok((self.head, bytes)),
            Err(problem) => Err((self.head, problem)),
        }
    }

    /// The body, if it was read.
    pub(crate) fn read_bytes(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Complete(bytes) => Some(bytes),
            Body::Arriving(_) => None,
        }
    }

    /// The body if it was read, and nothing otherwise.
    pub(crate) fn into_read_bytes(self) -> (Box<Head>, Bytes) {
        match self.body {
            Body::Complete(bytes) => (self.head, bytes),
            Body::Arriving(_) => (self.head, Bytes::new()),
        }
    }

    /// The beginning of the body, with at most one chunk more than `most` bytes; what comes before the connection breaks is
    /// enough.
    pub(crate) async fn begin(&mut self, most: usize) -> Vec<u8> {
        let mut text = Vec::new();
        match std::mem::replace(&mut self.body, Body::Complete(Bytes::new())) {
            Body::Complete(bytes) => text.extend_from_slice(&bytes),
            Body::Arriving(response) => {
                let mut chunks = pin!(local(take(*response).bytes_stream()));
                while let Some(Ok(chunk)) = chunks.next().await {
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
    pub(crate) fn into_stream(self) -> (Box<Head>, ByteStream) {
        let stream = match self.body {
            Body::Complete(bytes) => {
                ByteStream::new(Box::pin(futures_util::stream::iter([Ok(bytes)])))
            }
            Body::Arriving(response) => ByteStream::new(Box::pin(take(*response).bytes_stream())),
        };
        (self.head, stream)
    }
}

debug_fields!(Received, status(head.status));
