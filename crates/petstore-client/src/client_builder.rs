//! Makes a client: checks address and key once, so that nothing fails later
//! that could have been told at the start.

use crate::Client;
use http::header::HeaderValue;
use reqwest::{Url, redirect};
use std::{fmt, time::Duration};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take, from the first byte sent to the last one read.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Settings of a [`Client`]; [`Client::builder`] starts one.
#[must_use = "a client is made by `build`"]
#[derive(Clone)]
pub struct ClientBuilder {
    base_url: String,
    api_key: Option<String>,
    connect_timeout: Duration,
    timeout: Duration,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String) -> Self {
        ClientBuilder {
            base_url,
            api_key: None,
            connect_timeout: CONNECT_TIMEOUT,
            timeout: TIMEOUT,
        }
    }

    /// The API key, without `Bearer`. Required: every operation asks for one
    /// (section 5 of the specification).
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// How long a connection may take to be made; 5 seconds if not set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a call may take, from the first byte sent to the last one read;
    /// 30 seconds if not set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Makes the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The address or the key cannot be used as it is; see [`BuildError`].
    pub fn build(self) -> Result<Client, BuildError> {
        let base_url = checked_base_url(&self.base_url)?;
        let authorization =
            authorization(self.api_key.as_deref().ok_or(BuildError::MissingApiKey)?)?;
        let http = reqwest::Client::builder()
            .user_agent(concat!("petstore-client/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            .timeout(self.timeout)
            // The service never redirects. Whoever does is not the service, and
            // would turn a creation into a look-up.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(BuildError::Tls)?;
        Ok(Client::new(base_url, authorization, http))
    }
}

/// Neither key nor address: the latter may hold a password, which `build`
/// refuses only later.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Why a client cannot be made. No message repeats the address or the key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The address is no URL.
    #[error("the base URL cannot be read ({reason}); write it like `http://127.0.0.1:8080/v1`")]
    InvalidBaseUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The scheme is neither `http` nor `https`.
    #[error(
        "the base URL has the scheme `{scheme}`; begin it with `http://` or `https://`, like `http://127.0.0.1:8080/v1`"
    )]
    UnsupportedScheme {
        /// The scheme that was found.
        scheme: String,
    },
    /// The address holds a user name or a password.
    #[error(
        "the base URL holds a user name or a password; leave them out and pass the key to `api_key`"
    )]
    CredentialsInBaseUrl,
    /// The address has a query or a fragment.
    #[error("the base URL has a query or a fragment; end it with its path, like `/v1`")]
    QueryInBaseUrl,
    /// No key was given.
    #[error("there is no API key; pass one to `api_key`")]
    MissingApiKey,
    /// The key has a character that no key has.
    #[error(
        "the API key has a character at position {position} that cannot be sent; pass the key alone, without `Bearer`, \
         spaces or line breaks"
    )]
    InvalidApiKey {
        /// Which character, counted from 1.
        position: usize,
    },
    /// The parts that speak TLS could not be set up.
    #[error("the HTTP client cannot be set up; check the certificates of this machine")]
    Tls(#[source] reqwest::Error),
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
