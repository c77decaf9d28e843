//! API keys that change: a provider of the application, and the cache of its key.

#[cfg(not(target_arch = "wasm32"))]
mod file;

use crate::{
    BoxError, BuildError, Clock,
    error::Failure,
    failed_load::FailedLoad,
    interceptor::Interceptors,
    platform::{Instant, timeout},
    service::{Credential, Service},
};
use futures_util::lock::Mutex as AsyncMutex;
use http::{HeaderName, HeaderValue, header::AUTHORIZATION};
use reqwest::Request;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[cfg(not(target_arch = "wasm32"))]
pub use file::ApiKeyFile;

/// How long a call that has a key waits for another one, at most.
const LONGEST_LOAD: Duration = Duration::from_secs(2);
/// When a key is loaded again after that failed, if there is one.
const LOAD_AGAIN: Duration = Duration::from_secs(1);
/// How often a client logs at most that no key could be loaded.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// A provider of API keys, for keys that change while the program runs;
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials) takes one.
///
/// The client keeps the key until it expires ([`ApiKey::valid_for`]). If the service rejects it with 401, the client loads
/// a key once more and, if that is another one, sends the request again with it. Calls that need a key while it is loaded
/// wait for the one load: two seconds, or a quarter of the time that the call has left if that is less. If loading fails or takes
/// longer, the client goes on with the key that it has, unless that was rejected, and loads one again a second later at the
/// earliest. A key that was rejected is not sent in other calls before the provider has returned it again.
///
/// The client logs a failed load at the level `warn`, once a minute at most, and calls
/// [`Interceptor::after_failed_load`](crate::Interceptor::after_failed_load) of its interceptors each time. `telemetry::HttpMetrics`
/// counts them.
///
/// An `Idempotency-Key` is valid only together with the API key of its request. Therefore a creation is not sent with another API
/// key once an earlier try may have been carried out, such as one whose response was lost: the later tries of the call use
/// the API key of that try, even after its lifetime. If the service rejects it, the call fails with this 401, and its
/// [`retry_stop`](crate::Error::retry_stop) is [`RetryStop::ApiKeyRejected`](crate::RetryStop::ApiKeyRejected). Look whether it was
/// carried out before you repeat it. To avoid this, let the old key be valid for the time limit of a call after it was replaced. The
/// client does not see an API key that an [`Interceptor`](crate::Interceptor) sets.
///
/// A closure is a provider:
///
/// ```
/// # use openapi_dropshot_client::{ApiKey, BoxError, Client};
/// use std::time::Duration;
///
/// # async fn ask_the_vault() -> Result<String, BoxError> { Ok("the-key".to_owned()) }
/// let client = Client::builder("https://books.example/v1")
///     .credentials(|| async {
///         let key = ask_the_vault().await?;
///         Ok(ApiKey::new(key).valid_for(Duration::from_secs(600)))
///     })
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
pub trait Credentials: Send + Sync + 'static {
    /// Loads the key that is valid now. The future is dropped if it takes too long: longer than two seconds while the client has a
    /// key that was not rejected, or longer than the call has time.
    ///
    /// # Errors
    ///
    /// There is no key. Unless the client has an earlier key, the call fails with an error whose
    /// [`cause`](crate::Error::cause) is this error, and whose message has its text.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>>;
}

impl<F, L> Credentials for F
where
    F: Fn() -> L + Send + Sync + 'static,
    L: Future<Output = Result<ApiKey, BoxError>> + Send + 'static,
{
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        Box::pin(self())
    }
}

/// An API key, and how long it is valid. `Debug` does not show the key.
///
/// ```
/// # use openapi_dropshot_client::ApiKey;
///
/// let key = ApiKey::new("the-key");
/// assert!(!format!("{key:?}").contains("the-key"));
/// ```
#[derive(Clone)]
pub struct ApiKey {
    key: String,
    lifetime: Option<Duration>,
    /// Where it comes from, for messages.
    origin: Option<String>,
}

impl ApiKey {
    /// A key, without `Bearer`, that is used until the service rejects it.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey {
            key: key.into(),
            lifetime: None,
            origin: None,
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn of_origin(mut self, origin: String) -> Self {
        self.origin = Some(origin);
        self
    }

    /// The key is used for this time, and then a key is loaded again.
    #[must_use]
    pub fn valid_for(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("lifetime", &self.lifetime)
            .finish_non_exhaustive()
    }
}

/// A provider with the key that it returned last.
pub(crate) struct Provided {
    provider: Arc<dyn Credentials>,
    credential: Credential,
    observers: Observers,
    held: Mutex<Option<Held>>,
    /// Locked while a key is loaded.
    loading: AsyncMutex<()>,
}

/// Those that are told of a failed load.
pub(crate) struct Observers {
    service: &'static Service,
    interceptors: Interceptors,
    logged: Mutex<Option<Instant>>,
}

impl Observers {
    pub(crate) fn new(service: &'static Service, interceptors: Interceptors) -> Self {
        Observers {
            service,
            interceptors,
            logged: Mutex::new(None),
        }
    }

    fn report(&self, now: Instant, failure: &FailedLoad<'_>) {
        self.interceptors.after_failed_load(failure);
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |last| now.saturating_duration_since(last) >= LOG_INTERVAL;
        if logged.is_none_or(is_due) {
            *logged = Some(now);
            (self.service.log_failed_load)(failure);
        }
    }
}

struct Held {
    value: HeaderValue,
    /// When a key is loaded again.
    until: Option<Instant>,
    /// Whether the service has rejected it since it was loaded.
    is_rejected: bool,
}

/// A key that can be sent.
struct Usable {
    value: HeaderValue,
    /// Whether it is not yet time to load another one.
    is_fresh: bool,
}

impl Provided {
    pub(crate) fn new(
        provider: Arc<dyn Credentials>,
        credential: Credential,
        observers: Observers,
    ) -> Self {
        Provided {
            provider,
            credential,
            observers,
            held: Mutex::new(None),
            loading: AsyncMutex::new(()),
        }
    }

    /// The header with the key; `rejected` is the value that the service rejected, and `left` the time that the call has.
    ///
    /// # Errors
    ///
    /// There is no key.
    pub(crate) async fn header(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
        left: Duration,
    ) -> Result<(HeaderName, HeaderValue), Failure> {
        let value = self.value(clock, rejected, left).await?;
        Ok((header_name(self.credential), value))
    }

    async fn value(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
        left: Duration,
    ) -> Result<HeaderValue, Failure> {
        // A call that has a key waits for another one only as long as it can still be sent afterwards.
        let limit = |usable: &Option<Usable>| match usable {
            Some(_) => LONGEST_LOAD.min(left / 4),
            None => left,
        };
        let usable = match self.usable(clock, rejected) {
            Some(held) if held.is_fresh => return Ok(held.value),
            usable => usable,
        };
        let Some(_loading) = timeout(limit(&usable), self.loading.lock()).await else {
            return usable
                .map(|held| held.value)
                .ok_or_else(Failure::no_key_in_time);
        };
        // Another call may have loaded a key, or tried to.
        let usable = match self.usable(clock, rejected) {
            Some(held) if held.is_fresh => return Ok(held.value),
            usable => usable,
        };
        let loaded = match timeout(limit(&usable), self.provider.load()).await {
            Some(Ok(key)) => header_value(self.credential, &key.key)
                .map(|value| (value, key.lifetime))
                .map_err(|error| match key.origin {
                    Some(origin) => Failure::no_key(format!("{origin}: {error}").into()),
                    None => Failure::no_key(error.into()),
                }),
            Some(Err(error)) => Err(Failure::no_key(error)),
            None => Err(Failure::no_key_in_time()),
        };
        if let Err(error) = &loaded {
            let has_earlier_key = usable.is_some();
            let failure = FailedLoad {
                error,
                has_earlier_key,
            };
            self.observers.report(clock.now(), &failure);
        }
        let mut held = self.held();
        match (loaded, usable) {
            (Ok((value, lifetime)), _) => {
                let until = lifetime.and_then(|lifetime| clock.now().checked_add(lifetime));
                *held = Some(Held {
                    value: value.clone(),
                    until,
                    is_rejected: false,
                });
                Ok(value)
            }
            (Err(_), Some(usable)) => {
                if let Some(held) = &mut *held {
                    held.until = clock.now().checked_add(LOAD_AGAIN);
                }
                Ok(usable.value)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// The key that was loaded last, unless the service has rejected it.
    fn usable(&self, clock: &dyn Clock, rejected: Option<&HeaderValue>) -> Option<Usable> {
        let mut held = self.held();
        let held = held.as_mut()?;
        held.is_rejected |= rejected == Some(&held.value);
        (!held.is_rejected).then(|| Usable {
            value: held.value.clone(),
            is_fresh: held.until.is_none_or(|until| clock.now() < until),
        })
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The credential that a request is sent with.
pub(crate) fn of_request(service: &Service, request: &Request) -> Option<HeaderValue> {
    let headers = request.headers();
    headers.get(header_name(service.credential)).cloned()
}

/// The header that carries the API key.
pub(crate) fn header_name(credential: Credential) -> HeaderName {
    match credential {
        Credential::Bearer => AUTHORIZATION,
        Credential::Header(name) => HeaderName::from_bytes(name.as_bytes())
            .expect("the generator accepts only valid names of headers"),
    }
}

/// The value of the header with the API key, which has to be visible ASCII (RFC 6750, section 2.1).
///
/// # Errors
///
/// The key is empty or cannot be sent.
pub(crate) fn header_value(
    credential: Credential,
    api_key: &str,
) -> Result<HeaderValue, BuildError> {
    if api_key.is_empty() {
        return Err(BuildError::MissingApiKey);
    }
    if let Some(index) = api_key.chars().position(|c| !c.is_ascii_graphic()) {
        return Err(BuildError::InvalidApiKey {
            position: index + 1,
        });
    }
    let value = match credential {
        Credential::Bearer => format!("Bearer {api_key}"),
        Credential::Header(_) => api_key.to_owned(),
    };
    let mut value =
        HeaderValue::try_from(value).map_err(|_| BuildError::InvalidApiKey { position: 1 })?;
    value.set_sensitive(true);
    Ok(value)
}
