//! Sends requests and receives responses, with reqwest or with a `tower::Service` of the application.

use crate::{
    BoxError,
    platform::{Local, local, take},
    record::Record,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::{HeaderMap, Method, StatusCode, header::CONTENT_TYPE};
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

/// The HTTP clients of a client. There are two if they follow different redirects; otherwise there is only one.
#[derive(Clone, Debug)]
pub(crate) struct HttpClients {
    pub(crate) reads: reqwest::Client,
    pub(crate) writes: reqwest::Client,
}

impl HttpClients {
    /// Starts to send a request, as [`Transport::send`] does.
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
    /// Starts to send a request. The request is not a part of the future, because it would have to be moved with it.
    ///
    /// # Errors
    ///
    /// Returns an error if no response arrives.
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
            // The connection of a `tower::Service` does not use the time limit of the request.
            Transport::Service(service) => Either::Right(match request.try_into() {
                Ok(request) => service.send(request),
                Err(error) => Box::pin(ready(Err(BoxError::from(error)))),
            }),
        }
    }
}

/// A response as it was received. It is small, because many functions move it.
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

/// Returns the media type of a response, without parameters and in lower case; `None` if the response does not have one.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?;
    let value = String::from_utf8_lossy(value.as_bytes());
    let essence = value.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

/// Why the body of a successful response was not read to its end.
pub(crate) enum BodyProblem {
    /// The connection broke, or the body took too long.
    Broken(reqwest::Error),
    /// The body has more bytes than the client may read.
    TooLarge,
}

/// Reads a body of at most this many bytes, counted after decompression. The chunks are copied as they arrive, because a
/// chunk of a single byte would keep a whole buffer of the connection in memory.
async fn read_body(
    response: Local<reqwest::Response>,
    max_bytes: u64,
) -> Result<Bytes, BodyProblem> {
    // This is a separate block, because in browsers a response must not be held while its body is awaited.
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
            // Most bodies have only one chunk.
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

    /// Returns the body. It is read to its end if it was not read before.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection broke, or if the body took too long or is too large.
    pub(crate) async fn into_bytes(self) -> Result<(Box<Head>, Bytes), (Box<Head>, BodyProblem)> {
        let body = match self.body {
            Body::Complete(bytes) => Ok(bytes),
            Body::Arriving(response) => read_body(*response, self.head.max_bytes).await,
        };
        match body {
            Ok(bytes) => Ok((self.head, bytes)),
            Err(problem) => Err((self.head, problem)),
        }
    }

    /// Returns the body, if it was read.
    pub(crate) fn read_bytes(&self) -> Option<&Bytes> {
        match &self.body {
            Body::Complete(bytes) => Some(bytes),
            Body::Arriving(_) => None,
        }
    }

    /// Returns the beginning of the body, with at most one chunk more than `most` bytes. If the connection breaks, returns
    /// the bytes before that.
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

    /// Returns the body as it arrives.
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
