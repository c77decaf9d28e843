//! Hooks of the application around each try of a call.

use crate::{BoxError, Error, error::Failure, operation::Operation};
use http::{HeaderMap, StatusCode};
use reqwest::{Method, Request, Url};
use std::{fmt, sync::Arc, time::Duration};

/// Hooks around each try of a call: to add headers, to sign requests, to observe.
///
/// [`ClientBuilder::interceptor`](crate::ClientBuilder::interceptor) adds one to all calls of a client, and
/// [`CallOptions::interceptor`](crate::CallOptions::interceptor) to one call. Those of the client are called first, in the
/// order in which they were added; `after_try` is called in the reverse order.
///
/// Hooks should be quick: the call waits for them. What has to wait itself belongs into
/// [`Credentials`](crate::Credentials) or into a [transport](crate::ClientBuilder::transport).
///
/// A closure is an interceptor with `before_try` alone:
///
/// ```
/// use openapi_dropshot_client::{Client, TryRequest};
///
/// let client = Client::builder("https://books.example/v1")
///     .interceptor(|request: &mut TryRequest<'_>| {
///         let number = request.number().into();
///         request.headers_mut().insert("x-try", number);
///         Ok(())
///     })
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
///
/// ```
/// use openapi_dropshot_client::{Interceptor, TryOutcome};
///
/// struct Slow;
///
/// impl Interceptor for Slow {
///     fn after_try(&self, outcome: &TryOutcome<'_>) {
///         if outcome.elapsed().as_secs() > 1 {
///             eprintln!("{} took {:?}: {:?}", outcome.operation(), outcome.elapsed(), outcome.status_code());
///         }
///     }
/// }
/// ```
pub trait Interceptor: Send + Sync + 'static {
    /// Is called before each try, with the request that will be sent. A try begins with the headers of the call, without
    /// those that a hook added to an earlier try.
    ///
    /// # Errors
    ///
    /// An error ends the call, and nothing more is sent.
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        let _ = request;
        Ok(())
    }

    /// Is called after each try, with its response or its error. It is not called if the call is dropped.
    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let _ = outcome;
    }
}

impl<F> Interceptor for F
where
    F: Fn(&mut TryRequest<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
{
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        self(request)
    }
}

/// A request before it is sent; see [`Interceptor`] for an example.
///
/// `Debug` shows no header and no body.
pub struct TryRequest<'a> {
    pub(crate) request: &'a mut Request,
    pub(crate) operation: &'static Operation,
    pub(crate) number: u32,
}

impl TryRequest<'_> {
    /// The `operationId`.
    pub fn operation(&self) -> &'static str {
        self.operation.id
    }

    /// The path of the operation in the document, such as `/books/{bookId}`.
    pub fn path_template(&self) -> &'static str {
        self.operation.path
    }

    /// The number of this try; the first one is 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The method.
    pub fn method(&self) -> &Method {
        self.request.method()
    }

    /// The address.
    pub fn url(&self) -> &Url {
        self.request.url()
    }

    /// The headers, with the API key.
    pub fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// The headers, to change them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.request.headers_mut()
    }

    /// The body, to sign it; `None` if it is a stream. A request without a body has an empty one.
    pub fn body(&self) -> Option<&[u8]> {
        self.request
            .body()
            .map_or(Some(&[]), |body| body.as_bytes())
    }
}

impl fmt::Debug for TryRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryRequest")
            .field("operation", &self.operation.id)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// The response or the error of a try, for [`Interceptor::after_try`] and for [`RetryPolicy::classify`].
///
/// [`RetryPolicy::classify`]: crate::RetryPolicy::classify
pub struct TryOutcome<'a> {
    pub(crate) operation: &'static Operation,
    pub(crate) number: u32,
    pub(crate) method: &'a Method,
    pub(crate) url: &'a Url,
    pub(crate) elapsed: Duration,
    pub(crate) repeatable: bool,
    pub(crate) result: Result<(StatusCode, &'a HeaderMap), &'a Failure>,
}

impl TryOutcome<'_> {
    /// The `operationId`.
    pub fn operation(&self) -> &'static str {
        self.operation.id
    }

    /// The path of the operation in the document, such as `/books/{bookId}`.
    pub fn path_template(&self) -> &'static str {
        self.operation.path
    }

    /// The number of this try; the first one is 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The method.
    pub fn method(&self) -> &Method {
        self.method
    }

    /// The address.
    pub fn url(&self) -> &Url {
        self.url
    }

    /// The time from the first byte of the request to the end of the response, or to the headers of a response that is read
    /// as it arrives.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The HTTP status, if there was a response.
    pub fn status_code(&self) -> Option<StatusCode> {
        match self.result {
            Ok((status, _)) => Some(status),
            Err(error) => error.status_code(),
        }
    }

    /// The headers of the response, if there was one.
    pub fn headers(&self) -> Option<&HeaderMap> {
        match self.result {
            Ok((_, headers)) => Some(headers),
            Err(error) => error.headers(),
        }
    }

    /// Why the try failed; `None` if it succeeded. The error code is a text here, because an interceptor can serve the
    /// clients of several documents.
    pub fn error(&self) -> Option<&Error> {
        self.result.err()
    }

    /// Whether nothing is done twice if the request is sent again: its method is idempotent, or it has an
    /// `Idempotency-Key`.
    pub fn is_repeatable(&self) -> bool {
        self.repeatable
    }
}

impl fmt::Debug for TryOutcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryOutcome")
            .field("operation", &self.operation.id)
            .field("number", &self.number)
            .field("elapsed", &self.elapsed)
            .field("status", &self.status_code())
            .field("error", &self.error())
            .finish_non_exhaustive()
    }
}

/// The interceptors of a client or of a call, in their order.
#[derive(Clone, Default)]
pub(crate) struct Interceptors(Vec<Arc<dyn Interceptor>>);

impl Interceptors {
    pub(crate) fn push(&mut self, interceptor: impl Interceptor) {
        self.0.push(Arc::new(interceptor));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These, and then the others.
    pub(crate) fn followed_by(&self, others: Interceptors) -> Self {
        let mut all = self.clone();
        all.0.extend(others.0);
        all
    }

    /// # Errors
    ///
    /// The first error of a hook.
    pub(crate) fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        self.0.iter().try_for_each(|hook| hook.before_try(request))
    }

    pub(crate) fn after_try(&self, outcome: &TryOutcome<'_>) {
        self.0.iter().rev().for_each(|hook| hook.after_try(outcome));
    }
}

impl fmt::Debug for Interceptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} interceptors", self.0.len())
    }
}
