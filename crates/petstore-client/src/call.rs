//! A call on its way: the settings it has of its own, and the request that its
//! builder made. How it is sent, and sent again, is in `retry`.

use crate::{Client, Error, RetryPolicy, retry};
use http::{HeaderName, HeaderValue};
use reqwest::{Method, Request, RequestBuilder, Response, Url};
use std::time::Duration;

/// By which the service knows that a creation is the one it has seen already
/// (draft-ietf-httpapi-idempotency-key-header).
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What generated code says of its operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// `operationId`
    pub(crate) id: &'static str,
    /// Whether it has the parameter `Idempotency-Key`.
    pub(crate) takes_idempotency_key: bool,
}

/// Settings of one call; those that are not set are those of its client.
///
/// Each request has a `with` that takes them:
///
/// ```no_run
/// use petstore_client::{CallOptions, Client, RetryPolicy};
/// use std::time::Duration;
///
/// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
/// let impatient = CallOptions::new()
///     .timeout(Duration::from_millis(500))
///     .retry(RetryPolicy::never());
/// let pets = client.list_pets().with(impatient).send().await?;
/// println!("{} pets, in half a second or not at all", pets.len());
/// # Ok(())
/// # }
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
    ///
    /// ```
    /// let as_the_client_says = petstore_client::CallOptions::new();
    /// # let _ = as_the_client_says;
    /// ```
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// How long the whole call may take, with all tries and the pauses between
    /// them.
    ///
    /// ```
    /// use petstore_client::CallOptions;
    /// use std::time::Duration;
    ///
    /// let patient = CallOptions::new().timeout(Duration::from_secs(120));
    /// # let _ = patient;
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long one try may take, from connecting to the last byte of the answer.
    ///
    /// ```
    /// use petstore_client::CallOptions;
    /// use std::time::Duration;
    ///
    /// let quick_to_try_again = CallOptions::new().try_timeout(Duration::from_secs(1));
    /// # let _ = quick_to_try_again;
    /// ```
    pub fn try_timeout(mut self, timeout: Duration) -> Self {
        self.try_timeout = Some(timeout);
        self
    }

    /// How often the call is tried, and how long it pauses.
    ///
    /// ```
    /// use petstore_client::{CallOptions, RetryPolicy};
    ///
    /// let once = CallOptions::new().retry(RetryPolicy::never());
    /// # let _ = once;
    /// ```
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }
}

/// The settings that a call has in the end.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) try_timeout: Duration,
    pub(crate) retry: RetryPolicy,
}

impl Settings {
    fn changed_by(&self, options: CallOptions) -> Self {
        Settings {
            timeout: options.timeout.unwrap_or(self.timeout),
            try_timeout: options.try_timeout.unwrap_or(self.try_timeout),
            retry: options.retry.unwrap_or_else(|| self.retry.clone()),
        }
    }
}

/// What a builder of a request holds: whom to ask, and how.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    client: &'a Client,
    options: CallOptions,
}

impl<'a> Call<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        Call {
            client,
            options: CallOptions::default(),
        }
    }

    pub(crate) fn set_options(&mut self, options: CallOptions) {
        self.options = options;
    }

    pub(crate) fn base_url(&self) -> &str {
        self.client.base_url()
    }

    pub(crate) fn request(&self, method: Method, url: String) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// The request, ready to be sent. Where the operation takes an idempotency
    /// key and none was set, it gets one, which it keeps over all tries.
    pub(crate) fn prepare(self, mut request: Request, operation: Operation) -> Prepared {
        if operation.takes_idempotency_key {
            request
                .headers_mut()
                .entry(IDEMPOTENCY_KEY)
                .or_insert_with(new_key);
        }
        Prepared {
            client: self.client.clone(),
            settings: self.client.settings().changed_by(self.options),
            request,
            operation,
        }
    }
}

fn new_key() -> HeaderValue {
    let key = uuid::Uuid::new_v4().to_string();
    HeaderValue::try_from(key).expect("a UUID is visible ASCII")
}

/// A request that is ready to be sent. It borrows nothing, so that a stream of
/// pages may go anywhere.
pub(crate) struct Prepared {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    pub(crate) request: Request,
    pub(crate) operation: Operation,
}

impl Prepared {
    /// Sends it, again where that is needed and allowed, and reads the answer.
    ///
    /// # Errors
    ///
    /// There is no answer, or it is an error.
    pub(crate) async fn send(self) -> Result<Response, Error> {
        retry::send(self).await
    }

    /// The key that makes it safe to repeat.
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
