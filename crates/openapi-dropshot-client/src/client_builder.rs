//! Builds a client. The URL and the API key are checked once, so that no call fails later because of them.

use crate::{
    ApiKey, BuildError, Client, Clock, Credentials, Deprecation, Interceptor, RetryBudget,
    RetryPolicy,
    call::{AddedHeaders, Settings},
    client::{Listener, Shared},
    credentials::{Provided, unchanging},
    retry::clock::RealClock,
    service::{Scheme, Service},
    throttle::Throttle,
    transport::{HttpClients, Transport},
};
use http::{
    HeaderName, HeaderValue,
    header::{ACCEPT, USER_AGENT},
};
use reqwest::Url;
use std::{marker::PhantomData, sync::Arc, time::Duration};

#[cfg(not(target_arch = "wasm32"))]
use {
    crate::{
        BoxError,
        transport::{Cloned, DefaultTransport, RequestBody, SendRequest},
    },
    reqwest::{Proxy, redirect},
    std::sync::Mutex,
    tower_service::Service as TowerService,
};

/// The default time limit for establishing a connection.
#[cfg(not(target_arch = "wasm32"))]
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Settings of a client. Create them with [`Client::builder`] or with the function of the same name of a generated client.
///
/// `K` is the client that [`build`](ClientBuilder::build) returns. A generated client has an alias `ClientBuilder` that sets `K`.
///
/// ```
/// use openapi_dropshot_client::{Client, RetryBudget, RetryPolicy};
/// use std::time::Duration;
///
/// let client = Client::builder("https://books.example/v1")
///     .api_key("the-key")
///     .connect_timeout(Duration::from_millis(500))
///     .try_timeout(Duration::from_secs(5))
///     .timeout(Duration::from_secs(60))
///     .retry(RetryPolicy::new().max_tries(8))
///     .retry_budget(RetryBudget::new(20, 10))
///     .no_proxy()
///     .on_deprecation(|deprecation| println!("{} will be removed", deprecation.operation()))
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone)]
#[must_use = "`build` creates the client"]
pub struct ClientBuilder<K = Client> {
    pub(crate) config: Config,
    client: PhantomData<fn() -> K>,
}

/// The settings, independent of the type of the client.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) base_url: String,
    pub(crate) service: &'static Service,
    api_key: Option<Arc<dyn Credentials>>,
    of_schemes: Vec<(&'static Scheme, Arc<dyn Credentials>)>,
    app_name: Option<String>,
    added_headers: AddedHeaders,
    pub(crate) settings: Settings,
    pub(crate) budget: RetryBudget,
    pub(crate) clock: Arc<dyn Clock>,
    http: Option<Http>,
    connections: Connections,
    #[cfg(not(target_arch = "wasm32"))]
    wrap: Option<Wrap>,
    /// The HTTP clients of the client from which the settings were copied. Their connections are reused as long as their settings stay the
    /// same.
    reused: Option<HttpClients>,
    pub(crate) on_deprecation: Option<Listener>,
    /// The pauses that the service requested, for one credential.
    pub(crate) throttle: Arc<Throttle>,
}

/// How the default transport establishes connections, and which redirects it follows. In a browser, the browser decides.
#[derive(Clone, Default)]
struct Connections {
    /// The time limit for establishing a connection, if it is not the default.
    #[cfg(not(target_arch = "wasm32"))]
    timeout: Option<Duration>,
    #[cfg(not(target_arch = "wasm32"))]
    proxies: Vec<Proxy>,
    #[cfg(not(target_arch = "wasm32"))]
    no_proxy: bool,
    #[cfg(not(target_arch = "wasm32"))]
    follows_redirects: bool,
}

/// Creates the transport of the application from the default transport.
#[cfg(not(target_arch = "wasm32"))]
type Wrap = Arc<dyn Fn(DefaultTransport) -> Arc<dyn SendRequest> + Send + Sync>;

/// The transport, if the application sets one.
#[derive(Clone)]
enum Http {
    Reqwest(reqwest::Client),
    #[cfg(not(target_arch = "wasm32"))]
    Service(Arc<dyn SendRequest>),
}

impl<K: From<Client>> ClientBuilder<K> {
    /// Starts a client of a generated crate, whose service is `service`; see [`Service`] for an example.
    pub fn new(base_url: impl Into<String>, service: &'static Service) -> Self {
        ClientBuilder::with_config(Config {
            base_url: base_url.into(),
            service,
            api_key: None,
            of_schemes: Vec::new(),
            app_name: None,
            added_headers: AddedHeaders::default(),
            settings: Settings::default(),
            budget: RetryBudget::default(),
            clock: Arc::new(RealClock),
            http: None,
            connections: Connections::default(),
            #[cfg(not(target_arch = "wasm32"))]
            wrap: None,
            reused: None,
            on_deprecation: None,
            throttle: Arc::default(),
        })
    }

    /// Starts with the settings of another client.
    pub(crate) fn with_config(config: Config) -> Self {
        ClientBuilder {
            config,
            client: PhantomData,
        }
    }

    /// Sets the API key, without `Bearer`. It is required if every operation of the document needs one. Every call sends it. In a
    /// client with the module `schemes`, it is sent as the scheme that most operations require; pass keys of other schemes to
    /// [`credential`](ClientBuilder::credential).
    ///
    /// ```
    /// # use openapi_dropshot_client::{BuildError, Client};
    /// Client::builder("https://books.example/v1").api_key("the-key").build()?;
    /// let invalid = Client::builder("https://books.example/v1").api_key("the key").build();
    /// assert!(matches!(invalid, Err(BuildError::InvalidApiKey { position: 4 })));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn api_key(self, api_key: impl Into<String>) -> Self {
        self.credentials(ApiKey::new(api_key))
    }

    /// Sets a provider of API keys that change, instead of an [`api_key`](ClientBuilder::api_key). [`Credentials`] has an example.
    pub fn credentials(mut self, provider: impl Credentials) -> Self {
        self.config.api_key = Some(Arc::new(provider));
        self.config.throttle = Arc::default();
        self
    }

    /// Sets the credential of a security scheme of the document, for clients whose module `schemes` lists several schemes: an [`ApiKey`],
    /// or a provider of keys that change. It replaces an earlier credential of this scheme.
    ///
    /// Each call sends the credentials that its operation requires. If schemes are required together, it sends the credentials of all of
    /// them. If there are several alternatives, it uses the first one for which all credentials are set. If no alternative is complete and
    /// the document allows requests without credentials, it sends none. Otherwise it sends the available credentials, because an
    /// [`Interceptor`] can add others, such as a signature of the body.
    ///
    /// ```
    /// use openapi_dropshot_client::{ApiKey, Client, generated::{Credential, Scheme}};
    ///
    /// // A generated client has this in its module `schemes`.
    /// static PARTNER: Scheme = Scheme { name: "partner", credential: Credential::Basic };
    ///
    /// let client = Client::builder("https://books.example/v1")
    ///     .credential(&PARTNER, ApiKey::user("library", "the-password"))
    ///     .build()?;
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    ///
    /// [`ApiKey`]: crate::ApiKey
    pub fn credential(mut self, scheme: &'static Scheme, provider: impl Credentials) -> Self {
        let of_schemes = &mut self.config.of_schemes;
        of_schemes.retain(|(other, _)| other.name != scheme.name);
        of_schemes.push((scheme, Arc::new(provider)));
        self.config.throttle = Arc::default();
        self
    }

    /// Sets the name and the version of the application, such as `shelter/1.2`, for the logs of the service. They follow the name and
    /// version of the client in the header `User-Agent`, with every transport and HTTP client. A browser sends its own `User-Agent`.
    ///
    /// ```
    /// # use openapi_dropshot_client::{BuildError, Client};
    /// let client = Client::builder("https://books.example/v1").app_name("library/1.2").build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.config.app_name = Some(name.into());
        self
    }

    /// Adds a header to each request. A header of the call with the same name replaces it. If the name or the value cannot be sent,
    /// [`build`](ClientBuilder::build) fails.
    ///
    /// ```
    /// # use openapi_dropshot_client::{BuildError, Client};
    /// let client = Client::builder("https://books.example/v1").header("x-tenant", "north").build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        self.config.added_headers.add(name, value);
        self
    }

    /// Adds hooks around each try of all calls; [`Interceptor`] has examples.
    pub fn interceptor(mut self, interceptor: impl Interceptor) -> Self {
        self.config.settings.interceptors.push(interceptor);
        self
    }

    /// Sets the time limit for establishing a connection; the default is 5 seconds.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connections().timeout = Some(timeout);
        self
    }

    /// Sets the time limit of a call, including all its tries and the pauses between them; the default is 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.settings.timeout = timeout;
        self
    }

    /// Sets the time limit of one try, from connecting to the last byte of the response; the default is 10 seconds.
    pub fn try_timeout(mut self, timeout: Duration) -> Self {
        self.config.settings.try_timeout = timeout;
        self
    }

    /// Sets how many bytes a response may have after decompression; the default is 64 MiB. A call with a larger response fails with
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge): at once if the response announces its size, otherwise as soon as this many
    /// bytes have arrived. There is no limit for a body that the application reads as it arrives ([`ByteStream`](crate::ByteStream)). Each
    /// item of a [stream](crate::stream) has its own limit ([`CallOptions::max_item_bytes`](crate::CallOptions::max_item_bytes)). Of an
    /// error response, only the beginning is read.
    ///
    /// ```
    /// # use openapi_dropshot_client::{BuildError, Client};
    /// let client = Client::builder("https://books.example/v1").max_response_bytes(1 << 20).build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn max_response_bytes(mut self, bytes: u64) -> Self {
        self.config.settings.max_response_bytes = bytes;
        self
    }

    /// Sets how often a call is tried, and how long it pauses; see [`RetryPolicy`].
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.config.settings.retry = policy;
        self
    }

    /// Sets how many retries the calls of this client may make together; see [`RetryBudget`].
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.config.budget = budget;
        self
    }

    /// Sets another clock, for tests; [`Clock`] has an example.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.config.clock = Arc::new(clock);
        self
    }

    /// Sets a proxy. Without this proxy and without an [`http_client`](ClientBuilder::http_client), the proxies of the system are used
    /// (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`).
    ///
    /// ```
    /// use openapi_dropshot_client::{Client, reqwest::Proxy};
    ///
    /// let proxy = Proxy::all("http://proxy.example:3128")?;
    /// let client = Client::builder("https://books.example/v1").api_key("the-key").proxy(proxy).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.connections().proxies.push(proxy);
        self
    }

    /// Disables all proxies, including those of the system.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn no_proxy(mut self) -> Self {
        let connections = self.connections();
        connections.proxies.clear();
        connections.no_proxy = true;
        self
    }

    /// Follows redirects to the scheme, host and port of the request, at most ten in a row. By default, a redirect is an error. With 301,
    /// 302 and 303, only `GET` and `HEAD` requests are sent again; otherwise a creation would become a `GET` request. In a browser, the
    /// browser decides.
    ///
    /// ```
    /// # use openapi_dropshot_client::{BuildError, Client};
    /// let client = Client::builder("https://books.example/v1").follow_same_origin_redirects().build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn follow_same_origin_redirects(mut self) -> Self {
        self.connections().follows_redirects = true;
        self
    }

    /// Sets your own HTTP client, with other certificates, addresses or pools. Its own connection settings apply, so
    /// [`connect_timeout`](ClientBuilder::connect_timeout) and [`proxy`](ClientBuilder::proxy) have no effect. Switch off its redirects,
    /// unless the service sends redirects.
    ///
    /// ```
    /// use openapi_dropshot_client::{Client, reqwest};
    ///
    /// let http = reqwest::Client::builder()
    ///     .pool_max_idle_per_host(2)
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .build()?;
    /// let client = Client::builder("https://books.example/v1").api_key("the-key").http_client(http).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.config.http = Some(Http::Reqwest(http));
        self
    }

    /// Replaces reqwest with another way to send requests: a [`tower::Service`](tower_service::Service), for example an in-memory service
    /// for a test, a client of hyper, or a stack of tower layers. Retries, time limits and interceptors still apply. Connection settings,
    /// such as [`connect_timeout`](ClientBuilder::connect_timeout), have no effect.
    ///
    /// If you know in which step a request failed, return a [`TransportError`](crate::TransportError). After any other error, the client
    /// assumes that the service may have carried out the request.
    ///
    /// ```
    /// use http_body_util::Full;
    /// use openapi_dropshot_client::{BoxError, Client, RequestBody};
    ///
    /// let service = tower::service_fn(|request: http::Request<RequestBody>| async move {
    ///     println!("{} {}", request.method(), request.uri());
    ///     let response = http::Response::builder().header("content-type", "application/json");
    ///     Ok::<_, BoxError>(response.body(Full::from(r#"["Emma"]"#))?)
    /// });
    /// let client = Client::builder("http://books.example/v1").transport(service).build()?;
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn transport<S, B>(mut self, service: S) -> Self
    where
        S: TowerService<http::Request<RequestBody>, Response = http::Response<B>>
            + Clone
            + Send
            + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.config.http = Some(Http::Service(Arc::new(Cloned(Mutex::new(service)))));
        self
    }

    /// Wraps the default transport, which is reqwest with the other settings, in a [`tower::Service`](tower_service::Service) of the
    /// application: for example a stack of tower layers, or a service that sends some requests elsewhere. It has no effect together with
    /// [`transport`](ClientBuilder::transport).
    ///
    /// ```
    /// use openapi_dropshot_client::Client;
    ///
    /// let client = Client::builder("http://books.example/v1")
    ///     .wrap_transport(|default| {
    ///         let layers = tower::ServiceBuilder::new();
    ///         layers.map_request(|request: http::Request<_>| { println!("{}", request.uri()); request }).service(default)
    ///     })
    ///     .build()?;
    /// # Ok::<(), openapi_dropshot_client::BuildError>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wrap_transport<S, B>(
        mut self,
        wrap: impl Fn(DefaultTransport) -> S + Send + Sync + 'static,
    ) -> Self
    where
        S: TowerService<http::Request<RequestBody>, Response = http::Response<B>>
            + Clone
            + Send
            + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.config.wrap = Some(Arc::new(move |default| {
            Arc::new(Cloned(Mutex::new(wrap(default))))
        }));
        self
    }

    /// Sets a function that is called for each response that announces the deprecation of its operation. The function should be quick,
    /// because the call waits for it.
    ///
    /// The deprecation is also logged at the level `warn`, once per operation and process. [`Client::deprecated_calls`] returns the
    /// numbers.
    pub fn on_deprecation(
        mut self,
        listener: impl Fn(&Deprecation) + Send + Sync + 'static,
    ) -> Self {
        self.config.on_deprecation = Some(Arc::new(listener));
        self
    }

    /// Builds the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL or the API key is not valid; see [`BuildError`].
    ///
    /// ```
    /// use openapi_dropshot_client::{BuildError, Client};
    ///
    /// let client = Client::builder("books.example/v1").build();
    /// assert!(matches!(client, Err(BuildError::InvalidBaseUrl { .. })));
    /// ```
    pub fn build(self) -> Result<K, BuildError> {
        self.config.build().map(K::from)
    }

    /// Returns the connection settings so that they can be changed; existing HTTP clients are no longer used.
    #[cfg(not(target_arch = "wasm32"))]
    fn connections(&mut self) -> &mut Connections {
        self.config.reused = None;
        &mut self.config.connections
    }
}

impl Config {
    fn build(mut self) -> Result<Client, BuildError> {
        let (base_url, base) = checked_base_url(&self.base_url)?;
        let headers = self.added_headers.0.clone();
        let mut headers = headers.map_err(|reason| BuildError::InvalidHeader { reason })?;
        let service = self.service;
        let mut credentials = Vec::new();
        for (scheme, provider) in &self.of_schemes {
            credentials.push(Provided::new(provider, scheme.credential, Some(scheme))?);
        }
        match &self.api_key {
            Some(provider) => match unchanging(&**provider, service.credential)? {
                // All requests have the same headers.
                Some(key) => headers.extend([key]),
                None => credentials.push(Provided::new(provider, service.credential, None)?),
            },
            None if service.credential_required && credentials.is_empty() => {
                return Err(BuildError::MissingApiKey);
            }
            None => {}
        }
        let mut agent = format!("{}/{}", service.package, service.version);
        if let Some(name) = &self.app_name {
            agent = format!("{agent} {name}");
        }
        let agent = HeaderValue::try_from(agent).map_err(|_| BuildError::InvalidHeader {
            reason: "the name of the application cannot be sent in a header".to_owned(),
        })?;
        // An HTTP client of the application may have its own `User-Agent`.
        let own_agent = matches!(self.http, Some(Http::Reqwest(_))) && self.app_name.is_none();
        // A browser sends its own `User-Agent`, and sends a preflight request to the service for any other header.
        if !own_agent && !cfg!(target_arch = "wasm32") {
            headers.entry(USER_AGENT).or_insert(agent);
        }
        let default = |clients: HttpClients| {
            let transport = Transport::Reqwest(clients.clone());
            #[cfg(not(target_arch = "wasm32"))]
            let transport = match &self.wrap {
                Some(wrap) => Transport::Service(wrap(DefaultTransport(clients.clone()))),
                None => transport,
            };
            (transport, Some(clients))
        };
        let (transport, reused) = match (&self.http, self.reused.take()) {
            (Some(Http::Reqwest(http)), _) => default(http.clone().into()),
            #[cfg(not(target_arch = "wasm32"))]
            (Some(Http::Service(service)), _) => (Transport::Service(Arc::clone(service)), None),
            (None, _) if !HAS_TLS && !base_url.starts_with("http:") => {
                return Err(BuildError::NoTls);
            }
            (None, Some(reused)) => default(reused),
            (None, None) => default(self.connections.clients().map_err(BuildError::Tls)?),
        };
        let mut json_headers = headers.clone();
        json_headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let shared = Shared {
            config: Config {
                base_url,
                reused,
                ..self
            },
            base,
            headers,
            json_headers,
            credentials,
            transport,
            deprecated: Default::default(),
        };
        Ok(Client {
            shared: Arc::new(shared),
        })
    }
}

/// Whether this crate was built with TLS. A browser always has TLS.
const HAS_TLS: bool = cfg!(any(
    feature = "rustls",
    feature = "native-tls",
    target_arch = "wasm32"
));

impl Connections {
    /// The HTTP clients of the default transport.
    #[cfg(target_arch = "wasm32")]
    fn clients(&self) -> reqwest::Result<HttpClients> {
        reqwest::Client::builder().build().map(HttpClients::from)
    }

    /// The HTTP clients of the default transport.
    #[cfg(not(target_arch = "wasm32"))]
    fn clients(&self) -> reqwest::Result<HttpClients> {
        if !self.follows_redirects {
            return self.client(redirect::Policy::none()).map(HttpClients::from);
        }
        Ok(HttpClients {
            reads: self.client(same_origin(&[301, 302, 303, 307, 308]))?,
            writes: self.client(same_origin(&[307, 308]))?,
        })
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn client(&self, redirects: redirect::Policy) -> reqwest::Result<reqwest::Client> {
        let mut builder = reqwest::Client::builder()
            .connect_timeout(self.timeout.unwrap_or(CONNECT_TIMEOUT))
            .redirect(redirects);
        if self.no_proxy {
            builder = builder.no_proxy();
        }
        for proxy in &self.proxies {
            builder = builder.proxy(proxy.clone());
        }
        builder.build()
    }
}

/// Follows redirects with these statuses to the origin of the request.
#[cfg(not(target_arch = "wasm32"))]
fn same_origin(statuses: &'static [u16]) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| {
        let is_listed = statuses.contains(&attempt.status().as_u16());
        let mut earlier = attempt.previous().iter();
        let stays = earlier.all(|url| url.origin() == attempt.url().origin());
        match is_listed && stays && attempt.previous().len() <= 10 {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

// The API key and the URL are not shown: the URL may contain a password, which `build` rejects only later.
debug_fields!([K] ClientBuilder<K>, settings(config.settings), budget(config.budget));

/// Returns the URL without and with a slash at its end.
fn checked_base_url(text: &str) -> Result<(String, Url), BuildError> {
    let parsed = |text: &str| {
        Url::parse(text).map_err(|error| BuildError::InvalidBaseUrl {
            reason: error.to_string(),
        })
    };
    let url = parsed(text.trim())?;
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
    let base_url = url.as_str().trim_end_matches('/').to_owned();
    let base = parsed(&format!("{base_url}/"))?;
    Ok((base_url, base))
}
