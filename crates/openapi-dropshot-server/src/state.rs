//! The trait by which this crate reaches what a service keeps: its keys, the usage counters and
//! the idempotency keys.

use crate::metrics::Metrics;
use chrono::{DateTime, Utc};
use openapi_dropshot_types::{Condition, Operation, StateFailure};
use std::{borrow::Cow, error::Error, fmt, future::Future, hash::Hash};

/// What a service keeps, implemented over its store.
///
/// Handlers reach the value by [`Context::state`](crate::Context::state). A service that has no
/// deprecated operation and no idempotency key implements the first three items only.
pub trait State: Send + Sync + 'static {
    /// Whose request it is: the id of an API key, of a user, of a tenant. Requests are limited,
    /// counted and logged by it.
    type Principal: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// The id of a principal for the log and the metrics (`key_id`). It must be no secret.
    fn principal_id(principal: &Self::Principal) -> &str;

    /// Finds out whose credential it is. The text is what follows `Bearer` in `Authorization`
    /// (RFC 6750).
    ///
    /// # Errors
    ///
    /// [`AuthenticationError`]: the credential is not valid, or cannot be looked up. A text that
    /// cannot be a credential should be rejected without asking a store.
    fn authenticate(
        &self,
        credential: &str,
    ) -> impl Future<Output = Result<Self::Principal, AuthenticationError>> + Send;

    /// Runs a handler on behalf of a principal; `None` where the operation requires no
    /// credential. A service whose handlers ask for the principal keeps it in a
    /// `tokio::task_local!` here.
    fn run_as<W>(
        principal: Option<Self::Principal>,
        handler: W,
    ) -> impl Future<Output = W::Output> + Send
    where
        W: Future + Send,
        W::Output: Send,
    {
        let _ = principal;
        handler
    }

    /// Whether requests can be served, for `/readyz`.
    ///
    /// # Errors
    ///
    /// They cannot; the reason goes to the log.
    fn check(&self) -> impl Future<Output = Result<(), StateError>> + Send {
        async { Ok(()) }
    }

    /// Adds to what is known of the usage of principals and of deprecated operations, all of it
    /// or nothing. Called about once a second while there is something to add.
    ///
    /// # Errors
    ///
    /// Nothing was added, or it is unknown; the same usage is passed again, with what came
    /// meanwhile.
    fn record_usage(
        &self,
        usage: Usage<Self::Principal>,
    ) -> impl Future<Output = Result<(), StateError>> + Send {
        drop(usage);
        async { Ok(()) }
    }

    /// Deletes at most `limit` idempotency keys that have expired at `now`, and returns how many
    /// it deleted. Called once a minute, and again at once after a full batch.
    ///
    /// # Errors
    ///
    /// They were not deleted, and are tried again a minute later.
    fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<usize, StateError>> + Send {
        let _ = (now, limit);
        async { Ok(0) }
    }

    /// Adds the metrics of the service's own to those of the server.
    fn register_metrics(&self, metrics: &Metrics) {
        let _ = metrics;
    }
}

/// Usage since the last time, to be added to the usage in the store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Usage<P> {
    /// Calls of deprecated operations.
    pub calls: Vec<DeprecatedCalls<P>>,
    /// Principals that made requests, of whatever operation.
    pub seen: Vec<Seen<P>>,
}

/// Calls of one deprecated operation by one principal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DeprecatedCalls<P> {
    /// Whose calls.
    pub principal: P,
    /// The operation that was called.
    pub operation: &'static Operation,
    /// How many calls.
    pub calls: u64,
    /// When the first of them came.
    pub first_seen: DateTime<Utc>,
    /// When the last of them came.
    pub last_seen: DateTime<Utc>,
}

/// When a principal was seen last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seen<P> {
    /// The principal.
    pub principal: P,
    /// The time of its latest request.
    pub at: DateTime<Utc>,
}

impl<P> Usage<P> {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.seen.is_empty()
    }
}

/// Why a credential was not accepted.
#[derive(Clone, Debug)]
pub enum AuthenticationError {
    /// The text cannot be a credential of this service: it is mistyped or cut short.
    Malformed,
    /// No such credential is valid.
    Unknown,
    /// The credential could not be looked up.
    Failed(StateError),
}

impl From<StateError> for AuthenticationError {
    fn from(error: StateError) -> Self {
        AuthenticationError::Failed(error)
    }
}

/// Why the state of a service did not do what it was asked for. `Display` shows the message.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct StateError {
    kind: Kind,
    message: Cow<'static, str>,
    cause: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Overloaded,
    Unavailable,
    Internal,
}

impl StateError {
    /// Nothing was started because there is too much to do; the client gets the message and
    /// may repeat the request (503 `overloaded`).
    pub fn overloaded(message: impl Into<Cow<'static, str>>) -> Self {
        StateError::new(Kind::Overloaded, message, String::new())
    }

    /// The store does not respond; the client gets the message, which says whether the request
    /// may have taken effect (503 `unavailable`). The cause is for the log.
    pub fn unavailable(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        StateError::new(Kind::Unavailable, message, cause)
    }

    /// The service has a fault (500 `internal_error`). Message and cause are for the log.
    pub fn internal(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        StateError::new(Kind::Internal, message, cause)
    }

    fn new(kind: Kind, message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        let (message, cause) = (message.into(), cause.into());
        StateError {
            kind,
            message,
            cause,
        }
    }

    /// The cause, for the log.
    #[must_use]
    pub fn cause(&self) -> &str {
        &self.cause
    }

    /// Logs the failure, and returns the error of the response and its message for the client.
    #[must_use]
    pub fn report(self, request_id: &str) -> (Condition, Cow<'static, str>) {
        let StateError {
            kind,
            message,
            cause,
        } = self;
        match kind {
            Kind::Overloaded => tracing::debug!(request_id, "{message}"),
            Kind::Unavailable | Kind::Internal => {
                tracing::error!(request_id, "{message}: {cause}");
            }
        }
        match kind {
            Kind::Overloaded => (Condition::Overloaded, message),
            Kind::Unavailable => (Condition::Unavailable, message),
            Kind::Internal => (Condition::Internal, INTERNAL.into()),
        }
    }
}

impl StateError {
    /// Logs the failure, and returns it as the error of an operation.
    pub fn into_operation_error<E: StateFailure>(self, request_id: &str) -> E {
        let (condition, message) = self.report(request_id);
        match condition {
            Condition::Overloaded => E::overloaded(message),
            Condition::Unavailable => E::unavailable(message),
            _ => E::internal_error(message),
        }
    }
}

/// What a client is told of a fault of the service.
pub(crate) const INTERNAL: &str =
    "a fault of the service; report the `x-request-id` of this response";

/// The causes of an error, outermost first, as the log has them.
#[must_use]
pub fn causes(error: &dyn Error) -> String {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.join(": ")
}
