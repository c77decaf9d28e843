//! Creates errors from the errors of reqwest and from error responses.

use super::{Error, ErrorKind, Failure, is_request_id, request_id};
#[cfg(not(target_arch = "wasm32"))]
use crate::TransportError;
use crate::{
    BoxError,
    json::json_body,
    retry_after::retry_after,
    transport::{BodyProblem, Head, Received, media_type},
};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::{error, fmt, io};

/// The length of an excerpt, in characters.
const EXCERPT: usize = 200;
/// How many bytes of an error response are read. Error bodies are far smaller.
const MOST_READ: usize = 64 * 1024;

impl<C> Error<C> {
    pub(super) fn caused_by(mut self, source: impl Into<BoxError>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// A call whose task panicked.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub(crate) fn panicked() -> Self {
        let message = "the call panicked; it is unknown whether it was carried out";
        Error::new(ErrorKind::Interrupted, message.to_owned())
    }

    /// The runtime of blocking calls could not be started.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub(crate) fn no_runtime(source: &std::io::Error) -> Self {
        let message = format!("requests cannot be sent from this program ({source})");
        Error::new(ErrorKind::Request, message)
    }
}

impl Failure {
    fn responded(mut self, status: StatusCode, headers: HeaderMap) -> Self {
        self.inner.status = Some(status);
        self.inner.request_id = request_id(&headers).map(str::to_owned);
        self.inner.retry_after = retry_after(status, &headers);
        self.inner.headers = Some(headers);
        self
    }

    /// A parameter was rejected.
    pub(crate) fn invalid_request(message: String) -> Self {
        Error::new(ErrorKind::Request, message)
    }

    /// The request could not be built.
    pub(crate) fn not_built(source: impl Into<BoxError>) -> Self {
        Error::new(ErrorKind::Request, "the request cannot be built".to_owned()).caused_by(source)
    }

    /// An interceptor ended the call.
    pub(crate) fn stopped_by_interceptor(operation_id: &str, source: BoxError) -> Self {
        let message =
            format!("an interceptor of the application rejected `{operation_id}` ({source})");
        Error::new(ErrorKind::Request, message).caused_by(source)
    }

    /// The provider has no API key.
    pub(crate) fn no_key(source: BoxError) -> Self {
        let message = format!("no API key could be loaded ({source})");
        Error::new(ErrorKind::Credentials, message).caused_by(source)
    }

    /// The provider did not return an API key in time.
    pub(crate) fn no_key_in_time() -> Self {
        let message = "no API key was loaded within the time limit of the call";
        Error::new(ErrorKind::Credentials, message.to_owned())
    }

    /// The request got no response.
    pub(crate) fn no_response(operation_id: &str, base_url: &str, source: BoxError) -> Self {
        let (kind, source) = match source.downcast::<reqwest::Error>() {
            Ok(error) => {
                let error = error.without_url();
                (kind_of(&error), BoxError::from(error))
            }
            Err(source) => {
                #[cfg(not(target_arch = "wasm32"))]
                let kind = source
                    .downcast_ref()
                    .map(|error: &TransportError| error.kind);
                #[cfg(target_arch = "wasm32")]
                let kind = None;
                (kind.unwrap_or(ErrorKind::Interrupted), source)
            }
        };
        let message = match kind {
            ErrorKind::Timeout => return Error::timed_out(operation_id).caused_by(source),
            ErrorKind::Connect => {
                format!("the service at {base_url} cannot be reached for `{operation_id}`")
            }
            ErrorKind::Tls => format!(
                "no secure connection to {base_url} could be established for `{operation_id}` ({}); check the address, and whether this \
                 machine trusts the certificate of the service",
                innermost(&*source)
            ),
            ErrorKind::Request => format!(
                "the transport rejected `{operation_id}` ({})",
                innermost(&*source)
            ),
            // A browser does not give the reason, so that web pages cannot learn about the network.
            _ if cfg!(target_arch = "wasm32") => format!(
                "the browser has no response to `{operation_id}`: the service at {base_url} cannot be reached, does not allow this \
                 page's origin (CORS), or the connection broke; it is unknown whether it was carried out"
            ),
            _ => format!(
                "the connection broke during `{operation_id}`; it is unknown whether it was carried out"
            ),
        };
        Error::new(kind, message).caused_by(source)
    }

    /// A try took too long.
    pub(crate) fn timed_out(operation_id: &str) -> Self {
        let message =
            format!("`{operation_id}` took too long; it is unknown whether it was carried out");
        Error::new(ErrorKind::Timeout, message)
    }

    /// The response was a success, but its body was not read to its end.
    pub(crate) fn not_read(head: &Head, problem: BodyProblem) -> Self {
        let source = match problem {
            BodyProblem::TooLarge => {
                let message = format!(
                    "the response has more than {} bytes, the limit of this client, and was not read; if responses of this size are \
                     expected, raise the limit with `max_response_bytes`",
                    head.max_bytes
                );
                return Error::of_success(head, ErrorKind::TooLarge, message);
            }
            BodyProblem::Broken(source) => source.without_url(),
        };
        let (kind, message) = match source.is_timeout() {
            true => (ErrorKind::Timeout, "the response took too long to arrive"),
            false => (
                ErrorKind::Interrupted,
                "the connection broke before the response was complete",
            ),
        };
        Error::of_success(head, kind, message.to_owned()).caused_by(source)
    }

    /// The response was a success that does not match the document.
    pub(crate) fn unreadable(head: &Head, reason: impl fmt::Display) -> Self {
        let message =
            format!("the response is not what this version of the client expects: {reason}");
        Error::of_success(head, ErrorKind::Unreadable, message)
    }

    /// The response was a success that cannot be used, or a stream with an invalid item.
    pub(crate) fn of_success(head: &Head, kind: ErrorKind, message: String) -> Self {
        Error::new(kind, message)
            .responded(head.status, head.headers.clone())
            .of_call(&head.record)
    }

    /// The response is an error of the service or of a proxy in front of it.
    pub(crate) async fn from_response(mut received: Received) -> Self {
        let raw = received.begin(MOST_READ).await;
        let Head {
            status,
            headers,
            record,
            ..
        } = *received.head;
        let is_small = raw.len() <= MOST_READ;
        let body = is_small.then(|| json_body(&raw).ok().filter(Value::is_object));
        let body: Option<Value> = body.flatten();
        // Some services wrap the error in a property.
        let members = body.as_ref().map(|body| match body.get("error") {
            Some(inner @ Value::Object(_)) => inner,
            _ => body,
        });
        let text = |names: &[&str]| {
            let find = |name: &&str| members?.get(name)?.as_str().map(str::to_owned);
            names.iter().find_map(find)
        };
        let message = text(&["message", "detail", "title"])
            .unwrap_or_else(|| no_message(status, &headers, body.is_none()));
        let mut error = Error::new(ErrorKind::Answer, message).responded(status, headers);
        error.code = text(&["code", "error_code"]);
        error.inner.record = record;
        if body.is_none() {
            error.inner.excerpt = excerpt(&raw);
        }
        error.inner.request_id = error
            .inner
            .request_id
            .or_else(|| text(&["request_id"]).filter(|id| is_request_id(id)));
        error.inner.body = body;
        error.inner.raw = is_small.then_some(raw);
        error
    }
}

impl From<(Box<Head>, BodyProblem)> for Failure {
    fn from((head, problem): (Box<Head>, BodyProblem)) -> Self {
        Failure::not_read(&head, problem)
    }
}

/// Returns the step in which reqwest failed. A browser does not tell whether it has connected.
fn kind_of(error: &reqwest::Error) -> ErrorKind {
    #[cfg(not(target_arch = "wasm32"))]
    if error.is_connect() {
        return match is_tls(error) {
            true => ErrorKind::Tls,
            false => ErrorKind::Connect,
        };
    }
    match error.is_timeout() {
        true => ErrorKind::Timeout,
        false => ErrorKind::Interrupted,
    }
}

/// Whether a connection failed because of TLS. A handshake that was interrupted does not count.
#[cfg(not(target_arch = "wasm32"))]
fn is_tls(error: &(dyn error::Error + 'static)) -> bool {
    sources(error).any(|source| {
        // rustls uses this kind for invalid certificates and invalid records; other errors have other
        // kinds.
        let invalid = source
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::InvalidData);
        // The error types of the system's TLS library are not available to this crate. OpenSSL names itself in its errors.
        let text = source.to_string();
        invalid || text.contains("certificate") || text.contains("SSL routines")
    })
}

pub(super) fn sources<'a>(
    error: &'a (dyn error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn error::Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        // `source` of an I/O error returns the source of the inner error.
        match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

/// Returns the text of the first cause, which is the most specific one.
fn innermost(error: &(dyn error::Error + 'static)) -> String {
    sources(error)
        .last()
        .map_or_else(String::new, ToString::to_string)
}

/// Returns the media type of a response, if it can be written to a log unchanged.
fn plain_media_type(headers: &HeaderMap) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-.".contains(&byte);
    let is_valid = |it: &String| (1..=60).contains(&it.len()) && it.bytes().all(is_plain);
    media_type(headers).filter(is_valid)
}

/// Returns the beginning of a text without tags and control characters; each sequence of white space
/// becomes one space.
fn excerpt(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(16 * EXCERPT)]);
    let mut clean = String::new();
    let mut in_tag = false;
    for character in text.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                clean.push(' ');
            }
            _ if in_tag => {}
            other if other.is_control() || other == '\u{fffd}' => clean.push(' '),
            other => clean.push(other),
        }
    }
    let words: Vec<&str> = clean.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(EXCERPT).collect();
    (!text.is_empty()).then_some(text)
}

/// Returns the message for a response without an error body. It contains the media type if the response
/// has another body.
fn no_message(status: StatusCode, headers: &HeaderMap, has_other_body: bool) -> String {
    let hint = match status.as_u16() {
        300..=399 => {
            "this client does not follow redirects; check the base URL, and whether it needs `https`"
        }
        502..=504 => "a proxy seems to have responded instead of the service; try again later",
        200..=299 => {
            "its status is a success, but the document does not list it; a newer client may support it"
        }
        _ => "the response has no error body; check that the base URL belongs to the service",
    };
    let mut response = status.as_str().to_owned();
    if let Some(reason) = status.canonical_reason() {
        response = format!("{response} {reason}");
    }
    if has_other_body && let Some(media_type) = plain_media_type(headers) {
        response = format!("{response} with a body of the type {media_type}");
    }
    format!("the response is {response}: {hint}")
}
