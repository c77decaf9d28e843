//! The client: the state that all its requests share, and the function that sends each try.

use crate::{
    ClientBuilder, Deprecation,
    client_builder::Config,
    credentials::Provided,
    deprecation::{self, DEPRECATION, SUNSET},
    error::Failure,
    lock::lock,
    operation::Operation,
    platform::{local, take},
    retry_after::{RATE_LIMIT, rate_limit_pause},
    service::{Credential, Service},
    transport::{Head, Received, Transport},
};
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, LINK},
};
use reqwest::{Request, Url};
use std::{
    collections::BTreeMap,
    future::Future,
    ops::Deref,
    sync::{Arc, Mutex},
};

/// A client of one service, with the credentials and settings that its builder got.
///
/// A generated client wraps this type and adds the operations of its document. Cloning is cheap. Clones share their connections,
/// their retry budget, and the pauses that the service requested.
///
/// ```
/// use openapi_dropshot_client::Client;
///
/// let client = Client::builder("http://127.0.0.1:8080/v1/").api_key("the-key").build()?;
/// assert_eq!(client.base_url(), "http://127.0.0.1:8080/v1");
/// assert!(client.deprecated_calls().is_empty());
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// The function that is called for each deprecation.
pub(crate) type Listener = Arc<dyn Fn(&Deprecation) + Send + Sync>;

/// The state that the clones of a client share.
pub(crate) struct Shared {
    /// The settings of the client, with the checked URL.
    pub(crate) config: Config,
    /// The base URL with a slash at its end, to which paths are relative.
    pub(crate) base: Url,
    /// The headers of each request: the API key, marked as sensitive, and the headers that the application added.
    pub(crate) headers: HeaderMap,
    /// The same headers for requests whose response has a JSON body.
    pub(crate) json_headers: HeaderMap,
    /// The providers of credentials that the application set.
    pub(crate) credentials: Vec<Provided>,
    pub(crate) transport: Transport,
    /// For each operation, the number of responses that announced its deprecation.
    pub(crate) deprecated: Mutex<BTreeMap<&'static str, u64>>,
}

impl Deref for Shared {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

/// The service of a client that has no generated code.
static ANY_SERVICE: Service =
    crate::service!("openapi_dropshot_client", Credential::Bearer, required: false);

impl Client {
    /// Starts a client of the service at this URL, such as `http://127.0.0.1:8080/v1`; a trailing slash is ignored. The client has no
    /// operations. A generated client has a function of the same name that returns its own type.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url, &ANY_SERVICE)
    }

    /// Returns the base URL of the service, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// Returns a builder with the settings of this client, so that you can change some of them: another API key, URL, time limit or
    /// interceptor. The new client shares the connections of this one, unless their settings change, and the retry budget. It also
    /// shares the pauses that the service requested, unless it gets another credential or URL. It has its own copy of a key that a
    /// provider loads. Headers and interceptors are added to those of this client.
    ///
    /// ```
    /// use openapi_dropshot_client::Client;
    ///
    /// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
    /// let other: Client = client.to_builder().api_key("another-key").build()?;
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    pub fn to_builder<K: From<Client>>(&self) -> ClientBuilder<K> {
        ClientBuilder::with_config(self.shared.config.clone())
    }

    /// Returns how many responses announced the deprecation of their operation, by `operationId`.
    pub fn deprecated_calls(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.shared.deprecated).clone()
    }

    /// Sends a request once. Reads a JSON response to its end, so that the request can be sent again if the response is interrupted.
    /// It does not read other bodies, or bodies that the application reads itself. This function sends every try of every operation.
    /// `is_early` means that the service requested a longer pause before this try.
    ///
    /// # Errors
    ///
    /// Returns an error if no response arrives, if its body ends early or is too large, or if its status is an error.
    pub(crate) fn exchange(
        &self,
        request: Request,
        url: &Url,
        operation: &'static Operation,
        is_streamed: bool,
        is_early: bool,
        max_bytes: u64,
    ) -> impl Future<Output = Result<Received, Failure>> + Send {
        let sending = self.shared.transport.send(request);
        async move {
            let no_response = |error| Failure::no_response(operation.id, self.base_url(), error);
            let mut response = local(sending.await.map_err(no_response)?);
            let head = Head::of(&mut response, max_bytes);
            if is_early && head.status.is_success() {
                // The service no longer needs the pause; this response may request another one.
                self.shared.throttle.end();
            }
            self.read_notices(operation, url, &head);
            let is_success = head.status.is_success();
            let kind = head.headers.get(CONTENT_TYPE);
            let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
            let received = Received::arriving(head, take(response));
            if !is_success {
                return Err(Failure::from_response(received).await);
            }
            if is_streamed || !is_json {
                return Ok(received);
            }
            let (head, body) = received.into_bytes().await?;
            Ok(Received::complete(head, body))
        }
    }

    /// Checks whether a response requests that the client slows down, and whether it reports a deprecated operation.
    fn read_notices(&self, operation: &'static Operation, url: &Url, response: &Head) {
        let shared = &self.shared;
        let headers = &response.headers;
        // Most responses have none of these headers. Comparing each header name once is faster than looking up each of these headers.
        let (mut limited, mut deprecated) =
            (response.status == StatusCode::TOO_MANY_REQUESTS, false);
        for name in headers.keys() {
            limited |= *name == RATE_LIMIT;
            deprecated |= *name == LINK || *name == DEPRECATION || *name == SUNSET;
        }
        if limited && let Some(wait) = rate_limit_pause(response.status, headers) {
            shared.throttle.slow_down(shared.clock.now(), wait);
        }
        if deprecated && let Some(deprecation) = deprecation::read(operation.id, url, headers) {
            *lock(&shared.deprecated).entry(operation.id).or_default() += 1;
            if deprecation::is_first(shared.service.package, operation.id) {
                (shared.service.log_deprecation)(&deprecation);
            }
            if let Some(listener) = &shared.on_deprecation {
                listener(&deprecation);
            }
        }
    }
}

debug_fields!(Client, base_url(shared.base_url));
