//! The one error of the client: what happened, what the service said of it, and
//! nothing that should not stand in a log.

mod made;

use crate::{BuildError, retry::Record, types::ErrorCode};
use http::{HeaderMap, StatusCode};
use std::{error, fmt, time::Duration};

/// The longest request id that is believed to be one.
const LONGEST_ID: usize = 128;

/// What can go wrong with a call.
///
/// Decide by [`code`](Error::code), by [`status`](Error::status) where you do
/// not know the code, and by [`kind`](Error::kind) where there is no answer.
///
/// Neither `Display` nor `Debug` shows a header, the API key, or the text of an
/// answer that is not the Error body of the service.
///
/// ```no_run
/// use petstore_client::{Client, ErrorCode};
///
/// # async fn example(client: &Client) {
/// if let Err(error) = client.list_pets().send().await {
///     match error.code() {
///         Some(ErrorCode::Unauthorized) => println!("get another key"),
///         _ if error.is_retryable() => println!("try again later: {error}"),
///         _ => println!("{error}"),
///     }
/// }
/// # }
/// ```
pub struct Error {
    // Boxed, so that a `Result` stays as small as what it holds otherwise.
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    status: Option<StatusCode>,
    code: Option<ErrorCode>,
    message: String,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    record: Record,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

/// At which point a call failed.
///
/// ```
/// use petstore_client::{Client, Error, ErrorKind};
///
/// fn client(url: &str) -> Result<Client, Error> {
///     Ok(Client::builder(url).api_key("the-key").build()?)
/// }
/// let error = client("no address").expect_err("it is none");
/// assert_eq!(error.kind(), ErrorKind::Request);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request was refused before it was sent: a parameter is missing or out
    /// of its bounds. Sending it again will not help.
    Request,
    /// No connection was made; the service has seen nothing of this try.
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
    /// At which point the call failed, the last time that it was tried.
    ///
    /// ```
    /// use petstore_client::{Error, ErrorKind};
    ///
    /// fn is_the_network(error: &Error) -> bool {
    ///     matches!(error.kind(), ErrorKind::Connect | ErrorKind::Interrupted)
    /// }
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The code of the Error body (section 7 of the specification). The list is
    /// open: a code that this version does not know is
    /// [`ErrorCode::Unknown`]. `None` where no service answered, or somebody
    /// else in its place.
    ///
    /// ```
    /// use petstore_client::{Error, ErrorCode};
    ///
    /// fn is_gone(error: &Error) -> bool {
    ///     error.code() == Some(&ErrorCode::NotFound)
    /// }
    /// ```
    pub fn code(&self) -> Option<&ErrorCode> {
        self.inner.code.as_ref()
    }

    /// The HTTP status, where there was an answer: also that of a proxy.
    ///
    /// ```
    /// fn is_the_services_fault(error: &petstore_client::Error) -> bool {
    ///     error.status().is_some_and(|status| status >= 500)
    /// }
    /// ```
    pub fn status(&self) -> Option<u16> {
        self.inner.status.map(|status| status.as_u16())
    }

    /// What happened, for people: the message of the service, where it sent one.
    ///
    /// ```
    /// fn show(error: &petstore_client::Error) {
    ///     eprintln!("the pets are away: {}", error.message());
    /// }
    /// ```
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The id under which the service knows the request. Say it when you ask
    /// about an error.
    ///
    /// ```
    /// fn ask(error: &petstore_client::Error) -> String {
    ///     format!("what went wrong with {}?", error.request_id().unwrap_or("my request"))
    /// }
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        self.inner.request_id.as_deref()
    }

    /// Whether the same request may succeed if it is sent again later.
    ///
    /// The client has done so already, as often as it was allowed, where that is
    /// safe. Before you repeat a creation, look at
    /// [`was_sent`](Error::was_sent): if it was, give the new call the
    /// [`idempotency_key`](Error::idempotency_key) of this one.
    ///
    /// ```
    /// fn put_aside(error: &petstore_client::Error) -> bool {
    ///     error.is_retryable()
    /// }
    /// ```
    pub fn is_retryable(&self) -> bool {
        match self.inner.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Interrupted => true,
            ErrorKind::Request | ErrorKind::Unreadable => false,
            ErrorKind::Answer => match &self.inner.code {
                Some(
                    ErrorCode::Conflict
                    | ErrorCode::Overloaded
                    | ErrorCode::RateLimited
                    | ErrorCode::RequestTimeout
                    | ErrorCode::Unavailable,
                ) => true,
                None | Some(ErrorCode::Unknown(_)) => {
                    matches!(self.status(), Some(408 | 425 | 429 | 502..=504))
                }
                Some(_) => false,
            },
        }
    }

    /// Whether the service may have seen the request, in any of its tries. If
    /// not, nothing has happened.
    ///
    /// ```
    /// fn nothing_happened(error: &petstore_client::Error) -> bool {
    ///     !error.was_sent()
    /// }
    /// ```
    pub fn was_sent(&self) -> bool {
        let this_time = !matches!(self.inner.kind, ErrorKind::Request | ErrorKind::Connect);
        this_time || self.inner.record.sent
    }

    /// How often the request was sent again after the first time.
    ///
    /// ```
    /// fn tries(error: &petstore_client::Error) -> u32 {
    ///     error.retries() + 1
    /// }
    /// ```
    pub fn retries(&self) -> u32 {
        self.inner.record.retries
    }

    /// How long the service asked to wait before the request is sent again.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// fn wait(error: &petstore_client::Error) -> Duration {
    ///     error.retry_after().unwrap_or(Duration::from_secs(1))
    /// }
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// The `Idempotency-Key` that the request had: with it, the same request may
    /// be sent in a new call without being done twice. `None` where the
    /// operation takes none.
    ///
    /// ```no_run
    /// use petstore_client::{Client, Error, NewPet, Pet};
    ///
    /// # async fn example(client: &Client, rex: NewPet) -> Result<Pet, Error> {
    /// let error = match client.create_pet().body(rex.clone()).send().await {
    ///     Ok(added) => return Ok(added.into_inner()),
    ///     Err(error) => error,
    /// };
    /// // An hour later:
    /// match error.idempotency_key() {
    ///     Some(key) if error.is_retryable() => {
    ///         let again = client.create_pet().idempotency_key(key).body(rex);
    ///         Ok(again.send().await?.into_inner())
    ///     }
    ///     _ => Err(error),
    /// }
    /// # }
    /// ```
    pub fn idempotency_key(&self) -> Option<&str> {
        self.inner.record.idempotency_key.as_deref()
    }

    /// Whether the service says that it has not begun with the request, or has
    /// seen nothing of it: it may be repeated whatever it asks for.
    pub(crate) fn was_not_begun(&self) -> bool {
        let refused = matches!(
            self.inner.code,
            Some(
                ErrorCode::Conflict
                    | ErrorCode::Overloaded
                    | ErrorCode::RateLimited
                    | ErrorCode::RequestTimeout
            )
        );
        refused || self.inner.kind == ErrorKind::Connect || self.status() == Some(429)
    }

    /// With what became of the call that it ends.
    pub(crate) fn of_call(mut self, record: &Record) -> Self {
        self.inner.record = record.clone();
        self
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        let inner = Inner {
            kind,
            status: None,
            code: None,
            message,
            request_id: None,
            retry_after: None,
            record: Record::default(),
            source: None,
        };
        Error {
            inner: Box::new(inner),
        }
    }
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
            write!(f, "{status} {}: ", printable(code.as_str()))?;
        }
        write!(f, "{}", printable(&inner.message))?;
        if let Some(id) = &inner.request_id {
            write!(f, " (request {id})")?;
        }
        match inner.record.retries {
            0 => Ok(()),
            1 => write!(f, ", tried twice"),
            retries => write!(f, ", tried {} times", retries.saturating_add(1)),
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
            .field("retry_after", &inner.retry_after)
            .field("was_sent", &self.was_sent())
            .field("retries", &inner.record.retries)
            .field("idempotency_key", &inner.record.idempotency_key)
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
