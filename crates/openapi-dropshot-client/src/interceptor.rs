//! Hooks of the application around each call and each of its tries.

use crate::{
    BoxError, Error, credentials, error::Failure, failed_load::FailedLoad, operation::Operation,
    record::fingerprint, service::Service, transport::Received,
};
use futures_util::future::BoxFuture;
use http::{Extensions, HeaderMap, StatusCode};
use reqwest::{Method, Request, Url};
use std::{fmt, sync::Arc, time::Duration};

/// Hooks around each try of a call, for example to add headers, to sign requests, or to collect data.
///
/// [`ClientBuilder::interceptor`](crate::ClientBuilder::interceptor) adds an interceptor to all calls of a client, and
/// [`CallOptions::interceptor`](crate::CallOptions::interceptor) to a single call. Interceptors of the client are called first, in
/// the order in which they were added; `after_try` is called in the reverse order.
///
/// Hooks should be quick, because the call waits for them. For work that has to wait, use
/// [`before_try_async`](Interceptor::before_try_async), [`Credentials`](crate::Credentials) or a
/// [transport](crate::ClientBuilder::transport).
///
/// The hooks of a call share a context: [`TryRequest::context`] stores a value by its type, and later hooks and tries of the call
/// can read it. [`CallOptions::context`](crate::CallOptions::context) sets the first values of a call.
///
/// A closure is an interceptor that has only `before_try`:
///
/// ```
/// # use openapi_dropshot_client::{Client, TryRequest};
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
/// # use openapi_dropshot_client::{Interceptor, TryOutcome};
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
    /// Called before each try, with the request that will be sent. Each try starts with the headers of the call, without the
    /// headers that a hook added to an earlier try.
    ///
    /// # Errors
    ///
    /// Return an error to end the call; nothing more is then sent.
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        let _ = request;
        Ok(())
    }

    /// Called before each try, after [`before_try`](Interceptor::before_try), for work that has to wait, for example to get a
    /// signature from another service or to write a file. Its time counts towards the time limit of the call. Return `None` if
    /// there is nothing to wait for.
    ///
    /// ```
    /// use std::pin::Pin;
    /// # use openapi_dropshot_client::{BoxError, Interceptor, TryRequest};
    ///
    /// # async fn signature(body: &[u8]) -> Result<u64, BoxError> { Ok(body.len() as u64) }
    /// struct Signed;
    ///
    /// impl Interceptor for Signed {
    ///     fn before_try_async<'a>(
    ///         &'a self,
    ///         request: &'a mut TryRequest<'_>,
    ///     ) -> Option<Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>> {
    ///         Some(Box::pin(async move {
    ///             let signature = signature(request.body().unwrap_or_default()).await?;
    ///             request.headers_mut().insert("signature", signature.into());
    ///             Ok(())
    ///         }))
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Return an error to end the call; nothing more is then sent.
    fn before_try_async<'a>(
        &'a self,
        request: &'a mut TryRequest<'_>,
    ) -> Option<BoxFuture<'a, Result<(), BoxError>>> {
        let _ = request;
        None
    }

    /// Called after each try, with its response or its error. It is not called if the call is dropped.
    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let _ = outcome;
    }

    /// Called at the end of a call, after all its tries, with the response or the error of the call. [`number`](TryOutcome::number)
    /// is the number of tries, [`elapsed`](TryOutcome::elapsed) the time of the whole call including pauses, and
    /// [`retry_stop`](Error::retry_stop) of the error says why there was no further try. In a stream of pages, each page is a call.
    /// It is not called if the call is dropped.
    fn after_call(&self, outcome: &TryOutcome<'_>) {
        let _ = outcome;
    }

    /// Called after the provider of API keys has failed or took too long; see [`Credentials`](crate::Credentials). Only
    /// interceptors of the client are called, because a load serves several calls.
    fn after_failed_load(&self, failure: &FailedLoad<'_>) {
        let _ = failure;
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
    pub(crate) service: &'static Service,
    pub(crate) context: &'a mut Extensions,
    pub(crate) number: u32,
}

/// Implements the methods that requests and outcomes have in common.
macro_rules! about_a_try {
    ($($name:ident),+) => {$(
        impl $name<'_> {
            /// The `operationId`.
            pub fn operation(&self) -> &'static str {
                self.operation.id
            }

            /// Returns the path of the operation in the document, such as `/books/{bookId}`.
            pub fn path_template(&self) -> &'static str {
                self.operation.path
            }

            /// The number of this try; the first one is 1.
            pub fn number(&self) -> u32 {
                self.number
            }
        }
    )+};
}

about_a_try!(TryRequest, TryOutcome);

impl TryRequest<'_> {
    /// The method.
    pub fn method(&self) -> &Method {
        self.request.method()
    }

    /// Returns the URL.
    pub fn url(&self) -> &Url {
        self.request.url()
    }

    /// Returns the headers, including the API key.
    pub fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// Returns the headers, so that you can change them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.request.headers_mut()
    }

    /// Returns the values that the hooks of this call share. Each value is stored by its type.
    ///
    /// ```
    /// # use openapi_dropshot_client::TryRequest;
    /// #[derive(Clone, Default)]
    /// struct Hosts(Vec<String>);
    ///
    /// fn before_try(request: &mut TryRequest<'_>) {
    ///     let host = request.url().host_str().unwrap_or_default().to_owned();
    ///     request.context().get_or_insert_default::<Hosts>().0.push(host);
    /// }
    /// ```
    pub fn context(&mut self) -> &mut Extensions {
        self.context
    }

    /// Returns the fingerprint of the credential of the request; see
    /// [`Error::credential_fingerprint`](Error::credential_fingerprint).
    pub fn credential_fingerprint(&self) -> Option<String> {
        let credential = credentials::of_request(self.service, self.operation, self.request);
        credential.as_ref().map(fingerprint)
    }

    /// Returns the body, for example to sign it; `None` if the body is a stream. A request without a body has an empty one.
    pub fn body(&self) -> Option<&[u8]> {
        let body = self.request.body();
        body.map_or(Some(&[]), |body| body.as_bytes())
    }
}

debug_fields!(TryRequest<'_>, operation(operation.id), number(number));

/// The response or the error of a try, for [`Interceptor::after_try`] and for [`RetryPolicy::classify`]; or of a whole call, for
/// [`Interceptor::after_call`].
///
/// [`RetryPolicy::classify`]: crate::RetryPolicy::classify
pub struct TryOutcome<'a> {
    pub(crate) operation: &'static Operation,
    pub(crate) number: u32,
    pub(crate) method: &'a Method,
    pub(crate) url: &'a Url,
    pub(crate) elapsed: Duration,
    pub(crate) repeatable: bool,
    pub(crate) context: &'a Extensions,
    pub(crate) result: Result<&'a Received, &'a Failure>,
}

impl TryOutcome<'_> {
    /// The method.
    pub fn method(&self) -> &Method {
        self.method
    }

    /// Returns the URL.
    pub fn url(&self) -> &Url {
        self.url
    }

    /// Returns the time from the first byte of the request to the end of the response. If the response is read as it arrives, the
    /// time ends with its headers.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The HTTP status, if there was a response.
    pub fn status_code(&self) -> Option<StatusCode> {
        match self.result {
            Ok(received) => Some(received.head.status),
            Err(error) => error.status_code(),
        }
    }

    /// The headers of the response, if there was one.
    pub fn headers(&self) -> Option<&HeaderMap> {
        match self.result {
            Ok(received) => Some(&received.head.headers),
            Err(error) => error.headers(),
        }
    }

    /// Returns the body of the response as it was received, if it was read. The bodies of errors and of successes with JSON are
    /// read.
    pub fn body(&self) -> Option<&[u8]> {
        match self.result {
            Ok(received) => received.read_bytes().map(AsRef::as_ref),
            Err(error) => error.raw_body(),
        }
    }

    /// The values that the hooks of this call share; see [`TryRequest::context`].
    pub fn context(&self) -> &Extensions {
        self.context
    }

    /// Returns why the try failed; `None` if it succeeded. The error code is a text here, because an interceptor can be used with
    /// the clients of several documents.
    pub fn error(&self) -> Option<&Error> {
        self.result.err()
    }

    /// Whether it is safe to send the request again, because its method is idempotent or because it has an `Idempotency-Key`.
    pub fn is_repeatable(&self) -> bool {
        self.repeatable
    }
}

debug_fields!(
    TryOutcome<'_>,
    operation(operation.id),
    number(number),
    elapsed(elapsed),
    status(status_code()),
    error(error())
);

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

    /// Returns these interceptors, followed by the others.
    pub(crate) fn followed_by(&self, others: Interceptors) -> Self {
        let mut all = self.clone();
        all.0.extend(others.0);
        all
    }

    /// # Errors
    ///
    /// Returns the first error of a hook.
    pub(crate) async fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        for hook in &self.0 {
            hook.before_try(request)?;
            if let Some(waiting) = hook.before_try_async(request) {
                waiting.await?;
            }
        }
        Ok(())
    }

    pub(crate) fn after_try(&self, outcome: &TryOutcome<'_>) {
        self.0.iter().rev().for_each(|hook| hook.after_try(outcome));
    }

    pub(crate) fn after_call(&self, outcome: &TryOutcome<'_>) {
        (self.0.iter().rev()).for_each(|hook| hook.after_call(outcome));
    }

    pub(crate) fn after_failed_load(&self, failure: &FailedLoad<'_>) {
        (self.0.iter()).for_each(|hook| hook.after_failed_load(failure));
    }
}

impl fmt::Debug for Interceptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} interceptors", self.0.len())
    }
}
