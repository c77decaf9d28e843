//! API keys that change: a provider of the application, and the cache of its key.

#[cfg(not(target_arch = "wasm32"))]
mod file;

use crate::{
    BoxError, BuildError, Clock, error::Failure, generated::Credential, platform::Instant,
};
use futures_util::lock::Mutex;
use http::{HeaderName, HeaderValue, header::AUTHORIZATION};
use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

#[cfg(not(target_arch = "wasm32"))]
pub use file::ApiKeyFile;

/// A provider of API keys, for keys that change while the program runs;
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials) takes one.
///
/// The client keeps the key until it expires ([`ApiKey::valid_for`]). If the service rejects it with 401, the client loads
/// a key once more and, if that is another one, sends the request again with it. Calls that need a key while it is loaded
/// wait for the one load. If loading fails, the client goes on with the key that it has, unless that was rejected.
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
/// use openapi_dropshot_client::{ApiKey, BoxError, Client};
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
    /// Loads the key that is valid now.
    ///
    /// # Errors
    ///
    /// There is no key. The call fails with this error as its source, unless the client has an earlier key.
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
/// use openapi_dropshot_client::ApiKey;
///
/// let key = ApiKey::new("the-key");
/// assert!(!format!("{key:?}").contains("the-key"));
/// ```
#[derive(Clone)]
pub struct ApiKey {
    key: String,
    lifetime: Option<Duration>,
}

impl ApiKey {
    /// A key, without `Bearer`, that is used until the service rejects it.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey {
            key: key.into(),
            lifetime: None,
        }
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
    held: Mutex<Option<Held>>,
}

struct Held {
    value: HeaderValue,
    until: Option<Instant>,
}

impl Provided {
    pub(crate) fn new(provider: Arc<dyn Credentials>, credential: Credential) -> Self {
        Provided {
            provider,
            credential,
            held: Mutex::new(None),
        }
    }

    /// The header with the key; `rejected` is the value that the service rejected.
    ///
    /// # Errors
    ///
    /// There is no key.
    pub(crate) async fn header(
        &self,
        clock: &dyn Clock,
        rejected: Option<&HeaderValue>,
    ) -> Result<(HeaderName, HeaderValue), Failure> {
        let mut held = self.held.lock().await;
        let name = header_name(self.credential);
        let usable = held
            .as_ref()
            .filter(|held| Some(&held.value) != rejected)
            .map(|held| (held.value.clone(), held.until));
        if let Some((value, until)) = &usable
            && until.is_none_or(|until| clock.now() < until)
        {
            return Ok((name, value.clone()));
        }
        let loaded = match self.provider.load().await {
            Ok(key) => header_value(self.credential, &key.key)
                .map(|value| (value, key.lifetime))
                .map_err(BoxError::from),
            Err(error) => Err(error),
        };
        match (loaded, usable) {
            (Ok((value, lifetime)), _) => {
                let until = lifetime.and_then(|lifetime| clock.now().checked_add(lifetime));
                *held = Some(Held {
                    value: value.clone(),
                    until,
                });
                Ok((name, value))
            }
            (Err(_), Some((value, _))) => Ok((name, value)),
            (Err(error), None) => Err(Failure::no_key(error)),
        }
    }
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
