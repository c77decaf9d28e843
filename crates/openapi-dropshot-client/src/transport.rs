//! Sends requests and receives responses: by reqwest, or by a `tower::Service` of the application.

use crate::{BoxError, retry::Record};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyDataStream;
use progenitor_client::ByteStream;
use std::{
    fmt,
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
};
use tower_service::Service;

/// The body of a request that a [transport](crate::ClientBuilder::transport) gets; it is an `http_body::Body`.
pub type RequestBody = reqwest::Body;

/// Why a transport of the application has no response. A transport may return any other error as well; the client then
/// assumes that it does not know whether the service carried out the request.
///
/// ```
/// use openapi_dropshot_client::TransportError;
///
/// let error = TransportError::connect("the socket of the service is not there");
/// assert_eq!(error.to_string(), "no connection was made");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}", match kind {
    TransportErrorKind::Connect => "no connection was made",
    TransportErrorKind::Timeout => "it took too long",
    TransportErrorKind::Tls => "no secure connection was made",
    TransportErrorKind::Rejected => "the transport rejected the request",
})]
pub struct TransportError {
    pub(crate) kind: TransportErrorKind,
    source: BoxError,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TransportErrorKind {
    Connect,
    Timeout,
    Tls,
    Rejected,
}

impl TransportError {
    /// No connection was made: the service has seen nothing of the request, and it can be sent again.
    pub fn connect(source: impl Into<BoxError>) -> Self {
        TransportError::new(TransportErrorKind::Connect, source)
    }

    /// It took too long. It is unknown whether the service carried out the request.
    pub fn timeout(source: impl Into<BoxError>) -> Self {
        TransportError::new(TransportErrorKind::Timeout, source)
    }

    /// No secure connection was made, for instance because the certificate is not trusted. The request is not sent again.
    pub fn tls(source: impl Into<BoxError>) -> Self {
        TransportError::new(TransportErrorKind::Tls, source)
    }

    /// The transport does not send the request, now and later.
    pub fn rejected(source: impl Into<BoxError>) -> Self {
        TransportError::new(TransportErrorKind::Rejected, source)
    }

    fn new(kind: TransportErrorKind, source: impl Into<BoxError>) -> Self {
        TransportError {
            kind,
            source: source.into(),
        }
    }
}

/// How the requests of a client are sent.
pub(crate) enum Transport {
    Reqwest(reqwest::Client),
    Service(Arc<dyn SendRequest>),
}

impl Transport {
    /// # Errors
    ///
    /// There is no response.
    pub(crate) async fn send(&self, request: reqwest::Request) -> Result<Received, BoxError> {
        let response = match self {
            Transport::Reqwest(client) => client.execute(request).await?,
            Transport::Service(service) => {
                // The connection of a service has no time limit of its own to take from the request.
                service.send(request.try_into()?).await?
            }
        };
        Ok(Received::new(response))
    }
}

/// A service without its type.
pub(crate) trait SendRequest: Send + Sync {
    fn send(
        &self,
        request: http::Request<RequestBody>,
    ) -> BoxFuture<'static, Result<reqwest::Response, BoxError>>;
}

/// A service of the application. Each request is sent by a clone of its own, which the lock makes possible for services
/// that are not `Sync`.
pub(crate) struct Cloned<S>(pub(crate) Mutex<S>);

impl<S, B> SendRequest for Cloned<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(
        &self,
        request: http::Request<RequestBody>,
    ) -> BoxFuture<'static, Result<reqwest::Response, BoxError>> {
        let mut service = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        async move {
            poll_fn(|context| service.poll_ready(context))
                .await
                .map_err(Into::into)?;
            let response = service.call(request).await.map_err(Into::into)?;
            let response =
                response.map(|body| reqwest::Body::wrap_stream(BodyDataStream::new(body)));
            Ok(reqwest::Response::from(response))
        }
        .boxed()
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
    Arriving(reqwest::Response),
}

impl Received {
    fn new(mut response: reqwest::Response) -> Self {
        Received {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            record: Record::default(),
            body: Body::Arriving(response),
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
        match response.bytes().await {
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
    /// enough.
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
            Body::Arriving(response) => ByteStream::new(Box::pin(response.bytes_stream())),
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
