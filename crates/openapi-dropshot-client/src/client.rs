//! The client: the state that all requests of a client share, and the one function that sends each of their tries.

use crate::{
    ClientBuilder, Clock, Deprecation, RetryBudget,
    call::Settings,
    deprecation::{self, Tally},
    error::Failure,
    generated::{Credential, Operation, Service},
    retry::{self, Throttle},
};
use http::{HeaderName, HeaderValue};
use reqwest::{Method, Request, RequestBuilder, Response};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// A client of one service, with one API key.
///
/// A generated client wraps it and adds the operations of its document. Cloning is cheap, and clones share their
/// connections, their retry budget, and the pauses that the service asked for.
///
/// ```
/// use openapi_dropshot_client::Client;
///
/// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
/// # let _ = client;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

/// The function that is called with each deprecation.
pub(crate) type Listener = Arc<dyn Fn(&Deprecation) + Send + Sync>;

/// The state that the clones of a client share.
pub(crate) struct Shared {
    pub(crate) base_url: String,
    /// The header with the API key, marked as sensitive.
    pub(crate) credential: Option<(HeaderName, HeaderValue)>,
    pub(crate) http: reqwest::Client,
    pub(crate) service: &'static Service,
    pub(crate) settings: Settings,
    pub(crate) budget: RetryBudget,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) throttle: Throttle,
    pub(crate) on_deprecation: Option<Listener>,
    pub(crate) deprecated: Tally,
}

/// The service of a client that was not generated.
static ANY_SERVICE: Service =
    crate::service!("openapi_dropshot_client", Credential::Bearer, required: false);

impl Client {
    /// Starts a client of the service at this address, such as `http://127.0.0.1:8080/v1`; a slash at its end does
    /// not matter. It has no operations; a generated client has a function of the same name for its own type.
    ///
    /// ```
    /// use openapi_dropshot_client::Client;
    ///
    /// let client = Client::builder("https://books.example/v1").api_key("the-key").build()?;
    /// # let _ = client;
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url, &ANY_SERVICE)
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Client {
            shared: Arc::new(shared),
        }
    }

    /// The address of the service, without a slash at its end.
    ///
    /// ```
    /// use openapi_dropshot_client::Client;
    ///
    /// let client = Client::builder("http://127.0.0.1:8080/v1/").build()?;
    /// assert_eq!(client.base_url(), "http://127.0.0.1:8080/v1");
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// How many responses said that their operation is deprecated, by `operationId`.
    ///
    /// ```
    /// use openapi_dropshot_client::Client;
    ///
    /// let client = Client::builder("http://127.0.0.1:8080/v1").build()?;
    /// for (operation, responses) in client.deprecated_calls() {
    ///     println!("{operation} was called {responses} times, and will be removed");
    /// }
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    pub fn deprecated_calls(&self) -> BTreeMap<&'static str, u64> {
        self.shared.deprecated.counts()
    }

    /// A request with the API key.
    pub(crate) fn request(&self, method: Method, url: String) -> RequestBuilder {
        let request = self.shared.http.request(method, url);
        match &self.shared.credential {
            Some((name, value)) => request.header(name, value),
            None => request,
        }
    }

    /// Sends a request once. Every try of every operation is sent by this function.
    ///
    /// # Errors
    ///
    /// There is no response, or it is an error.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        operation: &'static Operation,
    ) -> Result<Response, Failure> {
        let shared = &self.shared;
        let url = request.url().clone();
        let on_response = |response: &Response| {
            if let Some(wait) = retry::throttle(response.status(), response.headers()) {
                shared.throttle.slow_down(shared.clock.now(), wait);
            }
            if let Some(deprecation) = deprecation::read(operation.id, &url, response.headers()) {
                shared.deprecated.count(operation.id);
                if deprecation::is_first(shared.service.package, operation.id) {
                    (shared.service.log_deprecation)(&deprecation);
                }
                if let Some(listener) = &shared.on_deprecation {
                    listener(&deprecation);
                }
            }
        };
        retry::exchange(
            &shared.http,
            request,
            operation.id,
            self.base_url(),
            on_response,
        )
        .await
    }

    pub(crate) fn service(&self) -> &'static Service {
        self.shared.service
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    pub(crate) fn budget(&self) -> &RetryBudget {
        &self.shared.budget
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.shared.clock.as_ref()
    }

    pub(crate) fn throttle(&self) -> &Throttle {
        &self.shared.throttle
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.base_url)
            .finish_non_exhaustive()
    }
}
