//! Sends requests with a `tower::Service` of the application.

use super::HttpClients;
use crate::{BoxError, ErrorKind, lock::lock};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http_body_util::BodyDataStream;
use std::{
    future::poll_fn,
    sync::Mutex,
    task::{Context, Poll},
};
use tower_service::Service;

/// The body of a request that a [transport](crate::ClientBuilder::transport) gets. It is an `http_body::Body`.
pub type RequestBody = reqwest::Body;

/// Why a transport of the application has no response. A transport may also return any other error; the client then assumes that the
/// service may have carried out the request.
///
/// ```
/// use openapi_dropshot_client::TransportError;
///
/// let error = TransportError::connect("the socket of the service is not there");
/// assert_eq!(error.to_string(), "no connection was established");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}", match kind {
    ErrorKind::Connect => "no connection was established",
    ErrorKind::Timeout => "it took too long",
    ErrorKind::Tls => "no secure connection was established",
    _ => "the transport rejected the request",
})]
pub struct TransportError {
    pub(crate) kind: ErrorKind,
    source: BoxError,
}

impl TransportError {
    /// No connection was established: the service has not received the request, and it can be sent again.
    pub fn connect(source: impl Into<BoxError>) -> Self {
        TransportError::new(ErrorKind::Connect, source)
    }

    /// The request took too long. It is unknown whether the service carried it out.
    pub fn timeout(source: impl Into<BoxError>) -> Self {
        TransportError::new(ErrorKind::Timeout, source)
    }

    /// No secure connection was established, for example because the certificate is not trusted. The request is not sent again.
    pub fn tls(source: impl Into<BoxError>) -> Self {
        TransportError::new(ErrorKind::Tls, source)
    }

    /// The transport rejects the request, so it is not sent again.
    pub fn rejected(source: impl Into<BoxError>) -> Self {
        TransportError::new(ErrorKind::Request, source)
    }

    fn new(kind: ErrorKind, source: impl Into<BoxError>) -> Self {
        TransportError {
            kind,
            source: source.into(),
        }
    }
}

/// The default transport of a client, which is reqwest. [`ClientBuilder::wrap_transport`](crate::ClientBuilder::wrap_transport)
/// passes it to the application.
#[derive(Clone, Debug)]
pub struct DefaultTransport(pub(crate) HttpClients);

impl Service<http::Request<RequestBody>> for DefaultTransport {
    type Response = http::Response<reqwest::Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<RequestBody>) -> Self::Future {
        let clients = self.0.clone();
        async move {
            let response = clients.execute(request.try_into()?).await?;
            Ok(response.into())
        }
        .boxed()
    }
}

/// A service whose type is erased.
pub(crate) trait SendRequest: Send + Sync {
    fn send(
        &self,
        request: http::Request<RequestBody>,
    ) -> BoxFuture<'static, Result<reqwest::Response, BoxError>>;
}

/// A service of the application. Each request is sent by a separate clone. The lock allows this for services that are not `Sync`.
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
        let mut service = lock(&self.0).clone();
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
