//! The error type of all calls: in which step a call failed, and what the service reported. It contains nothing that must not be logged.

mod new;
mod typed;

pub use typed::TypedError;

use crate::{BuildError, RetryStop, generated::listed_code::ListedCode, record::Record};
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use std::{
    error,
    fmt::{self, Debug, Display},
    time::Duration,
};

/// The longest text that is accepted as a request id.
const LONGEST_ID: usize = 128;

/// A type of error codes. It is implemented for every type that can be read from JSON and displayed as text: a generated enumeration, or
/// `String` if the document lists no codes.
pub trait ErrorCode: DeserializeOwned + Display + Debug + Send + Sync + 'static {}

impl<T: DeserializeOwned + Display + Debug + Send + Sync + 'static> ErrorCode for T {}

/// The error of a call.
///
/// Handle an error by its [`code`](Error::code). If you do not know the code, use [`status`](Error::status). If there is no response, use
/// [`kind`](Error::kind).
///
/// `C` is the type of the error codes. A generated client has an alias `Error` that sets it, so applications do not need to name it.
///
/// Neither `Display` nor `Debug` shows a header, the API key, or the text of a response that is not an error body of the service.
///
/// ```
/// use openapi_dropshot_client::Error;
///
/// fn report(error: &Error) {
///     match error.code().map(String::as_str) {
///         Some("unauthorized") => println!("get another key"),
///         _ if error.is_retryable() => println!("try again in {:?}: {error}", error.retry_after()),
///         _ => println!("status {:?} after {} retries: {}", error.status(), error.retries(), error.message()),
///     }
///     if error.was_sent() {
///         println!("give a new call the key {:?}, so that nothing is done twice", error.idempotency_key());
///     }
/// }
/// ```
pub struct Error<C = String> {
    code: Option<C>,
    // Boxed to keep `Result` small.
    inner: Box<Inner>,
}

/// The error before its code was converted to the type of the client.
pub(crate) type Failure = Error<String>;

struct Inner {
    kind: ErrorKind,
    status: Option<StatusCode>,
    message: String,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    headers: Option<HeaderMap>,
    record: Record,
    excerpt: Option<String>,
    body: Option<serde_json::Value>,
    /// The body as it was received, if it is not too large.
    raw: Option<Vec<u8>>,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

/// The step in which a call failed.
///
/// ```
/// use openapi_dropshot_client::{Client, Error, ErrorKind};
///
/// fn client(url: &str) -> Result<Client, Error> {
///     Ok(Client::builder(url).build()?)
/// }
/// let error = client("no address").expect_err("it is not a URL");
/// assert_eq!(error.kind(), ErrorKind::Request);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request was rejected before it was sent: a parameter is missing or out of its bounds, or an interceptor or a transport of the
    /// application rejected it ([`Error::cause`] is its error). Sending the request again will not help.
    Request,
    /// No connection could be established; the service has not received this try.
    Connect,
    /// No API key could be loaded; nothing was sent. See [`Credentials`](crate::Credentials).
    Credentials,
    /// No secure connection could be established: the certificate is not trusted, has expired or is for another host name, or the server
    /// does not use TLS. Nothing was sent, and sending the request again will not help.
    Tls,
    /// The time limit was reached. It is unknown whether the service carried out the request.
    Timeout,
    /// The connection broke, or a stream was interrupted. It is unknown whether the service carried out the request.
    Interrupted,
    /// The service, or a proxy in front of it, responded with an error.
    Answer,
    /// The service responded with success, but this client cannot read the response or an item of its [stream](crate::stream).
    Unreadable,
    /// The service responded with success, but the response or an item of its [stream](crate::stream) is larger than this client
    /// may read. Sending the request again will not help; see
    /// [`ClientBuilder::max_response_bytes`](crate::ClientBuilder::max_response_bytes).
    TooLarge,
}

impl<C> Error<C> {
    /// Returns the step in which the last try of the call failed.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns the code of the error body: its property `code` or `error_code`. Later versions of the service may send more codes: an
    /// enumeration keeps an unknown code in its variant `Unknown`. `None` if there was no response, if something other than the service
    /// responded, or if the error body has no code.
    pub fn code(&self) -> Option<&C> {
        self.code.as_ref()
    }

    /// Returns the HTTP status, if there was a response; it may come from a proxy.
    pub fn status(&self) -> Option<u16> {
        self.inner.status.map(|status| status.as_u16())
    }

    /// Returns the HTTP status, if there was a response, in the type of [`Response::status`](crate::Response::status).
    pub fn status_code(&self) -> Option<StatusCode> {
        self.inner.status
    }

    /// Returns the headers of the response, if there was one. Neither `Display` nor `Debug` shows them.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.inner.headers.as_ref()
    }

    /// Describes what happened. If the service sent a message, this is the message of the service.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Returns the id that the service gave to the request. Include it when you report an error.
    pub fn request_id(&self) -> Option<&str> {
        self.inner.request_id.as_deref()
    }

    /// Returns the error body as it was sent, if it is a JSON object. It may have properties for which this type has no method. Neither
    /// `Display` nor `Debug` shows it.
    pub fn body(&self) -> Option<&serde_json::Value> {
        self.inner.body.as_ref()
    }

    /// Returns the beginning of a body that is not an error body of the service, such as the HTML page of a proxy: at most 200
    /// characters, without tags and control characters. The text comes from an unknown sender, so neither `Display` nor `Debug` shows it.
    pub fn excerpt(&self) -> Option<&str> {
        self.inner.excerpt.as_deref()
    }

    /// Returns the cause of this error: an error of reqwest, or of the application's key provider, interceptor or transport. If the
    /// message contains its text, `source` does not return it, so that a report of all sources contains each reason only once.
    pub fn cause(&self) -> Option<&(dyn error::Error + 'static)> {
        let cause = self.inner.source.as_deref();
        cause.map(|cause| cause as &(dyn error::Error + 'static))
    }

    /// Returns the fingerprint of the credential of the last try: a text that is the same for the same credential, in every process.
    /// `None` if no try had a credential. The fingerprint does not contain the credential, but somebody who guesses a key can compare the
    /// key with it; see [`recovery`](crate::recovery).
    pub fn credential_fingerprint(&self) -> Option<String> {
        self.inner.record.credential_fingerprint()
    }

    /// Returns why the request was not sent again, if the error may be temporary, if the classifier of the retry policy stopped the call,
    /// or if the service rejected the API key of a request that it may have carried out. The text of the error contains it.
    ///
    /// ```
    /// use openapi_dropshot_client::{Error, RetryStop};
    ///
    /// fn report(error: &Error) {
    ///     if error.retry_stop() == Some(RetryStop::Budget) {
    ///         println!("the service fails too often; calls are not repeated for now");
    ///     }
    /// }
    /// ```
    pub fn retry_stop(&self) -> Option<RetryStop> {
        self.inner.record.stop
    }

    /// Whether the service may have received the request in any of its tries. If not, nothing has happened.
    pub fn was_sent(&self) -> bool {
        self.was_sent_now() || self.inner.record.sent
    }

    pub(crate) fn record(&self) -> &Record {
        &self.inner.record
    }

    /// Returns the body as it was received, if it is not too large.
    pub(crate) fn raw_body(&self) -> Option<&[u8]> {
        self.inner.raw.as_deref()
    }

    /// Whether the service may have received the request in the last try.
    fn was_sent_now(&self) -> bool {
        !matches!(
            self.inner.kind,
            ErrorKind::Request | ErrorKind::Connect | ErrorKind::Credentials | ErrorKind::Tls
        )
    }

    /// Returns how often the request was sent again after the first try.
    pub fn retries(&self) -> u32 {
        self.inner.record.retries
    }

    /// Returns how long the service asks to wait before the request is sent again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// Returns the `Idempotency-Key` of the request. With this key and the same API key, a new call can send the same request, which is
    /// still carried out only once. `None` if the operation does not accept such a key.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.inner.record.idempotency_key.as_deref()
    }

    /// Returns the `error.type` of OpenTelemetry's semantic conventions: the status, or the step in which the try failed.
    pub(crate) fn error_type(&self) -> String {
        match (self.inner.kind, self.inner.status) {
            (ErrorKind::Answer, Some(status)) => status.as_u16().to_string(),
            (ErrorKind::TooLarge, _) => "too_large".to_owned(),
            (kind, _) => format!("{kind:?}").to_ascii_lowercase(),
        }
    }

    /// Adds data about the call that ended with this error.
    pub(crate) fn of_call(mut self, record: &Record) -> Self {
        self.inner.record = record.clone();
        self
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        let inner = Inner {
            kind,
            status: None,
            message,
            request_id: None,
            retry_after: None,
            headers: None,
            record: Record::default(),
            excerpt: None,
            body: None,
            raw: None,
            source: None,
        };
        Error {
            code: None,
            inner: Box::new(inner),
        }
    }
}

impl<C: Display> Error<C> {
    /// Returns the code as a value of the enum of an operation, which has the codes that the document lists for this operation. A
    /// generated client has these enums in its module `errors`. `None` if there is no code, or if the document does not list the code for
    /// the operation.
    pub fn code_of<E: ListedCode>(&self) -> Option<E> {
        let code = self.code.as_ref()?.to_string();
        let mut listed = E::LISTED.iter();
        listed.find_map(|(name, value)| (*name == code).then_some(*value))
    }

    /// Whether the same request may succeed if it is sent again later. This is the case if
    ///
    /// - the kind is [`Connect`](ErrorKind::Connect), [`Timeout`](ErrorKind::Timeout) or [`Interrupted`](ErrorKind::Interrupted), or
    /// - the kind is [`Answer`](ErrorKind::Answer), with the code `conflict`, `overloaded`, `rate_limited`, `request_timeout` or
    ///   `unavailable`, or with the status 408, 425, 429 or 502 to 504.
    ///
    /// Errors of the other kinds are not retryable: [`Request`](ErrorKind::Request), [`Credentials`](ErrorKind::Credentials),
    /// [`Tls`](ErrorKind::Tls), [`Unreadable`](ErrorKind::Unreadable) and [`TooLarge`](ErrorKind::TooLarge).
    ///
    /// If it is safe, the client has already sent the request again, as often as allowed. Before you repeat a creation, check
    /// [`was_sent`](Error::was_sent): if it is true, pass the [`idempotency_key`](Error::idempotency_key) of this call to the new call,
    /// and use the same API key.
    pub fn is_retryable(&self) -> bool {
        match self.inner.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Interrupted => true,
            ErrorKind::Request
            | ErrorKind::Credentials
            | ErrorKind::Tls
            | ErrorKind::Unreadable
            | ErrorKind::TooLarge => false,
            ErrorKind::Answer => {
                self.code_says_not_begun()
                    || self.has_code(&["unavailable"])
                    || matches!(self.status(), Some(408 | 425 | 429 | 502..=504))
            }
        }
    }

    /// Whether the service reports that it has not received the request or has not started it; any request may then be repeated.
    pub(crate) fn was_not_begun(&self) -> bool {
        self.code_says_not_begun()
            || self.inner.kind == ErrorKind::Connect
            || self.status() == Some(429)
    }

    /// Whether the service may have carried out the request in this try in spite of the error, or is still carrying out another request
    /// with the same `Idempotency-Key` (`conflict`).
    pub(crate) fn may_have_been_carried_out(&self) -> bool {
        let is_rejection =
            matches!(self.status(), Some(400..=499)) && !matches!(self.status(), Some(408 | 425));
        let is_in_doubt = self.was_sent_now() && !is_rejection && !self.was_not_begun();
        is_in_doubt || self.has_code(&["conflict"])
    }

    fn code_says_not_begun(&self) -> bool {
        self.has_code(&["conflict", "overloaded", "rate_limited", "request_timeout"])
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        let code = self.code.as_ref().map(C::to_string);
        code.is_some_and(|code| codes.contains(&code.as_str()))
    }
}

impl Failure {
    /// Returns the same error with the code as a value of the client's own type.
    pub(crate) fn typed<C: ErrorCode>(self) -> Error<C> {
        let code = self.code.map(serde_json::Value::String);
        Error {
            code: code.and_then(|code| serde_json::from_value(code).ok()),
            inner: self.inner,
        }
    }
}

/// Returns the id of a request from the headers of its response.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get("x-request-id")?.to_str().ok()?;
    is_request_id(id).then_some(id)
}

/// Whether this text can be written to a log unchanged.
fn is_request_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

impl<C: Display> Display for Error<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        if let (Some(status), Some(code)) = (self.status(), &self.code) {
            write!(f, "{status} {}: ", printable(&code.to_string()))?;
        }
        write!(f, "{}", printable(&inner.message))?;
        if let Some(id) = &inner.request_id {
            write!(f, " (request {id})")?;
        }
        match inner.record.retries {
            0 => {}
            1 => write!(f, ", tried twice")?,
            retries => write!(f, ", tried {} times", retries.saturating_add(1))?,
        }
        match inner.record.stop {
            Some(stop) => write!(f, ", {stop}"),
            None => Ok(()),
        }
    }
}

/// Replaces control characters, which a terminal would interpret, in a text from outside.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

impl<C: Debug> Debug for Error<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        f.debug_struct("Error")
            .field("kind", &inner.kind)
            .field("status", &self.status())
            .field("code", &self.code)
            .field("message", &inner.message)
            .field("request_id", &inner.request_id)
            .field("retry_after", &inner.retry_after)
            .field("was_sent", &self.was_sent())
            .field("retries", &inner.record.retries)
            .field("retry_stop", &inner.record.stop)
            .field("idempotency_key", &inner.record.idempotency_key)
            .field("source", &inner.source)
            .finish()
    }
}

impl<C: Debug + Display> error::Error for Error<C> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        let mut causes = self.cause().map(new::sources).into_iter().flatten();
        causes.find(|cause| !self.inner.message.contains(&cause.to_string()))
    }
}

/// Allows `?` for building a client as well as for using it.
impl<C> From<BuildError> for Error<C> {
    fn from(error: BuildError) -> Self {
        Error::new(ErrorKind::Request, error.to_string()).caused_by(error)
    }
}
