//! Reads deprecation headers of responses: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the successor
//! (RFC 5829).

use crate::{link, lock::lock, retry_after::http_date};
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderName};
use reqwest::Url;
use std::{collections::BTreeSet, sync::Mutex};

/// The deprecation of an operation, as reported by a response.
///
/// The compiler warns about the deprecations that this version of the client knows. Responses report the deprecations
/// that the service knows, which may be newer.
///
/// ```
/// use openapi_dropshot_client::Client;
///
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .on_deprecation(|deprecation| {
///         eprintln!("{} ends: {:?}", deprecation.operation(), deprecation.sunset());
///         eprintln!("use {:?} instead", deprecation.successor());
///     })
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    operation: &'static str,
    since: Option<DateTime<Utc>>,
    sunset: Option<DateTime<Utc>>,
    successor: Option<String>,
}

impl Deprecation {
    /// The `operationId`.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns since when the operation is deprecated, or will be; `None` if the response does not say.
    pub fn since(&self) -> Option<DateTime<Utc>> {
        self.since
    }

    /// Returns when the operation is expected to be removed; `None` if the response does not say.
    pub fn sunset(&self) -> Option<DateTime<Utc>> {
        self.sunset
    }

    /// Returns the URL of the successor; `None` if the response does not say.
    pub fn successor(&self) -> Option<&str> {
        self.successor.as_deref()
    }
}

/// RFC 9745
pub(crate) const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// RFC 8594
pub(crate) const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Reads the deprecation from the response to a request to this URL.
pub(crate) fn read(operation: &'static str, url: &Url, headers: &HeaderMap) -> Option<Deprecation> {
    let text = |name: &HeaderName| headers.get(name)?.to_str().ok();
    let deprecation = text(&DEPRECATION);
    let sunset = text(&SUNSET);
    let successor = link::target(headers, "successor-version");
    if deprecation.is_none() && sunset.is_none() && successor.is_none() {
        return None;
    }
    Some(Deprecation {
        operation,
        since: deprecation.and_then(moment),
        sunset: sunset.and_then(http_date),
        successor: successor.and_then(|target| Some(url.join(&target).ok()?.into())),
    })
}

/// Parses `@1795132800`, or the HTTP date of the drafts before the RFC.
fn moment(value: &str) -> Option<DateTime<Utc>> {
    match value.trim().strip_prefix('@') {
        Some(seconds) => DateTime::from_timestamp(seconds.parse().ok()?, 0),
        None => http_date(value),
    }
}

/// Whether this is the first time that this process sees the deprecation of this operation.
pub(crate) fn is_first(package: &'static str, operation: &'static str) -> bool {
    static LOGGED: Mutex<BTreeSet<(&'static str, &'static str)>> = Mutex::new(BTreeSet::new());
    lock(&LOGGED).insert((package, operation))
}

#[cfg(test)]
mod tests;
