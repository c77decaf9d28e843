//! The one error of the client: what happened, what the service said of it, and
//! nothing that should not stand in a log.

use crate::BuildError;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use std::{error, fmt};

/// How much of an answer that is an error is read. The Error body is far
/// smaller; what is not one is not worth more.
const MOST_READ: usize = 64 * 1024;
/// The longest request id that is believed to be one.
const LONGEST_ID: usize = 128;

/// What can go wrong with a call.
///
/// Decide by [`code`](Error::code), by [`status`](Error::status) where you do
/// not know the code, and by [`kind`](Error::kind) where there is no answer.
///
/// Neither `Display` nor `Debug` shows a header, the API key, or the text of an
/// answer that is not the Error body of the service.
pub struct Error {
    // Boxed, so that a `Result` stays as small as what it holds otherwise.
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    status: Option<StatusCode>,
    code: Option<String>,
    message: String,
    request_id: Option<String>,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

/// At which point a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request was refused before it was sent: a parameter is missing or out
    /// of its bounds. Sending it again will not help.
    Request,
    /// No connection was made; the service has seen nothing.
    Connect,
    /// The time was up. Whether the service did what was asked is unknown.
    Timeout,
    /// The connection broke. Whether the service did what was asked is unknown.
    Interrupted,
    /// The service, or a proxy before it, answered with an error.
    Answer,
    /// The service answered a success that this client cannot read.
    Unreadable,
}

impl Error {
    /// At which point the call failed.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The code of the Error body (section 7 of the specification), such as
    /// `not_found`. The list is open. `None` where no service answered, or
    /// somebody else in its place.
    pub fn code(&self) -> Option<&str> {
        self.inner.code.as_deref()
    }

    /// The HTTP status, where there was an answer: also that of a proxy.
    pub fn status(&self) -> Option<u16> {
        self.inner.status.map(|status| status.as_u16())
    }

    /// What happened, for people: the message of the service, where it sent one.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The id under which the service knows the request. Say it when you ask
    /// about an error.
    pub fn request_id(&self) -> Option<&str> {
        self.inner.request_id.as_deref()
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        let inner = Inner {
            kind,
            status: None,
            code: None,
            message,
            request_id: None,
            source: None,
        };
        Error {
            inner: Box::new(inner),
        }
    }

    fn caused_by(mut self, source: impl error::Error + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Box::new(source));
        self
    }

    fn answered(mut self, status: StatusCode, headers: &HeaderMap) -> Self {
        self.inner.status = Some(status);
        self.inner.request_id = request_id(headers).map(str::to_owned);
        self
    }

    /// A parameter that was refused.
    pub(crate) fn invalid_request(message: String) -> Self {
        Error::new(ErrorKind::Request, message)
    }

    /// A request that could not be put together.
    pub(crate) fn not_built(source: reqwest::Error) -> Self {
        Error::new(
            ErrorKind::Request,
            "the request cannot be put together".to_owned(),
        )
        .caused_by(source.without_url())
    }

    /// A request that was not answered.
    pub(crate) fn not_answered(operation_id: &str, base_url: &str, source: reqwest::Error) -> Self {
        let (kind, message) = if source.is_connect() {
            (
                ErrorKind::Connect,
                format!(
                    "the service at {base_url} cannot be reached; `{operation_id}` was not sent"
                ),
            )
        } else if source.is_timeout() {
            (
                ErrorKind::Timeout,
                format!("`{operation_id}` took too long; whether it happened is unknown"),
            )
        } else {
            (
                ErrorKind::Interrupted,
                format!(
                    "the connection broke during `{operation_id}`; whether it happened is unknown"
                ),
            )
        };
        Error::new(kind, message).caused_by(source.without_url())
    }

    /// A success that broke off while it was read.
    pub(crate) fn broken_off(
        status: StatusCode,
        headers: &HeaderMap,
        source: reqwest::Error,
    ) -> Self {
        let (kind, message) = if source.is_timeout() {
            (ErrorKind::Timeout, "the answer took too long to arrive")
        } else {
            (
                ErrorKind::Interrupted,
                "the connection broke before the answer was complete",
            )
        };
        Error::new(kind, message.to_owned())
            .answered(status, headers)
            .caused_by(source.without_url())
    }

    /// A success that is not what the document says.
    pub(crate) fn unreadable(
        status: StatusCode,
        headers: &HeaderMap,
        reason: impl fmt::Display,
    ) -> Self {
        let message =
            format!("the answer is not what this version of the client expects: {reason}");
        Error::new(ErrorKind::Unreadable, message).answered(status, headers)
    }

    /// An answer that is an error, whoever sent it.
    pub(crate) async fn from_response(response: reqwest::Response) -> Self {
        let status = response.status();
        let headers = response.headers().clone();
        let body = ErrorBody::read(response).await;
        let message = body.message.unwrap_or_else(|| without_body(status));
        let mut error = Error::new(ErrorKind::Answer, message).answered(status, &headers);
        error.inner.code = body.code;
        error.inner.request_id = error
            .inner
            .request_id
            .or(body.request_id.filter(|id| is_request_id(id)));
        error
    }
}

/// What is read of an Error body; each member may be missing where somebody
/// else than the service answers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorBody {
    code: Option<String>,
    message: Option<String>,
    request_id: Option<String>,
}

impl ErrorBody {
    /// The body, or nothing where it is none: the status counts in any case.
    async fn read(mut response: reqwest::Response) -> Self {
        let mut text = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            text.extend_from_slice(&chunk);
            if text.len() > MOST_READ {
                return ErrorBody::default();
            }
        }
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

/// What to say of an answer without an Error body.
fn without_body(status: StatusCode) -> String {
    let advice = match status.as_u16() {
        300..=399 => {
            "it redirects, and the service never does; check the base URL, and whether it needs `https`"
        }
        502..=504 => "a proxy seems to answer in place of the service; try again later",
        200..=299 => "a success that the document does not list; a newer client may know it",
        _ => "it has no Error body; check that the base URL is that of the service",
    };
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    format!("the answer is {}{reason}: {advice}", status.as_u16())
}

/// The id of a request, from the headers of its answer.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers
        .get("x-request-id")?
        .to_str()
        .ok()
        .filter(|id| is_request_id(id))
}

/// Whether this can be written into a log as it is.
fn is_request_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        if let (Some(status), Some(code)) = (self.status(), &inner.code) {
            write!(f, "{status} {}: ", printable(code))?;
        }
        write!(f, "{}", printable(&inner.message))?;
        match &inner.request_id {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

/// Text of somebody else, which may hold what a terminal takes for a command.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        f.debug_struct("Error")
            .field("kind", &inner.kind)
            .field("status", &self.status())
            .field("code", &inner.code)
            .field("message", &inner.message)
            .field("request_id", &inner.request_id)
            .field("source", &inner.source)
            .finish()
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.inner
            .source
            .as_deref()
            .map(|source| source as &(dyn error::Error + 'static))
    }
}

/// So that one `?` serves for making a client and for using it.
impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Error::new(ErrorKind::Request, error.to_string()).caused_by(error)
    }
}
