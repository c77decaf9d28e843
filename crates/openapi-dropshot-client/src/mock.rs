//! A transport in memory, for unit tests of applications: it needs no socket and no server.
//!
//! ```
//! use openapi_dropshot_client::{Client, mock::{MockResponse, MockTransport}};
//!
//! let service = MockTransport::new();
//! service.respond(MockResponse::error(503, "overloaded", "later"));
//! service.respond(MockResponse::json(200, &["Emma", "Persuasion"]));
//! let client = Client::builder("http://books.example/v1").transport(service.clone()).build()?;
//! // Calls of the client get these responses, one after the other.
//! assert_eq!(service.requests().len(), 0);
//! # Ok::<(), openapi_dropshot_client::BuildError>(())
//! ```

use crate::{BoxError, RequestBody, TransportError};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use serde::Serialize;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};
use tower_service::Service;

/// A transport in memory; [`ClientBuilder::transport`](crate::ClientBuilder::transport) takes it. Clones share their
/// responses and requests.
///
/// A request for which there is no response is not sent again, and its error names the method and the path.
#[derive(Clone, Debug, Default)]
pub struct MockTransport(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    next: VecDeque<MockResponse>,
    always: Vec<(Method, String, MockResponse)>,
    requests: Vec<MockRequest>,
}

impl MockTransport {
    /// A transport without responses.
    #[must_use]
    pub fn new() -> Self {
        MockTransport::default()
    }

    /// The response to the next request that has none yet. Responses are sent in the order in which they are added.
    pub fn respond(&self, response: MockResponse) {
        self.state().next.push_back(response);
    }

    /// The response to each request with this method and this path, such as `/v1/books`, once no other response is left.
    pub fn respond_to(&self, method: Method, path: impl Into<String>, response: MockResponse) {
        self.state().always.push((method, path.into(), response));
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<MockRequest> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn response(&self, request: MockRequest) -> Result<Response<Full<Bytes>>, BoxError> {
        let mut state = self.state();
        let next = state.next.pop_front().or_else(|| {
            let mut always = state.always.iter();
            let found =
                always.find(|(method, path, _)| *method == request.method && *path == request.path);
            found.map(|(_, _, response)| response.clone())
        });
        let (method, path) = (request.method.clone(), request.path.clone());
        state.requests.push(request);
        match next.map(|response| response.0) {
            Some(Scripted::Response(status, headers, body)) => {
                let mut response = Response::new(Full::from(body));
                *response.status_mut() = status;
                *response.headers_mut() = headers;
                Ok(response)
            }
            Some(Scripted::NoConnection) => {
                Err(TransportError::connect("the mock makes no connection").into())
            }
            Some(Scripted::Broken) => Err("the mock breaks the connection".into()),
            None => {
                let message = format!("the mock has no response to {method} {path}");
                Err(TransportError::rejected(message).into())
            }
        }
    }
}

impl Service<Request<RequestBody>> for MockTransport {
    type Response = Response<Full<Bytes>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let transport = self.clone();
        async move {
            let (parts, body) = request.into_parts();
            transport.response(MockRequest {
                method: parts.method,
                path: parts.uri.path().to_owned(),
                query: parts.uri.query().map(str::to_owned),
                headers: parts.headers,
                body: body.collect().await?.to_bytes(),
            })
        }
        .boxed()
    }
}

/// A request that a [`MockTransport`] has received.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MockRequest {
    /// The method.
    pub method: Method,
    /// The path, with that of the base URL.
    pub path: String,
    /// The query, without the question mark.
    pub query: Option<String>,
    /// The headers. `Debug` does not show the API key.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// What a [`MockTransport`] responds.
///
/// ```
/// use openapi_dropshot_client::mock::MockResponse;
///
/// let page = MockResponse::json(200, &["Emma"]).header("link", "<?cursor=a>; rel=\"next\"");
/// let proxy = MockResponse::text(502, "text/html", "<h1>Bad Gateway</h1>");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a response does nothing before a transport has it"]
pub struct MockResponse(Scripted);

#[derive(Clone, Debug)]
enum Scripted {
    Response(StatusCode, HeaderMap, Bytes),
    NoConnection,
    Broken,
}

impl MockResponse {
    /// A JSON body. A status that does not exist becomes 500, and a value that cannot be written as JSON an empty body.
    pub fn json<T: Serialize + ?Sized>(status: u16, body: &T) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        MockResponse::with_body(status, "application/json", body)
    }

    /// An error body with the members `code`, `message` and `status`.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let body = serde_json::json!({ "code": code, "message": message, "status": status });
        MockResponse::json(status, &body)
    }

    /// A body of another media type, such as the page of a proxy.
    pub fn text(status: u16, media_type: &'static str, body: impl Into<String>) -> Self {
        MockResponse::with_body(status, media_type, body.into())
    }

    /// No body.
    pub fn empty(status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        MockResponse(Scripted::Response(status, HeaderMap::new(), Bytes::new()))
    }

    /// No connection is made: the service sees nothing of the request.
    pub fn no_connection() -> Self {
        MockResponse(Scripted::NoConnection)
    }

    /// The connection breaks: it is unknown whether the service carried out the request.
    pub fn broken() -> Self {
        MockResponse(Scripted::Broken)
    }

    /// Adds a header. One that cannot be sent is left out.
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        if let (Scripted::Response(_, headers, _), Ok(name), Ok(value)) =
            (&mut self.0, name.try_into(), value.try_into())
        {
            headers.append(name, value);
        }
        self
    }

    fn with_body(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut response = MockResponse::empty(status);
        if let Scripted::Response(_, headers, bytes) = &mut response.0 {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            *bytes = body.into();
        }
        response
    }
}
