//! The trait through which this crate accesses the data of a service: its keys, its usage
//! counters and its idempotency keys.

pub(crate) mod error;

pub use error::StateError;

use crate::{metrics::Metrics, permissions::Permissions, usage_report::StoredUsage};
use chrono::{DateTime, NaiveDate, Utc};
use openapi_dropshot_types::Operation;
use std::{error::Error, fmt, future::Future, hash::Hash};

/// The data that a service stores for this crate. A service implements it with its store.
///
/// Handlers access the value with [`Context::state`](crate::Context::state). A service that has no
/// deprecated operation and no idempotency key implements the first three items only.
pub trait State: Send + Sync + 'static {
    /// The caller of a request: the id of an API key, of a user, of a tenant. Requests are limited,
    /// counted and logged by principal.
    type Principal: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// The id of a principal for the log and the metrics (`key_id`). It must not be a secret.
    fn principal_id(principal: &Self::Principal) -> &str;

    /// Returns the principal of a credential. The text is what follows `Bearer` in `Authorization`
    /// (RFC 6750), or the value of a header that the document names with a security scheme `apiKey`.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError`]: the credential is not valid, or cannot be looked up. A text that
    /// cannot be a credential should be rejected without asking a store.
    fn authenticate(
        &self,
        credential: &str,
    ) -> impl Future<Output = Result<Self::Principal, AuthenticationError>> + Send;

    /// The limits of a principal. A service whose credentials have limits keeps them in the
    /// principal, and compares principals by their ids only.
    fn permissions(principal: &Self::Principal) -> Permissions {
        let _ = principal;
        Permissions::default()
    }

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

    /// Whether requests can be served, writes among them, for `/readyz`. It should respond within
    /// half a second.
    ///
    /// # Errors
    ///
    /// Requests cannot be served. The message of the error is the body of `/readyz`, which only
    /// the owner of the service can reach; message and cause are logged.
    fn check(&self) -> impl Future<Output = Result<(), StateError>> + Send {
        async { Ok(()) }
    }

    /// Adds to the stored usage of principals and of operations, all of it or
    /// nothing. Called about once a second while there is something to add.
    ///
    /// # Errors
    ///
    /// Nothing was added, or the outcome is unknown. The next call passes the same usage again,
    /// together with the usage since then.
    fn record_usage(
        &self,
        usage: Usage<Self::Principal>,
    ) -> impl Future<Output = Result<(), StateError>> + Send {
        drop(usage);
        async { Ok(()) }
    }

    /// The stored usage of operations and the times since when they are counted, for the page `/usage` of the admin listener; `None`
    /// if the service does not store it. Calls by day are needed from that day on.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn stored_usage(
        &self,
        since: NaiveDate,
    ) -> impl Future<Output = Result<Option<StoredUsage>, StateError>> + Send {
        let _ = since;
        async { Ok(None) }
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
    /// Calls of the operations that are counted (the setting `count-calls`).
    pub calls: Vec<DeprecatedCalls<P>>,
    /// Principals that made requests, for any operation.
    pub seen: Vec<Seen<P>>,
}

/// Calls of one operation, most often a deprecated one, by one principal on one day (UTC).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DeprecatedCalls<P> {
    /// The principal that made the calls.
    pub principal: P,
    /// The operation that was called.
    pub operation: &'static Operation,
    /// The number of calls.
    pub calls: u64,
    /// The time of the first call.
    pub first_seen: DateTime<Utc>,
    /// The time of the last call.
    pub last_seen: DateTime<Utc>,
    /// The `User-Agent` of the last call that has one: at most 120 bytes, no control characters.
    pub user_agent: Option<String>,
}

/// The time of a principal's latest request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seen<P> {
    /// The principal.
    pub principal: P,
    /// The time of its latest request.
    pub at: DateTime<Utc>,
}

impl<P> Usage<P> {
    /// Whether there is no usage to add.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.seen.is_empty()
    }
}

/// The reason why a credential was not accepted.
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
