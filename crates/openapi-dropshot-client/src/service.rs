//! The service of a generated client: names, credentials, spans and log lines.

use crate::{Deprecation, Error, FailedLoad, operation::Operation};
use std::time::Duration;

/// The data about a service that its client needs. The macro [`service!`](crate::service!) creates it in the generated
/// client, so that spans and log lines have the name of that crate.
///
/// ```
/// use openapi_dropshot_client::{Client, ClientBuilder, generated::{Credential, Service}};
///
/// static BOOKS: Service = openapi_dropshot_client::service!("book_client", Credential::Bearer, required: true);
///
/// fn builder(base_url: String) -> ClientBuilder<Client> {
///     ClientBuilder::new(base_url, &BOOKS)
/// }
/// ```
#[derive(Debug)]
pub struct Service {
    /// The package of the client, for its `User-Agent`.
    pub package: &'static str,
    /// The version of that package.
    pub version: &'static str,
    /// How the API key is sent.
    pub credential: Credential,
    /// Whether every operation needs a credential.
    pub credential_required: bool,
    /// Returns what an operation requires, by its `operationId`: the alternatives, each with the schemes that are required
    /// together. If the last alternative is empty, no credential is required.
    pub security: fn(&str) -> &'static [&'static [&'static Scheme]],
    /// Creates the span of a call to this URL.
    pub span: fn(&Operation, &reqwest::Url) -> tracing::Span,
    /// Logs that the try with this number failed, and that it will be repeated after this time.
    pub log_retry: fn(&Operation, u32, &Error, Duration),
    /// Logs a deprecation.
    pub log_deprecation: fn(&Deprecation),
    /// Logs that no API key could be loaded.
    pub log_failed_load: fn(&FailedLoad<'_>),
}

/// A security scheme of the document. A generated client has one for each scheme in its module `schemes`. Pass it to
/// [`ClientBuilder::credential`](crate::ClientBuilder::credential).
#[derive(Debug)]
pub struct Scheme {
    /// The name in the document.
    pub name: &'static str,
    /// How its credential is sent.
    pub credential: Credential,
}

/// How a credential is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer KEY` (RFC 6750).
    Bearer,
    /// `Authorization: Basic …`, with user name and password (RFC 7617).
    Basic,
    /// Only the key, in a header of this name.
    Header(&'static str),
    /// Only the key, in a query parameter of this name.
    Query(&'static str),
    /// Only the key, in a cookie of this name.
    Cookie(&'static str),
}

/// Creates the [`Service`](crate::generated::Service) of the crate that calls this macro. The first argument is the name
/// of the spans.
#[macro_export]
macro_rules! service {
    ($name:literal, $credential:expr, required: $required:literal) => {
        $crate::service!($name, $credential, required: $required, security: |_| &[])
    };
    ($name:literal, $credential:expr, required: $required:literal, security: $security:expr) => {
        $crate::generated::Service {
            package: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            credential: $credential,
            credential_required: $required,
            security: $security,
            span: |operation, url| {
                $crate::tracing::info_span!(
                    target: concat!($name, "::retry"),
                    $name,
                    operation = operation.id,
                    method = %operation.method,
                    otel.kind = "client",
                    otel.name = %format_args!("{} {}", operation.method, operation.path),
                    http.request.method = %operation.method,
                    url.template = operation.path,
                    url.full = url.as_str(),
                    server.address = url.host_str().unwrap_or_default(),
                    server.port = url.port_or_known_default(),
                    http.response.status_code = $crate::tracing::field::Empty,
                    error.type = $crate::tracing::field::Empty,
                    otel.status_code = $crate::tracing::field::Empty,
                    http.request.resend_count = $crate::tracing::field::Empty,
                    status = $crate::tracing::field::Empty,
                    request_id = $crate::tracing::field::Empty,
                    retries = $crate::tracing::field::Empty,
                    error = $crate::tracing::field::Empty,
                )
            },
            log_retry: |operation, number, error, pause| {
                $crate::tracing::debug!(
                    target: concat!($name, "::retry"),
                    operation = operation.id,
                    kind = ?error.kind(),
                    status = error.status(),
                    request_id = error.request_id(),
                    pause_ms = pause.as_millis(),
                    "attempt {number} failed; retrying",
                );
            },
            log_deprecation: |deprecation| {
                $crate::tracing::warn!(
                    target: concat!($name, "::deprecation"),
                    operation = deprecation.operation(),
                    deprecated_since = $crate::generated::day(deprecation.since()),
                    sunset = $crate::generated::day(deprecation.sunset()),
                    successor = deprecation.successor(),
                    "the service reports that this operation is deprecated",
                );
            },
            log_failed_load: |failure| {
                $crate::tracing::warn!(
                    target: concat!($name, "::credentials"),
                    reason = failure.error().message(),
                    "{}",
                    match failure.has_earlier_key() {
                        true => "the API key cannot be loaded again; calls continue with the earlier key",
                        false => "the API key cannot be loaded; calls fail until it can be loaded",
                    },
                );
            },
        }
    };
}

/// Returns the day of a time, for a log line.
#[doc(hidden)]
pub fn day(moment: Option<chrono::DateTime<chrono::Utc>>) -> Option<String> {
    moment.map(|moment| moment.date_naive().to_string())
}
