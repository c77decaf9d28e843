//! What answers say of the end of their operation: `Deprecation` (RFC 9745),
//! `Sunset` (RFC 8594) and a link to what comes after (RFC 5829).

use crate::{link, retry::http_date};
use chrono::{DateTime, Utc};
use http::HeaderMap;
use reqwest::Url;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// That an operation is deprecated, as an answer of it said.
///
/// The compiler tells what this version of the client knows; this tells what the
/// service knows, which may be newer.
///
/// ```
/// use petstore_client::Client;
///
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .on_deprecation(|deprecation| {
///         eprintln!("{} ends: {:?}", deprecation.operation(), deprecation.sunset());
///     })
///     .build()?;
/// # let _ = client;
/// # Ok::<(), petstore_client::BuildError>(())
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
    ///
    /// ```
    /// # fn example(deprecation: &petstore_client::Deprecation) {
    /// println!("{} is deprecated", deprecation.operation());
    /// # }
    /// ```
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Since when it is deprecated, or will be; `None` where the answer does not
    /// say.
    ///
    /// ```
    /// # fn example(deprecation: &petstore_client::Deprecation) {
    /// if let Some(since) = deprecation.since() {
    ///     println!("deprecated since {since}");
    /// }
    /// # }
    /// ```
    pub fn since(&self) -> Option<DateTime<Utc>> {
        self.since
    }

    /// When it is expected to be gone; `None` where the answer does not say.
    ///
    /// ```
    /// # fn example(deprecation: &petstore_client::Deprecation) {
    /// if let Some(sunset) = deprecation.sunset() {
    ///     println!("gone on {}", sunset.date_naive());
    /// }
    /// # }
    /// ```
    pub fn sunset(&self) -> Option<DateTime<Utc>> {
        self.sunset
    }

    /// The address of what comes after it; `None` where the answer does not say.
    ///
    /// ```
    /// # fn example(deprecation: &petstore_client::Deprecation) {
    /// if let Some(successor) = deprecation.successor() {
    ///     println!("use {successor} instead");
    /// }
    /// # }
    /// ```
    pub fn successor(&self) -> Option<&str> {
        self.successor.as_deref()
    }
}

/// What an answer to a request at this address says of it.
pub(crate) fn read(operation: &'static str, url: &Url, headers: &HeaderMap) -> Option<Deprecation> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let deprecation = text("deprecation");
    let sunset = text("sunset");
    let successor = link::target(headers, "successor-version");
    if deprecation.is_none() && sunset.is_none() && successor.is_none() {
        return None;
    }
    Some(Deprecation {
        operation,
        since: deprecation.and_then(moment),
        sunset: sunset.and_then(http_date),
        successor: successor
            .and_then(|target| url.join(&target).ok())
            .map(String::from),
    })
}

/// `@1795132800`, or the HTTP-date of the drafts before the RFC.
fn moment(value: &str) -> Option<DateTime<Utc>> {
    match value.trim().strip_prefix('@') {
        Some(seconds) => DateTime::from_timestamp(seconds.parse().ok()?, 0),
        None => http_date(value),
    }
}

/// Warns, the first time that this process hears of it.
pub(crate) fn log_once(found: &Deprecation) {
    static LOGGED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let is_new = lock(&LOGGED).insert(found.operation);
    if is_new {
        let date = |moment: DateTime<Utc>| moment.date_naive().to_string();
        tracing::warn!(
            operation = found.operation,
            deprecated_since = found.since.map(date),
            sunset = found.sunset.map(date),
            successor = found.successor(),
            "the service says that this operation is deprecated",
        );
    }
}

/// How often which operation said it.
#[derive(Default)]
pub(crate) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    pub(crate) fn count(&self, operation: &'static str) {
        *lock(&self.0).entry(operation).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.0).clone()
    }
}

/// What is behind these locks is whole, whoever panicked with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn of(pairs: &[(&'static str, &'static str)]) -> Option<Deprecation> {
        let pairs = pairs.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let url = Url::parse("http://pets.example/v1/pets/1").expect("it is one");
        read("getPet", &url, &pairs.collect())
    }

    #[test]
    fn all_three_headers_are_read() {
        let found = of(&[
            ("deprecation", "@1795132800"),
            ("sunset", "Thu, 05 Dec 2030 00:00:00 GMT"),
            ("link", "<../pets>; rel=\"successor-version\""),
        ])
        .expect("it is deprecated");
        assert_eq!(found.operation(), "getPet");
        let day = |moment: Option<DateTime<Utc>>| moment.map(|at| at.date_naive().to_string());
        assert_eq!(day(found.since()).as_deref(), Some("2026-11-20"));
        assert_eq!(day(found.sunset()).as_deref(), Some("2030-12-05"));
        assert_eq!(found.successor(), Some("http://pets.example/v1/pets"));
    }

    #[test]
    fn one_of_them_is_enough_also_where_it_cannot_be_read() {
        for pair in [
            ("deprecation", "true"),
            ("deprecation", "@x"),
            ("sunset", "soon"),
            ("link", "</v2/pets>; rel=successor-version"),
        ] {
            assert!(of(&[pair]).is_some(), "{pair:?}");
        }
        assert_eq!(of(&[("link", "<?cursor=a>; rel=next")]), None);
        assert_eq!(of(&[]), None);
    }
}
