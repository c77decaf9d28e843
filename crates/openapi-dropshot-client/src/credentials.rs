//! Credentials: the providers of the application, the cache of the key that each provider returned last, and the choice of the keys
//! that a call sends.

#[cfg(not(target_arch = "wasm32"))]
mod file;

use crate::{
    BoxError, BuildError, Clock,
    error::Failure,
    failed_load::FailedLoad,
    link::query_value,
    lock::lock,
    operation::Operation,
    platform::{Instant, timeout},
    service::{Credential, Scheme, Service},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use futures_util::lock::Mutex as AsyncMutex;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, COOKIE},
};
use reqwest::Request;
use std::{
    collections::BTreeMap,
    future::Future,
    iter,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

#[cfg(not(target_arch = "wasm32"))]
pub use file::ApiKeyFile;

/// The longest time that a call that already has a key waits for a newer key.
const LONGEST_LOAD: Duration = Duration::from_secs(2);
/// The pause after a failed load before a key is loaded again, if the client already has a key.
const LOAD_AGAIN: Duration = Duration::from_secs(1);
/// The shortest time between two log lines about failed loads.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// A provider of API keys, for keys that change while the program runs.
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials) accepts a provider, and
/// [`ClientBuilder::credential`](crate::ClientBuilder::credential) accepts one for each security scheme.
///
/// The client keeps the key until it expires ([`ApiKey::valid_for`]). If the service rejects the key with 401, the client loads a
/// key once more. If this is another key, it sends the request again with it. While a key is loaded, all calls that need a key wait
/// for the same load, but at most two seconds, or a quarter of the call's remaining time if that is less. If loading fails or takes
/// longer, the client continues with the key that it has, unless the service rejected this key, and waits at least a second before
/// it loads a key again. After a key was rejected, other calls do not send it until the provider returns it again.
///
/// The client logs a failed load at the level `warn`, at most once per minute, and each time calls
/// [`Interceptor::after_failed_load`](crate::Interceptor::after_failed_load) of its interceptors. `telemetry::HttpMetrics` counts
/// failed loads.
///
/// An `Idempotency-Key` is valid only together with the API key of its request. Therefore, if a try of a creation may have been
/// carried out (for example because its response was lost), later tries of this call use the same API key, even after the lifetime
/// of the key. If the service rejects the key, the call fails with this 401, and [`retry_stop`](crate::Error::retry_stop) is
/// [`RetryStop::ApiKeyRejected`](crate::RetryStop::ApiKeyRejected). Check whether the creation was carried out before you repeat it.
/// To avoid this failure, keep an old key valid for the time limit of a call after it was replaced. The client does not know an API
/// key that an [`Interceptor`](crate::Interceptor) sets.
///
/// A closure can be a provider:
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
    /// Loads the key that is currently valid. The future is dropped if it takes too long: longer than two seconds if the client has
    /// a key that was not rejected, otherwise longer than the call's remaining time.
    ///
    /// # Errors
    ///
    /// Returns an error if no key is available. Unless the client has an earlier key, the call then fails with an error whose
    /// [`cause`](crate::Error::cause) is this error, and whose message contains its text.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>>;

    /// Returns the key if it never changes; the client then checks it when it is built.
    #[doc(hidden)]
    fn unchanging(&self) -> Option<&ApiKey> {
        None
    }
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

/// A key that never changes is also a provider.
impl Credentials for ApiKey {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        Box::pin(async { Ok(self.clone()) })
    }

    fn unchanging(&self) -> Option<&ApiKey> {
        Some(self)
    }
}

/// A credential and its lifetime: an API key, an access token, or a user name with a password. `Debug` does not show the credential.
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
    /// Where the key comes from, for messages.
    origin: Option<String>,
}

impl ApiKey {
    /// Creates a key or a token, without `Bearer`. It is used until the service rejects it.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey {
            key: key.into(),
            lifetime: None,
            origin: None,
        }
    }

    /// Creates a credential for a `basic` scheme from a user name, which must not contain a colon, and a password.
    pub fn user(name: &str, password: &str) -> Self {
        // A credential without a colon is rejected for `basic`, so an invalid user name leads to a rejection.
        let is_valid = !name.contains(':');
        ApiKey::new(match is_valid {
            true => format!("{name}:{password}"),
            false => String::new(),
        })
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn of_origin(mut self, origin: String) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Sets the lifetime of the key. After this time, a key is loaded again.
    #[must_use]
    pub fn valid_for(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

debug_fields!(ApiKey, lifetime(lifetime));

/// A provider and the key that it returned last.
pub(crate) struct Provided {
    provider: Arc<dyn Credentials>,
    /// The scheme of the key; `None` if every request has the key.
    scheme: Option<&'static Scheme>,
    credential: Credential,
    held: Mutex<Option<Held>>,
    /// When a failed load was last logged.
    logged: Mutex<Option<Instant>>,
    /// Locked while a key is loaded.
    loading: AsyncMutex<()>,
}

struct Held {
    value: HeaderValue,
    /// When a key will be loaded again.
    until: Option<Instant>,
    /// Whether the service has rejected the key since it was loaded.
    is_rejected: bool,
}

impl Provided {
    /// Creates the provider of the credential of a scheme, or of the key that every request has.
    ///
    /// # Errors
    ///
    /// Returns an error if the credential never changes and cannot be sent.
    pub(crate) fn new(
        provider: &Arc<dyn Credentials>,
        credential: Credential,
        scheme: Option<&'static Scheme>,
    ) -> Result<Self, BuildError> {
        if let Some(key) = provider.unchanging() {
            header_value(credential, &key.key)?;
        }
        Ok(Provided {
            provider: Arc::clone(provider),
            scheme,
            credential,
            held: Mutex::new(None),
            logged: Mutex::new(None),
            loading: AsyncMutex::new(()),
        })
    }

    /// Whether the application itself has set the header of the key.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        header_name(self.credential).is_some_and(|name| headers.contains_key(name))
    }

    /// Adds a key to a request.
    pub(crate) fn put(&self, key: &HeaderValue, request: &mut Request) {
        if let Some(name) = header_name(self.credential) {
            request.headers_mut().insert(name, key.clone());
            return;
        }
        // `header_value` accepts only ASCII for these places.
        let text = key.to_str().unwrap_or_default();
        match self.credential {
            Credential::Cookie(name) => {
                let others = request.headers().get(COOKIE);
                let others = others.map(|others| [others.as_bytes(), b"; "].concat());
                let pair = format!("{name}={text}");
                let pairs = [others.unwrap_or_default(), pair.into_bytes()].concat();
                if let Ok(mut pairs) = HeaderValue::try_from(pairs) {
                    pairs.set_sensitive(true);
                    request.headers_mut().insert(COOKIE, pairs);
                }
            }
            Credential::Query(name) => {
                // The link to a next page may already contain the key.
                if query_value(request.url(), name).is_none() {
                    request.url_mut().query_pairs_mut().append_pair(name, text);
                }
            }
            Credential::Bearer | Credential::Basic | Credential::Header(_) => {}
        }
    }

    /// Returns the key as it is sent. `rejected` is the key that the service rejected, and `left` is the call's remaining time. If a
    /// load fails, `report` is called; its argument says whether it is time to log the failure.
    ///
    /// # Errors
    ///
    /// Returns an error if no key is available.
    pub(crate) async fn value(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
        left: Duration,
        report: &(dyn Fn(&FailedLoad<'_>, bool) + Sync),
    ) -> Result<HeaderValue, Failure> {
        // A call that has a key waits for another one only as long as it can still be sent afterwards.
        let limit = |earlier: &Option<HeaderValue>| match earlier {
            Some(_) => LONGEST_LOAD.min(left / 4),
            None => left,
        };
        let earlier = match self.held_key(clock, rejected) {
            Ok(key) => return Ok(key),
            Err(earlier) => earlier,
        };
        let Some(_loading) = timeout(limit(&earlier), self.loading.lock()).await else {
            return earlier.ok_or_else(Failure::no_key_in_time);
        };
        // Another call may have loaded a key meanwhile, or may have tried to.
        let earlier = match self.held_key(clock, rejected) {
            Ok(key) => return Ok(key),
            Err(earlier) => earlier,
        };
        let loaded = match timeout(limit(&earlier), self.provider.load()).await {
            Some(Ok(key)) => header_value(self.credential, &key.key)
                .map(|value| (value, key.lifetime))
                .map_err(|error| match key.origin {
                    Some(origin) => Failure::no_key(format!("{origin}: {error}").into()),
                    None => Failure::no_key(error.into()),
                }),
            Some(Err(error)) => Err(Failure::no_key(error)),
            None => Err(Failure::no_key_in_time()),
        };
        let now = clock.now();
        match loaded {
            Ok((value, lifetime)) => {
                *lock(&self.held) = Some(Held {
                    value: value.clone(),
                    until: lifetime.and_then(|lifetime| now.checked_add(lifetime)),
                    is_rejected: false,
                });
                Ok(value)
            }
            Err(error) => {
                let has_earlier_key = earlier.is_some();
                let failure = FailedLoad {
                    error: &error,
                    has_earlier_key,
                };
                report(&failure, self.is_time_to_log(now));
                if has_earlier_key && let Some(held) = &mut *lock(&self.held) {
                    held.until = now.checked_add(LOAD_AGAIN);
                }
                earlier.ok_or(error)
            }
        }
    }

    /// Returns the key that was loaded last. If the service has rejected it, returns an error without it, and an error with it if it is
    /// time to load another key.
    fn held_key(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
    ) -> Result<HeaderValue, Option<HeaderValue>> {
        let mut held = lock(&self.held);
        let held = held.as_mut().ok_or(None)?;
        held.is_rejected |= rejected == Some(&held.value);
        if held.is_rejected {
            return Err(None);
        }
        let is_fresh = held.until.is_none_or(|until| clock.now() < until);
        let key = held.value.clone();
        if is_fresh { Ok(key) } else { Err(Some(key)) }
    }

    fn is_time_to_log(&self, now: Instant) -> bool {
        let mut logged = lock(&self.logged);
        let is_due = |last| now.saturating_duration_since(last) >= LOG_INTERVAL;
        let is_time = logged.is_none_or(is_due);
        if is_time {
            *logged = Some(now);
        }
        is_time
    }
}

/// Returns the header of a key that every request has, if the key never changes.
///
/// # Errors
///
/// Returns an error if the key cannot be sent.
pub(crate) fn unchanging(
    provider: &dyn Credentials,
    credential: Credential,
) -> Result<Option<(HeaderName, HeaderValue)>, BuildError> {
    let (Some(key), Some(name)) = (provider.unchanging(), header_name(credential)) else {
        return Ok(None);
    };
    Ok(Some((name, header_value(credential, &key.key)?)))
}

/// Returns the providers whose keys a call sends: the provider for every request, and the providers of the first alternative of the
/// operation for which the application has set all credentials. If no alternative is complete, an interceptor may add the missing
/// credentials, so the alternative with the most credentials is used. A key is not sent if the application itself has set its
/// header.
pub(crate) fn of_call<'p>(
    all: &'p [Provided],
    service: &Service,
    operation: &Operation,
    headers: [&HeaderMap; 2],
) -> Vec<&'p Provided> {
    if all.is_empty() {
        return Vec::new();
    }
    let is_given = |scheme: &&'static Scheme| {
        let mut given = all.iter().filter_map(|provided| provided.scheme);
        given.any(|one| one.name == scheme.name)
    };
    let rank = |alternative: &&&[&'static Scheme]| {
        let given = alternative.iter().filter(|scheme| is_given(scheme)).count();
        let is_complete = given == alternative.len();
        if is_complete { usize::MAX } else { given }
    };
    // Of several with the same rank, this is the first.
    let chosen = (service.security)(operation.id)
        .iter()
        .rev()
        .max_by_key(rank);
    let is_chosen = |provided: &&Provided| match provided.scheme {
        None => true,
        Some(scheme) => chosen.is_some_and(|all| all.iter().any(|one| one.name == scheme.name)),
    };
    let is_set = |provided: &&Provided| headers.iter().any(|headers| provided.is_in(headers));
    let chosen = all.iter().filter(is_chosen);
    chosen.filter(|provided| !is_set(provided)).collect()
}

/// The credentials of a request. If there is one credential and it is in a header, the text is the value of this header. Otherwise
/// the text also names the place of each credential.
pub(crate) fn of_request(
    service: &Service,
    operation: &Operation,
    request: &Request,
) -> Option<HeaderValue> {
    let alternatives = (service.security)(operation.id);
    if alternatives.is_empty() {
        let name = header_name(service.credential)?;
        return request.headers().get(name).cloned();
    }
    let schemes = alternatives.iter().flat_map(|all| all.iter());
    let places = iter::once(service.credential).chain(schemes.map(|scheme| scheme.credential));
    // The order does not depend on the operation. Two schemes can have the same header.
    let present: BTreeMap<String, HeaderValue> = places
        .filter_map(|credential| present_in(request, credential))
        .collect();
    if let Some((place, value)) = present.first_key_value()
        && present.len() == 1
        && place.starts_with("header ")
    {
        return Some(value.clone());
    }
    let parts = present.iter();
    let parts = parts.flat_map(|(place, value)| [place.as_bytes(), b"=", value.as_bytes(), b"\t"]);
    let joined = parts.collect::<Vec<_>>().concat();
    let mut joined = HeaderValue::try_from(joined).ok()?;
    joined.set_sensitive(true);
    (!present.is_empty()).then_some(joined)
}

/// Returns the place of a credential, and its value in the request.
fn present_in(request: &Request, credential: Credential) -> Option<(String, HeaderValue)> {
    match credential {
        Credential::Bearer | Credential::Basic | Credential::Header(_) => {
            let name = header_name(credential)?;
            let value = request.headers().get(&name)?.clone();
            Some((format!("header {name}"), value))
        }
        Credential::Cookie(name) => {
            let lines = request.headers().get_all(COOKIE).iter();
            let mut pairs = lines
                .filter_map(|line| line.to_str().ok())
                .flat_map(|line| line.split(';'));
            let value = pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))?;
            Some((format!("cookie {name}"), HeaderValue::try_from(value).ok()?))
        }
        Credential::Query(name) => {
            let value = query_value(request.url(), name)?;
            Some((format!("query {name}"), HeaderValue::try_from(value).ok()?))
        }
    }
}

/// Returns the header that contains the credential and nothing else; `None` for a query parameter or a cookie.
fn header_name(credential: Credential) -> Option<HeaderName> {
    match credential {
        Credential::Bearer | Credential::Basic => Some(AUTHORIZATION),
        Credential::Header(name) => Some(
            HeaderName::from_bytes(name.as_bytes())
                .expect("the generator accepts only valid names of headers"),
        ),
        Credential::Query(_) | Credential::Cookie(_) => None,
    }
}

/// Returns the key as it is sent. A key must be visible ASCII (RFC 6750, section 2.1); in a cookie, it must not contain punctuation
/// that has a meaning there (RFC 6265, section 4.1.1).
///
/// # Errors
///
/// Returns an error if the key is empty or cannot be sent.
fn header_value(credential: Credential, api_key: &str) -> Result<HeaderValue, BuildError> {
    if credential == Credential::Basic && !api_key.contains(':') {
        return Err(BuildError::InvalidUser);
    }
    if api_key.is_empty() {
        return Err(BuildError::MissingApiKey);
    }
    let is_valid = |c: char| match credential {
        Credential::Basic => !c.is_control(),
        Credential::Cookie(_) => c.is_ascii_graphic() && !"\",;\\".contains(c),
        _ => c.is_ascii_graphic(),
    };
    if let Some(index) = api_key.chars().position(|c| !is_valid(c)) {
        return Err(BuildError::InvalidApiKey {
            position: index + 1,
        });
    }
    let value = match credential {
        Credential::Bearer => format!("Bearer {api_key}"),
        Credential::Basic => format!("Basic {}", BASE64_STANDARD.encode(api_key)),
        Credential::Header(_) | Credential::Query(_) | Credential::Cookie(_) => api_key.to_owned(),
    };
    let mut value =
        HeaderValue::try_from(value).map_err(|_| BuildError::InvalidApiKey { position: 1 })?;
    value.set_sensitive(true);
    Ok(value)
}
