//! The settings of one call, and the request of a call that is ready to be sent. How it is sent is in `retry`.

use crate::{Client, RetryPolicy, error::Failure, generated::Operation, retry};
use http::HeaderName;
use reqwest::{Request, Response, Url};
use std::time::Duration;

/// The header that lets the service recognise a repeated creation (draft-ietf-httpapi-idempotency-key-header).
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Settings of one call; those that are not set are those of its client. The method `with` of a request takes them.
///
/// ```
/// use openapi_dropshot_client::{CallOptions, RetryPolicy};
/// use std::time::Duration;
///
/// let impatient = CallOptions::new()
///     .timeout(Duration::from_secs(1))
///     .try_timeout(Duration::from_millis(500))
///     .retry(RetryPolicy::never());
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "settings do nothing before a call is given them"]
pub struct CallOptions {
    timeout: Option<Duration>,
    try_timeout: Option<Duration>,
    retry: Option<RetryPolicy>,
}

impl CallOptions {
    /// Settings that change nothing.
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// The time limit of the whole call, with all tries and the pauses between them.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The time limit of one try, from connecting to the last byte of the response.
    pub fn try_timeout(mut self, timeout: Duration) -> Self {
        self.try_timeout = Some(timeout);
        self
    }

    /// How often the call is tried, and how long it pauses between two tries.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }
}

/// The settings of a client, or of a call after its options were applied.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) try_timeout: Duration,
    pub(crate) retry: RetryPolicy,
}

impl Settings {
    pub(crate) fn changed_by(&self, options: CallOptions) -> Self {
        Settings {
            timeout: options.timeout.unwrap_or(self.timeout),
            try_timeout: options.try_timeout.unwrap_or(self.try_timeout),
            retry: options.retry.unwrap_or_else(|| self.retry.clone()),
        }
    }
}

/// A request that is ready to be sent. It borrows nothing, so that a stream of pages can be moved anywhere.
pub(crate) struct Prepared {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    pub(crate) request: Request,
    pub(crate) operation: &'static Operation,
}

impl Prepared {
    /// Sends the request, again if that is needed and allowed.
    ///
    /// # Errors
    ///
    /// There is no response, or it is none of the successes that the document lists.
    pub(crate) async fn send(self) -> Result<Response, Failure> {
        let operation = self.operation;
        let response = retry::send(self).await?;
        let status = response.status();
        if operation.success.is_empty() || operation.success.contains(&status.as_u16()) {
            Ok(response)
        } else {
            Err(Failure::from_response(response).await)
        }
    }

    /// The key that makes the request safe to repeat.
    pub(crate) fn idempotency_key(&self) -> Option<&str> {
        self.request.headers().get(IDEMPOTENCY_KEY)?.to_str().ok()
    }

    /// The same request to another address.
    pub(crate) fn at(&self, url: Url) -> Self {
        let mut request = Request::new(self.request.method().clone(), url);
        request.headers_mut().clone_from(self.request.headers());
        Prepared {
            client: self.client.clone(),
            settings: self.settings.clone(),
            request,
            operation: self.operation,
        }
    }
}
