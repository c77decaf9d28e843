//! The client: what every request has in common, and the one place through
//! which all of them go. The operations are in `generated`, tries in `retry`.

use crate::{
    ClientBuilder, Clock, Deprecation, Error, RetryBudget,
    call::{Operation, Settings},
    deprecation::{self, Tally},
    retry::{self, Pace},
};
use http::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, Request, RequestBuilder, Response};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// A client of one service, with one API key.
///
/// Cloning is cheap, and clones share their connections, what they may spend on
/// repetitions, and the pace that the service asked for.
///
/// ```no_run
/// use petstore_client::Client;
///
/// # async fn example() -> Result<(), petstore_client::Error> {
/// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
/// let first = client.list_pets().limit(5).send().await?;
/// println!("{} pets", first.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

/// Who wants to hear of deprecations.
pub(crate) type Listener = Arc<dyn Fn(&Deprecation) + Send + Sync>;

/// What the clones of a client share.
pub(crate) struct Shared {
    pub(crate) base_url: String,
    /// `Bearer …`, marked as sensitive.
    pub(crate) authorization: HeaderValue,
    pub(crate) http: reqwest::Client,
    pub(crate) settings: Settings,
    pub(crate) budget: RetryBudget,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pace: Pace,
    pub(crate) on_deprecation: Option<Listener>,
    pub(crate) deprecated: Tally,
}

impl Client {
    /// Starts a client of the service at this address, such as
    /// `http://127.0.0.1:8080/v1`. It ends with the version of the interface
    /// (section 9 of the specification); a slash after it does not matter.
    ///
    /// ```
    /// use petstore_client::Client;
    ///
    /// let client = Client::builder("https://pets.example/v1").api_key("the-key").build()?;
    /// # let _ = client;
    /// # Ok::<(), petstore_client::BuildError>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Client {
            shared: Arc::new(shared),
        }
    }

    /// The address of the service, without a slash at its end.
    ///
    /// ```
    /// use petstore_client::Client;
    ///
    /// let client = Client::builder("http://127.0.0.1:8080/v1/").api_key("the-key").build()?;
    /// assert_eq!(client.base_url(), "http://127.0.0.1:8080/v1");
    /// # Ok::<(), petstore_client::BuildError>(())
    /// ```
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// How many answers said that their operation is deprecated, by
    /// `operationId`: what to look at before an upgrade.
    ///
    /// ```
    /// use petstore_client::Client;
    ///
    /// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
    /// for (operation, answers) in client.deprecated_calls() {
    ///     println!("{operation} was called {answers} times, and will be gone");
    /// }
    /// # Ok::<(), petstore_client::BuildError>(())
    /// ```
    pub fn deprecated_calls(&self) -> BTreeMap<&'static str, u64> {
        self.shared.deprecated.counts()
    }

    /// A request with the key (section 5 of the specification).
    pub(crate) fn request(&self, method: Method, url: String) -> RequestBuilder {
        self.shared
            .http
            .request(method, url)
            .header(AUTHORIZATION, self.shared.authorization.clone())
    }

    /// Sends a request once. Every try of every operation comes through here, so
    /// this is the place for what concerns all of them.
    ///
    /// # Errors
    ///
    /// There is no answer, or it is an error.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        operation: Operation,
    ) -> Result<Response, Error> {
        let url = request.url().clone();
        let on_answer = |response: &Response| {
            if let Some(wait) = retry::pace_of(response) {
                self.shared.pace.slow_down(self.shared.clock.now(), wait);
            }
            if let Some(found) = deprecation::read(operation.id, &url, response.headers()) {
                self.shared.deprecated.count(operation.id);
                deprecation::log_once(&found);
                if let Some(listener) = &self.shared.on_deprecation {
                    listener(&found);
                }
            }
        };
        let (http, base_url) = (&self.shared.http, self.base_url());
        retry::exchange(http, request, operation.id, base_url, on_answer).await
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

    pub(crate) fn pace(&self) -> &Pace {
        &self.shared.pace
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.base_url)
            .finish_non_exhaustive()
    }
}
