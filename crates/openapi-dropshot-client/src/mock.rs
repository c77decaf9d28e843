//! A transport in memory for unit tests of applications. It needs no socket and no server.
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
//!
//! The client uses the clock of tokio. With `#[tokio::test(start_paused = true)]` (feature `test-util` of tokio), pauses between tries,
//! time limits and [delays](MockResponse::delay) pass at once, and `tokio::time::Instant` shows how long they would have taken.

use crate::{BoxError, RequestBody, TransportError, lock::lock, stream::is_sequence};
use bytes::Bytes;
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE,
};
use http_body_util::BodyExt as _;
use serde::Serialize;
use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// A transport in memory for unit tests. Pass it to [`ClientBuilder::transport`](crate::ClientBuilder::transport). Clones share their
/// responses and requests.
///
/// A request without a prepared response fails without retries. Its error names the method and the path.
#[derive(Clone, Debug, Default)]
pub struct MockTransport(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    next: VecDeque<MockResponse>,
    rules: Vec<Rule>,
    requests: Vec<MockRequest>,
}

/// The response to the requests with a method and a path.
struct Rule {
    method: Method,
    path: String,
    respond: Arc<dyn Fn(&MockRequest) -> MockResponse + Send + Sync>,
    is_used: bool,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl MockTransport {
    /// Creates a transport without responses.
    #[must_use]
    pub fn new() -> Self {
        MockTransport::default()
    }

    /// Adds the response to the next request. Responses are sent in the order in which they are added.
    pub fn respond(&self, response: MockResponse) {
        self.state().next.push_back(response);
    }

    /// Sets the response to each request with this method and this path, such as `/v1/books`. It is used when no response of `respond` is
    /// left.
    pub fn respond_to(&self, method: Method, path: impl Into<String>, response: MockResponse) {
        self.respond_with(method, path, move |_| response.clone());
    }

    /// Like [`respond_to`](MockTransport::respond_to), with a function that creates the response from the request.
    pub fn respond_with(
        &self,
        method: Method,
        path: impl Into<String>,
        respond: impl Fn(&MockRequest) -> MockResponse + Send + Sync + 'static,
    ) {
        self.state().rules.push(Rule {
            method,
            path: path.into(),
            respond: Arc::new(respond),
            is_used: false,
        });
    }

    /// Returns what was not used: the rules of `respond_to` and `respond_with` that no request matched, each as its method and path, and
    /// the number of responses that are left. A test can assert at its end that the result is empty.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let state = self.state();
        let rules = state.rules.iter().filter(|rule| !rule.is_used);
        let mut unused: Vec<String> = rules.map(|rule| format!("{rule:?}")).collect();
        if !state.next.is_empty() {
            unused.push(format!(
                "{} responses that were added with `respond`",
                state.next.len()
            ));
        }
        unused
    }

    /// Returns the requests that were received so far.
    #[must_use]
    pub fn requests(&self) -> Vec<MockRequest> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Records a request and returns the response to it.
    fn next(&self, request: &MockRequest) -> Option<MockResponse> {
        let mut state = self.state();
        state.requests.push(request.clone());
        if let Some(next) = state.next.pop_front() {
            return Some(next);
        }
        let mut rules = state.rules.iter_mut();
        let rule = rules.find(|rule| rule.method == request.method && rule.path == request.path)?;
        rule.is_used = true;
        let respond = Arc::clone(&rule.respond);
        // The function may use the transport.
        drop(state);
        Some(respond(request))
    }

    async fn response(&self, request: MockRequest) -> Result<Response<RequestBody>, BoxError> {
        let next = self.next(&request);
        let delay = next.as_ref().map_or(Duration::ZERO, |next| next.delay);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let MockRequest { method, path, .. } = request;
        match next.map(|response| response.scripted) {
            Some(Ok(response)) => Ok(response.map(MockBody::into_body)),
            Some(Err(error)) => Err(error()),
            None => {
                let message = format!("the mock has no response to {method} {path}");
                Err(TransportError::rejected(message).into())
            }
        }
    }
}

impl Service<Request<RequestBody>> for MockTransport {
    type Response = Response<RequestBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let transport = self.clone();
        async move {
            let (parts, body) = request.into_parts();
            let request = MockRequest {
                method: parts.method,
                path: parts.uri.path().to_owned(),
                query: parts.uri.query().map(str::to_owned),
                headers: parts.headers,
                body: body.collect().await?.to_bytes(),
            };
            transport.response(request).await
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
    /// The path, including the path of the base URL.
    pub path: String,
    /// The query, without the question mark.
    pub query: Option<String>,
    /// The headers. `Debug` does not show the API key.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A response of a [`MockTransport`].
///
/// ```
/// use openapi_dropshot_client::mock::MockResponse;
///
/// let page = MockResponse::json(200, &["Emma"]).header("link", "<?cursor=a>; rel=\"next\"");
/// let proxy = MockResponse::text(502, "text/html", "<h1>Bad Gateway</h1>");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a response does nothing before a transport has it"]
pub struct MockResponse {
    scripted: Result<Response<MockBody>, fn() -> BoxError>,
    delay: Duration,
}

#[derive(Clone, Debug, Default)]
struct MockBody {
    start: Bytes,
    /// The further parts of the body, each after a time.
    parts: Vec<(Duration, Bytes)>,
    end: End,
}

#[derive(Clone, Copy, Debug, Default)]
enum End {
    #[default]
    Complete,
    /// The end never arrives.
    Open,
    Broken,
}

/// The error of a broken connection.
fn broken() -> BoxError {
    "the mock breaks the connection".into()
}

impl MockBody {
    fn into_body(self) -> RequestBody {
        if self.parts.is_empty() && matches!(self.end, End::Complete) {
            return self.start.into();
        }
        let parts = stream::iter(self.parts).then(|(delay, bytes)| async move {
            tokio::time::sleep(delay).await;
            Ok(bytes)
        });
        let end: BoxStream<'_, Result<Bytes, BoxError>> = match self.end {
            End::Complete => stream::empty().boxed(),
            End::Open => stream::pending().boxed(),
            End::Broken => stream::iter([Err(broken())]).boxed(),
        };
        let start = stream::iter([Ok(self.start)]);
        RequestBody::wrap_stream(start.chain(parts).chain(end))
    }
}

impl MockResponse {
    /// Creates a response with a JSON body. An invalid status becomes 500. If the value cannot be written as JSON, the body is empty.
    pub fn json<T: Serialize + ?Sized>(status: u16, body: &T) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        MockResponse::with_body(status, "application/json", body)
    }

    /// Creates a response with an error body that has the properties `code`, `message` and `status`.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let body = serde_json::json!({ "code": code, "message": message, "status": status });
        MockResponse::json(status, &body)
    }

    /// Creates a response with a body of another media type, such as the page of a proxy.
    pub fn text(status: u16, media_type: &'static str, body: impl Into<String>) -> Self {
        MockResponse::with_body(status, media_type, body.into())
    }

    /// Creates a response with a [stream](crate::stream) of items in the format of this media type: lines for `application/jsonl`
    /// and `application/x-ndjson`, texts for `application/json-seq` and `+json-seq`, or events without id and type for
    /// `text/event-stream`. The status is 200. An item that cannot be written as JSON is omitted. Write other events with
    /// [`text`](MockResponse::text).
    ///
    /// ```
    /// use openapi_dropshot_client::mock::MockResponse;
    /// use std::time::Duration;
    ///
    /// let whole = MockResponse::items("application/jsonl", ["Emma", "Persuasion"]);
    /// let broken = MockResponse::items("application/jsonl", ["Emma"]).then_breaks();
    /// let events = MockResponse::text(200, "text/event-stream", "id: 1\ndata: \"Emma\"\n\n");
    /// let idle = events.then(Duration::from_secs(20), ": a heartbeat\n").stays_open();
    /// ```
    pub fn items<T: Serialize>(
        media_type: &'static str,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        let (before, behind) = match media_type {
            "text/event-stream" => ("data: ", "\n\n"),
            _ if is_sequence(media_type) => ("\u{1e}", "\n"),
            _ => ("", "\n"),
        };
        let items = items.into_iter();
        let items = items.filter_map(|item| serde_json::to_string(&item).ok());
        let body: String = items
            .map(|item| format!("{before}{item}{behind}"))
            .collect();
        MockResponse::text(200, media_type, body)
    }

    /// Continues the body with this text after a delay, which tokio's clock measures.
    pub fn then(self, delay: Duration, bytes: impl Into<Bytes>) -> Self {
        self.change_body(|body| body.parts.push((delay, bytes.into())))
    }

    /// The body does not end.
    pub fn stays_open(self) -> Self {
        self.change_body(|body| body.end = End::Open)
    }

    /// The connection breaks after this part of the body, instead of ending the body.
    pub fn then_breaks(self) -> Self {
        self.change_body(|body| body.end = End::Broken)
    }

    /// Creates a response without a body.
    pub fn empty(status: u16) -> Self {
        let mut response = Response::new(MockBody::default());
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        MockResponse::of(Ok(response))
    }

    /// No connection is established: the service does not receive the request.
    pub fn no_connection() -> Self {
        let error = || TransportError::connect("the mock makes no connection").into();
        MockResponse::of(Err(error))
    }

    /// The connection breaks: it is unknown whether the service carried out the request.
    pub fn broken() -> Self {
        MockResponse::of(Err(broken))
    }

    fn of(scripted: Result<Response<MockBody>, fn() -> BoxError>) -> Self {
        let delay = Duration::ZERO;
        MockResponse { scripted, delay }
    }

    /// Delays the response by this time, which tokio's clock measures.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Adds a header. A header that cannot be sent is omitted.
    pub fn header<N, V>(self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => self.change(|response| {
                response.headers_mut().append(name, value);
            }),
            _ => self,
        }
    }

    fn with_body(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let response = MockResponse::empty(status).header(CONTENT_TYPE, media_type);
        response.change_body(|content| content.start = body.into())
    }

    fn change_body(self, change: impl FnOnce(&mut MockBody)) -> Self {
        self.change(|response| change(response.body_mut()))
    }

    fn change(mut self, change: impl FnOnce(&mut Response<MockBody>)) -> Self {
        if let Ok(response) = &mut self.scripted {
            change(response);
        }
        self
    }
}
