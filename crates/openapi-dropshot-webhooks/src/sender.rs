//! Sends one message to an endpoint, over connections that the egress rules allow.

use crate::{BoxError, EgressRules};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, DATE, RETRY_AFTER},
};
use reqwest::{
    Client, Proxy, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};
use std::{
    error::Error,
    fmt, io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::timeout;
use url::Url;

/// The greatest number of bytes that are read from the body of a response.
const LONGEST_BODY: usize = 1024;
/// How long the body of a response is read. The status counts without it.
const BODY_TIME: Duration = Duration::from_secs(1);
/// The greatest number of addresses of a name that are tried.
const MOST_ADDRESSES: usize = 16;
/// How long an unused connection stays open.
const IDLE: Duration = Duration::from_secs(10);

/// Sends messages. Clones of a sender share its connections.
#[derive(Clone)]
pub struct Sender {
    client: Client,
    rules: Arc<EgressRules>,
    timeout: Duration,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("rules", &self.rules)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Why a sender cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSender {
    /// The proxy has a scheme other than `http` and `https`.
    #[error(
        "the URL of the proxy for webhooks has a scheme that is not supported; begin it with `http://` or `https://`"
    )]
    Proxy,
    /// The HTTP client cannot be set up.
    #[error(
        "the HTTP client for webhooks cannot be set up; check the user agent and the certificates of this machine"
    )]
    Client(#[source] BoxError),
}

/// The result of sending a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The HTTP status of the response, if one was received.
    pub status: Option<u16>,
    /// Why the message was not delivered. `None`: the endpoint responded with a status from 200 to 299.
    pub failure: Option<Failure>,
    /// After a success, the first 1,024 bytes of the response, or less if the response was interrupted.
    pub body: Vec<u8>,
    /// How long the endpoint asked to wait before the next try, for a status 429, 502, 503 or 504.
    pub retry_after: Option<Duration>,
    /// How long sending took, including the name resolution and the response.
    pub duration: Duration,
}

impl Sent {
    /// A failure without a response.
    pub(crate) fn failed(failure: Failure) -> Self {
        let failure = Some(failure);
        Sent {
            failure,
            ..Sent::default()
        }
    }
}

/// Why a message was not delivered. The owner of the endpoint may see this category. `Display` shows its name, in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The host cannot be resolved, or its addresses or its URL are not allowed.
    #[error("address")]
    Address,
    /// No connection was made, or it was closed before the response.
    #[error("connection")]
    Connection,
    /// TLS failed, for example because the certificate is not valid.
    #[error("tls")]
    Tls,
    /// There was no response in time.
    #[error("timeout")]
    Timeout,
    /// The status of the response is not a success.
    #[error("status")]
    Status,
    /// The response is a redirect. Redirects are never followed.
    #[error("redirect")]
    Redirect,
    /// The response is not valid HTTP.
    #[error("response")]
    Response,
    /// The service could not sign the message, so it did not send it.
    #[error("signature")]
    Signature,
}

impl Sender {
    /// Creates a sender of messages with this `User-Agent`. The timeout applies to each message, including its response; 15 seconds
    /// are usual.
    ///
    /// # Errors
    ///
    /// The user agent is not a valid header, the proxy has a scheme other than `http` or `https`, or TLS cannot be set up.
    pub fn new(
        rules: EgressRules,
        timeout: Duration,
        user_agent: &str,
    ) -> Result<Self, InvalidSender> {
        Self::with_resolver(rules, timeout, user_agent, Arc::new(SystemResolver))
    }

    pub(crate) fn with_resolver(
        rules: EgressRules,
        timeout: Duration,
        user_agent: &str,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, InvalidSender> {
        let rules = Arc::new(rules);
        // With HTTP/1.1, a connection carries one message at a time. With HTTP/2, a response could fill a window of megabytes.
        let builder = Client::builder()
            .user_agent(user_agent)
            .timeout(timeout)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .http1_only()
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(1);
        let builder = match &rules.proxy {
            None => builder.no_proxy(),
            // The HTTP client ignores a proxy with another scheme.
            Some(proxy) if !matches!(proxy.scheme(), "http" | "https") => {
                return Err(InvalidSender::Proxy);
            }
            Some(proxy) => {
                builder.proxy(Proxy::all(proxy.clone()).map_err(|_| InvalidSender::Proxy)?)
            }
        };
        let builder = builder.dns_resolver(AllowedAddresses {
            rules: Arc::clone(&rules),
            resolver,
        });
        let client = builder.build();
        let client = client.map_err(|error| InvalidSender::Client(error.into()))?;
        Ok(Sender {
            client,
            rules,
            timeout,
        })
    }

    /// The rules for URLs and addresses.
    #[must_use]
    pub fn rules(&self) -> &EgressRules {
        &self.rules
    }

    /// How long a message may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Sends a message once: a `POST` request with these headers (see [`sign`](crate::sign)), `Content-Type: application/json`
    /// and this body.
    pub async fn send(&self, url: &str, headers: HeaderMap, body: Bytes) -> Sent {
        let start = Instant::now();
        let sent = self.post(url, headers, body).await;
        let mut sent = sent.unwrap_or_else(Sent::failed);
        sent.duration = start.elapsed();
        sent
    }

    async fn post(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<Sent, Failure> {
        // Addresses are checked here, because the HTTP client does not call the resolver for a host that is an address.
        let url = self.rules.check_url(url).map_err(|_| Failure::Address)?;
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .headers(headers)
            .body(body);
        let response = request.send().await.map_err(|error| category(&error))?;
        let status = response.status();
        let mut sent = Sent {
            status: Some(status.as_u16()),
            retry_after: retry_after(status, response.headers()),
            ..Sent::default()
        };
        if status.is_success() {
            let body = timeout(BODY_TIME, beginning(response)).await;
            sent.body = body.unwrap_or_default();
        } else if status.is_redirection() {
            sent.failure = Some(Failure::Redirect);
        } else {
            sent.failure = Some(Failure::Status);
        }
        Ok(sent)
    }
}

/// Reads the first bytes of a response, and closes the connection if there are more.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < LONGEST_BODY {
        // If the response is interrupted after its status, the status still counts.
        let Ok(Some(chunk)) = response.chunk().await else {
            break;
        };
        body.extend_from_slice(&chunk[..chunk.len().min(LONGEST_BODY - body.len())]);
    }
    body
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3) for the statuses with which an endpoint asks to slow down according to Standard
/// Webhooks, and for 503.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status.as_u16(), 429 | 502..=504) {
        return None;
    }
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text| Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc());
    // Uses the clock of the endpoint if the response has a date.
    let now = headers.get(DATE).and_then(|now| date(now.to_str().ok()?));
    // A date in the past means that there is no pause.
    let pause = date(value)? - now.unwrap_or_else(Utc::now);
    Some(pause.to_std().unwrap_or_default())
}

/// Determines the category of an error from its causes.
fn category(error: &reqwest::Error) -> Failure {
    if error.is_timeout() {
        return Failure::Timeout;
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<NoAllowedAddress>() {
            return Failure::Address;
        }
        if error.is::<rustls::Error>() {
            return Failure::Tls;
        }
        if error.downcast_ref().is_some_and(hyper::Error::is_parse) {
            return Failure::Response;
        }
        // `source` of an I/O error skips the error that it contains, so that error is read first.
        let contained = error.downcast_ref().and_then(io::Error::get_ref);
        cause = contained.map_or_else(|| error.source(), |contained| Some(contained));
    }
    Failure::Connection
}

/// A resolver that removes the addresses that the rules do not allow. The client connects to the addresses that were checked, so a
/// name that resolves to another address later cannot bypass the rules. Only the proxy may have any address.
struct AllowedAddresses {
    rules: Arc<EgressRules>,
    resolver: Arc<dyn Resolve>,
}

#[derive(Debug, thiserror::Error)]
#[error("the name has no address that is allowed")]
struct NoAllowedAddress;

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let proxy = self.rules.proxy.as_ref().and_then(Url::host_str);
        let is_proxy = proxy == Some(name.as_str());
        let lookup = self.resolver.resolve(name);
        if is_proxy {
            return lookup;
        }
        let rules = Arc::clone(&self.rules);
        Box::pin(async move {
            let addresses = lookup.await.map_err(|_| NoAllowedAddress)?;
            let allowed: Vec<SocketAddr> = addresses
                .filter(|address| rules.allows(address.ip()))
                .take(MOST_ADDRESSES)
                .collect();
            if allowed.is_empty() {
                return Err(NoAllowedAddress.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// The resolver of the operating system.
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
