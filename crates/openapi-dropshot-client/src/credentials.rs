//! Credentials: the providers of the application, the cache of what each returned last, and which of them a call sends.

#[cfg(not(target_arch = "wasm32"))]
mod file;

use crate::{
    BoxError, BuildError, Clock,
    error::Failure,
    failed_load::FailedLoad,
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
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[cfg(not(target_arch = "wasm32"))]
pub use file::ApiKeyFile;

/// The longest time that a call with a key waits for a newer key.
const LONGEST_LOAD: Duration = Duration::from_secs(2);
/// The time after a failed load before a key is loaded again, if the client has a key.
const LOAD_AGAIN: Duration = Duration::from_secs(1);
/// The shortest time between two log lines about failed loads.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// A provider of API keys, for keys that change while the program runs;
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials) takes one, and
/// [`ClientBuilder::credential`](crate::ClientBuilder::credential) one for each security scheme.
///
/// The client keeps the key until it expires ([`ApiKey::valid_for`]). If the service rejects it with 401, the client loads
/// a key once more and, if that is another one, sends the request again with it. Calls that need a key while it is loaded
/// wait for the one load: two seconds, or a quarter of the time that the call has left if that is less. If loading fails or takes
/// longer, the client continues with the key that it has, unless that was rejected, and loads one again a second later at the
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
    /// No key is available. Unless the client has an earlier key, the call fails with an error whose
    /// [`cause`](crate::Error::cause) is this error, and whose message has its text.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>>;

    /// The key, if it never changes; it is then checked when the client is built.
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

/// A key that never changes is a provider, too.
impl Credentials for ApiKey {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        Box::pin(async { Ok(self.clone()) })
    }

    fn unchanging(&self) -> Option<&ApiKey> {
        Some(self)
    }
}

/// A credential, and how long it is valid: an API key, an access token, or a user name with a password. `Debug` does not show
/// it.
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
    /// A key or a token, without `Bearer`, that is used until the service rejects it.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey {
            key: key.into(),
            lifetime: None,
            origin: None,
        }
    }

    /// A user name, which cannot contain a colon, and a password, for a scheme that is `basic`.
    pub fn user(name: &str, password: &str) -> Self {
        // A key that contains no colon is rejected for `basic`, and so is this one.
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

    /// The key is used for this time, and then a key is loaded again.
    #[must_use]
    pub fn valid_for(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

debug_fields!(ApiKey, lifetime(lifetime));

/// A provider with the key that it returned last.
pub(crate) struct Provided {
    provider: Arc<dyn Credentials>,
    /// The scheme that the key is for; `None` if every request has it.
    scheme: Option<&'static Scheme>,
    credential: Credential,
    held: Mutex<Option<Held>>,
    /// When a failed load was logged last.
    logged: Mutex<Option<Instant>>,
    /// Locked while a key is loaded.
    loading: AsyncMutex<()>,
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
    /// A provider of the credential of a scheme, or of the key that every request has.
    ///
    /// # Errors
    ///
    /// The credential never changes, and cannot be sent.
    pub(crate) fn new(
        provider: Arc<dyn Credentials>,
        credential: Credential,
        scheme: Option<&'static Scheme>,
    ) -> Result<Self, BuildError> {
        if let Some(key) = provider.unchanging() {
            header_value(credential, &key.key)?;
        }
        Ok(Provided {
            provider,
            scheme,
            credential,
            held: Mutex::new(None),
            logged: Mutex::new(None),
            loading: AsyncMutex::new(()),
        })
    }

    /// Whether the application has set the header of the key itself.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        header_name(self.credential).is_some_and(|name| headers.contains_key(name))
    }

    /// Adds a key to a request.
    pub(crate) fn put(&self, key: &HeaderValue, request: &mut Request) {
        if let Some(name) = header_name(self.credential) {
            request.headers_mut().insert(name, key.clone());
            return;
        }
        // `header_value` accepts only ASCII for these.
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
                // The link to a next page may have it already.
                let url = request.url_mut();
                if !url.query_pairs().any(|(other, _)| other == name) {
                    url.query_pairs_mut().append_pair(name, text);
                }
            }
            Credential::Bearer | Credential::Basic | Credential::Header(_) => {}
        }
    }

    /// The key as it is sent; `rejected` is the one that the service rejected, and `left` the time that the call has. `report` is
    /// called if a load fails, with whether it is time to log it.
    ///
    /// # Errors
    ///
    /// No key is available.
    pub(crate) async fn value(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
        left: Duration,
        report: &(dyn Fn(&FailedLoad<'_>, bool) + Sync),
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
            report(&failure, self.is_time_to_log(clock.now()));
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

    fn is_time_to_log(&self, now: Instant) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |last| now.saturating_duration_since(last) >= LOG_INTERVAL;
        let is_time = logged.is_none_or(is_due);
        if is_time {
            *logged = Some(now);
        }
        is_time
    }
}

/// The header of a key that every request has, if it never changes.
///
/// # Errors
///
/// It cannot be sent.
pub(crate) fn unchanging(
    provider: &dyn Credentials,
    credential: Credential,
) -> Result<Option<(HeaderName, HeaderValue)>, BuildError> {
    let (Some(key), Some(name)) = (provider.unchanging(), header_name(credential)) else {
        return Ok(None);
    };
    Ok(Some((name, header_value(credential, &key.key)?)))
}

/// The providers whose keys a call sends: the provider for every request, and the providers of the first alternative of the
/// operation for which the application has all credentials. If no alternative is complete, an interceptor may add the missing
/// credentials; then the alternative with the most credentials is used. A key whose header the application has set itself is not
/// sent.
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
    let alternatives = (service.security)(operation.id).iter();
    let complete = alternatives
        .clone()
        .find(|alternative| alternative.iter().all(is_given));
    let given = |alternative: &&&[&'static Scheme]| {
        let given = alternative.iter().filter(|scheme| is_given(scheme));
        given.count()
    };
    let chosen = complete.or_else(|| alternatives.rev().max_by_key(given));
    let is_chosen = |provided: &&Provided| match provided.scheme {
        None => true,
        Some(scheme) => chosen.is_some_and(|all| all.iter().any(|one| one.name == scheme.name)),
    };
    let is_set = |provided: &&Provided| headers.iter().any(|headers| provided.is_in(headers));
    let chosen = all.iter().filter(is_chosen);
    chosen.filter(|provided| !is_set(provided)).collect()
}

/// The credentials that a request is sent with. One in a header is the value of this header; of others, and of several, the value
/// names the place of each.
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
    // In an order that does not depend on the operation; two schemes can have the same header.
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

/// The place of a credential, and what the request has there.
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
            let mut pairs = request.url().query_pairs();
            let (_, value) = pairs.find(|(other, _)| other == name)?;
            Some((
                format!("query {name}"),
                HeaderValue::try_from(&*value).ok()?,
            ))
        }
    }
}

/// The header that carries the key, if it carries nothing else.
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

/// The key as it is sent. A key has to be visible ASCII (RFC 6750, section 2.1), and in a cookie without punctuation that has
/// a meaning there (RFC 6265, section 4.1.1).
///
/// # Errors
///
/// The key is empty or cannot be sent.
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
