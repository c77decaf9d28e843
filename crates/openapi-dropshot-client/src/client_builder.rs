//! Builds a client: checks the address and the API key once, so that no call fails because of them later.

use crate::{
    ApiKey, BuildError, Client, Clock, Credentials, Deprecation, Interceptor, RetryBudget,
    RetryPolicy,
    call::{AddedHeaders, Settings},
    client::{Listener, Shared},
    credentials::{Provided, unchanging},
    interceptor::Interceptors,
    retry::RealClock,
    service::{Scheme, Service},
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

/// The default time limit for making a connection.
#[cfg(not(target_arch = "wasm32"))]
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The default time limit of one try.
const TRY_TIMEOUT: Duration = Duration::from_secs(10);
/// The default time limit of a call, with all its tries.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The default limit of the size of a response.
const MAX_RESPONSE_BYTES: u64 = 64 << 20;

/// Settings of a client; [`Client::builder`] and the function of the same name of a generated client start one.
///
/// `K` is the client that [`build`](ClientBuilder::build) returns; a generated client has an alias `ClientBuilder` that
/// sets it.
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

/// The settings, whichever client they are for.
#[derive(Clone)]
pub(crate) struct Config {
    base_url: String,
    service: &'static Service,
    credentials: Option<Arc<dyn Credentials>>,
    of_schemes: Vec<(&'static Scheme, Arc<dyn Credentials>)>,
    app_name: Option<String>,
    headers: AddedHeaders,
    settings: Settings,
    budget: RetryBudget,
    clock: Arc<dyn Clock>,
    http: Option<Http>,
    connections: Connections,
    #[cfg(not(target_arch = "wasm32"))]
    wrap: Option<Wrap>,
    /// The HTTP clients of the client from which the settings come. Their connections are reused as long as the settings stay the same.
    reused: Option<HttpClients>,
    on_deprecation: Option<Listener>,
}

/// How the default transport makes connections, and which redirects it follows. In a browser the browser decides.
#[derive(Clone, Default)]
struct Connections {
    /// The time limit for making one, if it is not the default.
    #[cfg(not(target_arch = "wasm32"))]
    timeout: Option<Duration>,
    #[cfg(not(target_arch = "wasm32"))]
    proxies: Vec<Proxy>,
    #[cfg(not(target_arch = "wasm32"))]
    no_proxy: bool,
    #[cfg(not(target_arch = "wasm32"))]
    follows_redirects: bool,
}

/// Makes the transport of the application from the default one.
#[cfg(not(target_arch = "wasm32"))]
type Wrap = Arc<dyn Fn(DefaultTransport) -> Arc<dyn SendRequest> + Send + Sync>;

/// How requests are sent, if the application sets it.
#[derive(Clone)]
enum Http {
    Reqwest(reqwest::Client),
    #[cfg(not(target_arch = "wasm32"))]
    Service(Arc<dyn SendRequest>),
}

impl<K: From<Client>> ClientBuilder<K> {
    /// Starts a client of a generated crate, which describes its service; see [`Service`] for an example.
    pub fn new(base_url: impl Into<String>, service: &'static Service) -> Self {
        ClientBuilder::with_config(Config {
            base_url: base_url.into(),
            service,
            credentials: None,
            of_schemes: Vec::new(),
            app_name: None,
            headers: AddedHeaders::default(),
            settings: Settings {
                timeout: TIMEOUT,
                try_timeout: TRY_TIMEOUT,
                retry: RetryPolicy::new(),
                max_response_bytes: MAX_RESPONSE_BYTES,
                stream: Default::default(),
                interceptors: Interceptors::default(),
                context: Default::default(),
            },
            budget: RetryBudget::default(),
            clock: Arc::new(RealClock),
            http: None,
            connections: Connections::default(),
            #[cfg(not(target_arch = "wasm32"))]
            wrap: None,
            reused: None,
            on_deprecation: None,
        })
    }

    /// Starts with the settings of another client.
    pub(crate) fn with_config(config: Config) -> Self {
        ClientBuilder {
            config,
            client: PhantomData,
        }
    }

    /// The API key, without `Bearer`. Required if every operation of the document needs one. Every call sends it, in a client with the
    /// module `schemes` as the scheme that most operations require: pass keys of other schemes to [`credential`](ClientBuilder::credential).
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

    /// A provider of API keys that change, in place of one [`api_key`](ClientBuilder::api_key); see [`Credentials`], which
    /// has an example.
    pub fn credentials(mut self, provider: impl Credentials) -> Self {
        self.config.credentials = Some(Arc::new(provider));
        self
    }

    /// The credential of a security scheme of the document, for clients whose module `schemes` lists several: an [`ApiKey`], or a
    /// provider of keys that change. Replaces the one that the scheme had.
    ///
    /// Each call sends the credentials that its operation requires: those of all schemes that belong together, or, of several
    /// alternatives, the first one for which all credentials were given. If no alternative is complete, it sends none if the
    /// document allows that. Otherwise it sends the available ones, because an [`Interceptor`] can add others, such as a
    /// signature of the body.
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
        self
    }

    /// The name and the version of the application, such as `shelter/1.2`, for the logs of the service. They follow those of
    /// the client in the header `User-Agent`, with every transport and HTTP client. A browser sends its own `User-Agent`.
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

    /// A header of each request, unless the call has one of this name. If the name or the value cannot be sent,
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
        self.config.headers.add(name, value);
        self
    }

    /// Hooks around each try of all calls; see [`Interceptor`], which has examples.
    pub fn interceptor(mut self, interceptor: impl Interceptor) -> Self {
        self.config.settings.interceptors.push(interceptor);
        self
    }

    /// The time limit for making a connection; 5 seconds if not set.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connections().timeout = Some(timeout);
        self
    }

    /// The time limit of a call, with all its tries and the pauses between them; 30 seconds if not set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.settings.timeout = timeout;
        self
    }

    /// The time limit of one try, from connecting to the last byte of the response; 10 seconds if not set.
    pub fn try_timeout(mut self, timeout: Duration) -> Self {
        self.config.settings.try_timeout = timeout;
        self
    }

    /// How many bytes a response may have, after decompression; 64 MiB if not set. A call whose response is larger fails with
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge): at once if the response says its size, and otherwise as soon as so
    /// many bytes have arrived. A body that the application reads as it arrives ([`ByteStream`](crate::ByteStream)) has no limit, each item
    /// of a [stream](crate::stream) has a limit of its own ([`CallOptions::max_item_bytes`](crate::CallOptions::max_item_bytes)),
    /// and of an error response only the beginning is read.
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

    /// How often a call is tried, and how long it pauses; see [`RetryPolicy`].
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.config.settings.retry = policy;
        self
    }

    /// How many retries the calls of this client may make together; see [`RetryBudget`].
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.config.budget = budget;
        self
    }

    /// Another clock, for tests; see [`Clock`], which has an example.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.config.clock = Arc::new(clock);
        self
    }

    /// A proxy. Without one, and without
    /// [`http_client`](ClientBuilder::http_client), those of the system are used
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

    /// No proxy, not even those of the system.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn no_proxy(mut self) -> Self {
        let connections = self.connections();
        connections.proxies.clear();
        connections.no_proxy = true;
        self
    }

    /// Follows redirects to the scheme, host and port of the request, at most ten in a row; by default a redirect is an error. With
    /// 301, 302 and 303, only `GET` and `HEAD` are sent again, so that a creation does not become a look-up. In a browser the
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

    /// An HTTP client of your own, with other certificates, addresses or pools. Its own settings of connections apply
    /// then: [`connect_timeout`](ClientBuilder::connect_timeout) and [`proxy`](ClientBuilder::proxy) do nothing. Switch
    /// redirects off, unless the service sends some.
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

    /// Another way to send requests than reqwest: a [`tower::Service`](tower_service::Service), such as an in-memory one of
    /// a test, a client of hyper, or a stack of tower's layers. Retries, time limits and interceptors stay as they are;
    /// settings of connections, such as [`connect_timeout`](ClientBuilder::connect_timeout), do nothing.
    ///
    /// Return a [`TransportError`](crate::TransportError) if you know at which point a request failed: after any other
    /// error it is unknown whether the service carried out the request.
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

    /// The default transport, which is reqwest with the other settings, inside of a [`tower::Service`](tower_service::Service) of
    /// the application: a stack of tower's layers, or one that routes some requests elsewhere. It does nothing together with
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

    /// A function that is called for each response that announces the deprecation of its operation. It should be quick:
    /// the call waits for it.
    ///
    /// The deprecation is also logged, once per operation and process, at the level `warn`;
    /// [`Client::deprecated_calls`] has the numbers.
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
    /// The address or the API key is not valid; see [`BuildError`].
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

    /// Returns the settings of connections for a change; existing HTTP clients are no longer used.
    #[cfg(not(target_arch = "wasm32"))]
    fn connections(&mut self) -> &mut Connections {
        self.config.reused = None;
        &mut self.config.connections
    }
}

impl Config {
    fn build(self) -> Result<Client, BuildError> {
        let config = self.clone();
        let (base_url, base) = checked_base_url(&self.base_url)?;
        let headers = self.headers.into_valid();
        let mut headers = headers.map_err(|reason| BuildError::InvalidHeader { reason })?;
        let service = self.service;
        let mut credentials = Vec::new();
        for (scheme, provider) in self.of_schemes {
            credentials.push(Provided::new(provider, scheme.credential, Some(scheme))?);
        }
        match self.credentials {
            Some(provider) => match unchanging(&*provider, service.credential)? {
                // All requests have the same.
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
        // An HTTP client of the application may have a `User-Agent` of its own.
        let own_agent = matches!(self.http, Some(Http::Reqwest(_))) && self.app_name.is_none();
        // A browser sends its own, and asks the service about any other header first.
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
        let (transport, reused) = match (self.http, self.reused) {
            (Some(Http::Reqwest(http)), _) => default(http.into()),
            #[cfg(not(target_arch = "wasm32"))]
            (Some(Http::Service(service)), _) => (Transport::Service(service), None),
            (None, _) if !HAS_TLS && !base_url.starts_with("http:") => {
                return Err(BuildError::NoTls);
            }
            (None, Some(reused)) => default(reused),
            (None, None) => default(self.connections.clients().map_err(BuildError::Tls)?),
        };
        let mut json_headers = headers.clone();
        json_headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let shared = Shared {
            builder: ClientBuilder::with_config(Config { reused, ..config }),
            base_url,
            base,
            headers,
            json_headers,
            credentials,
            transport,
            service,
            settings: self.settings,
            budget: self.budget,
            clock: self.clock,
            throttle: Default::default(),
            on_deprecation: self.on_deprecation,
            deprecated: Default::default(),
        };
        Ok(Client {
            shared: Arc::new(shared),
        })
    }
}

/// Whether this crate was built with TLS. A browser has its own.
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

// Without the API key and the address: the address may hold a password, which `build` rejects only later.
debug_fields!([K] ClientBuilder<K>, settings(config.settings), budget(config.budget));

/// Returns the address without and with a slash at its end.
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
