//! Makes a client: checks address and key once, so that nothing fails later
//! that could have been told at the start.

use crate::{
    BuildError, Client, Clock, Deprecation, RetryBudget, RetryPolicy,
    call::Settings,
    client::{Listener, Shared},
    retry::RealClock,
};
use http::header::HeaderValue;
use reqwest::{Proxy, Url, redirect};
use std::{fmt, sync::Arc, time::Duration};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one try may take.
const TRY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a call may take, with all its tries.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Settings of a [`Client`]; [`Client::builder`] starts one.
///
/// ```
/// use petstore_client::{Client, RetryPolicy};
/// use std::time::Duration;
///
/// let client = Client::builder("https://pets.example/v1")
///     .api_key("the-key")
///     .timeout(Duration::from_secs(60))
///     .try_timeout(Duration::from_secs(5))
///     .retry(RetryPolicy::new().max_tries(8))
///     .build()?;
/// # let _ = client;
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
#[must_use = "a client is made by `build`"]
#[derive(Clone)]
pub struct ClientBuilder {
    base_url: String,
    api_key: Option<String>,
    connect_timeout: Duration,
    settings: Settings,
    budget: RetryBudget,
    clock: Arc<dyn Clock>,
    proxies: Vec<Proxy>,
    no_proxy: bool,
    http: Option<reqwest::Client>,
    on_deprecation: Option<Listener>,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String) -> Self {
        ClientBuilder {
            base_url,
            api_key: None,
            connect_timeout: CONNECT_TIMEOUT,
            settings: Settings {
                timeout: TIMEOUT,
                try_timeout: TRY_TIMEOUT,
                retry: RetryPolicy::new(),
            },
            budget: RetryBudget::default(),
            clock: Arc::new(RealClock),
            proxies: Vec::new(),
            no_proxy: false,
            http: None,
            on_deprecation: None,
        }
    }

    /// The API key, without `Bearer`. Required: every operation asks for one
    /// (section 5 of the specification).
    ///
    /// ```
    /// # use petstore_client::{BuildError, Client};
    /// let forgotten = Client::builder("https://pets.example/v1").build();
    /// assert!(matches!(forgotten, Err(BuildError::MissingApiKey)));
    /// Client::builder("https://pets.example/v1").api_key("the-key").build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// How long a connection may take to be made; 5 seconds if not set.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let builder = petstore_client::Client::builder("https://pets.example/v1")
    ///     .connect_timeout(Duration::from_millis(500));
    /// # let _ = builder;
    /// ```
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a call may take, with all its tries and the pauses between them;
    /// 30 seconds if not set.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let builder = petstore_client::Client::builder("https://pets.example/v1")
    ///     .timeout(Duration::from_secs(5));
    /// # let _ = builder;
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How long one try may take, from connecting to the last byte of the answer;
    /// 10 seconds if not set.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let builder = petstore_client::Client::builder("https://pets.example/v1")
    ///     .try_timeout(Duration::from_secs(2));
    /// # let _ = builder;
    /// ```
    pub fn try_timeout(mut self, timeout: Duration) -> Self {
        self.settings.try_timeout = timeout;
        self
    }

    /// How often a call is tried, and how long it pauses; see [`RetryPolicy`].
    ///
    /// ```
    /// # use petstore_client::{Client, RetryPolicy};
    /// let builder = Client::builder("https://pets.example/v1").retry(RetryPolicy::never());
    /// # let _ = builder;
    /// ```
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.settings.retry = policy;
        self
    }

    /// What the calls of this client may spend on repetitions together; see
    /// [`RetryBudget`].
    ///
    /// ```
    /// # use petstore_client::{Client, RetryBudget};
    /// let shared = RetryBudget::default();
    /// let one = Client::builder("https://pets.example/v1").retry_budget(shared.clone());
    /// let other = Client::builder("https://pets.example/v1").retry_budget(shared);
    /// # let _ = (one, other);
    /// ```
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Another clock, for tests; see [`Clock`], which has an example.
    ///
    /// ```
    /// # use petstore_client::{Client, Clock};
    /// fn hurried(clock: impl Clock) -> petstore_client::ClientBuilder {
    ///     Client::builder("http://127.0.0.1:8080/v1").clock(clock)
    /// }
    /// ```
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// A proxy. Without one, and without
    /// [`http_client`](ClientBuilder::http_client), those of the system are used
    /// (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`).
    ///
    /// ```
    /// use petstore_client::{Client, reqwest::Proxy};
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let proxy = Proxy::all("http://proxy.example:3128")?;
    /// let client = Client::builder("https://pets.example/v1").api_key("the-key").proxy(proxy).build()?;
    /// # let _ = client;
    /// # Ok(())
    /// # }
    /// # example().expect("proxy and address are valid");
    /// ```
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxies.push(proxy);
        self
    }

    /// No proxy, not even those of the system.
    ///
    /// ```
    /// let builder = petstore_client::Client::builder("http://127.0.0.1:8080/v1").no_proxy();
    /// # let _ = builder;
    /// ```
    pub fn no_proxy(mut self) -> Self {
        self.proxies.clear();
        self.no_proxy = true;
        self
    }

    /// A client of HTTP that you made yourself: for certificates, addresses or
    /// pools that are not the usual ones. What concerns connections is then
    /// yours: [`connect_timeout`](ClientBuilder::connect_timeout) and
    /// [`proxy`](ClientBuilder::proxy) do nothing. Switch redirects off; the
    /// service never sends any.
    ///
    /// ```
    /// use petstore_client::{Client, reqwest};
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let http = reqwest::Client::builder()
    ///     .pool_max_idle_per_host(2)
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .build()?;
    /// let client = Client::builder("https://pets.example/v1").api_key("the-key").http_client(http).build()?;
    /// # let _ = client;
    /// # Ok(())
    /// # }
    /// # example().expect("all of it is valid");
    /// ```
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// What is called with each answer that says that its operation is
    /// deprecated. It should not take long: the call waits for it.
    ///
    /// The log says it as well, once an operation and process, at the level
    /// `warn`; [`Client::deprecated_calls`] has the numbers.
    ///
    /// ```
    /// let builder = petstore_client::Client::builder("https://pets.example/v1")
    ///     .on_deprecation(|deprecation| println!("{} will be gone", deprecation.operation()));
    /// # let _ = builder;
    /// ```
    pub fn on_deprecation(
        mut self,
        listener: impl Fn(&Deprecation) + Send + Sync + 'static,
    ) -> Self {
        self.on_deprecation = Some(Arc::new(listener));
        self
    }

    /// Makes the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The address or the key cannot be used as it is; see [`BuildError`].
    ///
    /// ```
    /// use petstore_client::{BuildError, Client};
    ///
    /// let client = Client::builder("pets.example/v1").api_key("the-key").build();
    /// assert!(matches!(client, Err(BuildError::InvalidBaseUrl { .. })));
    /// ```
    pub fn build(self) -> Result<Client, BuildError> {
        let base_url = checked_base_url(&self.base_url)?;
        let authorization =
            authorization(self.api_key.as_deref().ok_or(BuildError::MissingApiKey)?)?;
        let http = match self.http {
            Some(http) => http,
            None if HAS_TLS || base_url.starts_with("http:") => {
                http_client(self.connect_timeout, self.proxies, self.no_proxy)?
            }
            None => return Err(BuildError::NoTls),
        };
        Ok(Client::new(Shared {
            base_url,
            authorization,
            http,
            settings: self.settings,
            budget: self.budget,
            clock: self.clock,
            pace: Default::default(),
            on_deprecation: self.on_deprecation,
            deprecated: Default::default(),
        }))
    }
}

/// Whether this crate was built with anything that speaks TLS.
const HAS_TLS: bool = cfg!(any(feature = "rustls", feature = "native-tls"));

fn http_client(
    connect_timeout: Duration,
    proxies: Vec<Proxy>,
    no_proxy: bool,
) -> Result<reqwest::Client, BuildError> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("petstore-client/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        // The service never redirects. Whoever does is not the service, and
        // would turn a creation into a look-up.
        .redirect(redirect::Policy::none());
    if no_proxy {
        builder = builder.no_proxy();
    }
    for proxy in proxies {
        builder = builder.proxy(proxy);
    }
    builder.build().map_err(BuildError::Tls)
}

/// Neither key nor address: the latter may hold a password, which `build`
/// refuses only later.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("settings", &self.settings)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

fn checked_base_url(text: &str) -> Result<String, BuildError> {
    let url = Url::parse(text.trim()).map_err(|error| BuildError::InvalidBaseUrl {
        reason: error.to_string(),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BuildError::UnsupportedScheme {
            scheme: url.scheme().to_owned(),
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BuildError::CredentialsInBaseUrl);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(BuildError::QueryInBaseUrl);
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// `Bearer` with the key, which has to be visible ASCII (RFC 6750, section 2.1).
fn authorization(api_key: &str) -> Result<HeaderValue, BuildError> {
    if api_key.is_empty() {
        return Err(BuildError::MissingApiKey);
    }
    if let Some(index) = api_key.chars().position(|c| !c.is_ascii_graphic()) {
        return Err(BuildError::InvalidApiKey {
            position: index + 1,
        });
    }
    let mut value = HeaderValue::try_from(format!("Bearer {api_key}"))
        .map_err(|_| BuildError::InvalidApiKey { position: 1 })?;
    value.set_sensitive(true);
    Ok(value)
}
