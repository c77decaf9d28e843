//! The trait through which this crate accesses the data of a service: its keys, its usage
//! counters and its idempotency keys.

mod credential;
pub(crate) mod error;
pub(crate) mod error_body;
mod hooks;

pub use credential::Credential;
pub use error::StateError;
pub use error_body::{ErrorBody, ServerError};
pub use hooks::{Incoming, Outgoing, TlsInfo};

use crate::{metrics::Metrics, permissions::Permissions, usage_report::StoredUsage};
use chrono::{DateTime, NaiveDate, Utc};
use dropshot::Body;
use http::Response;
use openapi_dropshot_types::{Operation, SecurityScheme};
use std::{error::Error, future::Future};

/// The data that a service stores for this crate. A service implements it with its store.
///
/// Handlers access the value with [`Context::state`](crate::Context::state). A service that has no
/// deprecated operation, no idempotency key and no scopes implements the first three items only.
pub trait State: Send + Sync + 'static {
    /// The caller of a request: an API key, a user, a tenant, with the facts that the service knows about it. A handler gets it with
    /// [`Context::principal`](crate::Context::principal). It is cloned for each request, so use an `Arc` for a large one.
    type Principal: Clone + Send + Sync + 'static;

    /// The id of a principal for the log and the metrics (`key_id`). It must not be a secret. Requests of principals with
    /// the same id are limited and counted together.
    fn principal_id(principal: &Self::Principal) -> &str;

    /// Returns the principal of a credential. It is called for each security scheme that the document requires
    /// of the operation and whose credential the request has; the server decides whether these suffice.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError`]: the credential is not valid for this scheme, or cannot be looked up. Reject a
    /// text that cannot be a credential without a query to the store.
    fn authenticate(
        &self,
        credential: Credential<'_, Self::Principal>,
    ) -> impl Future<Output = Result<Self::Principal, AuthenticationError>> + Send;

    /// Whether a principal has a scope that an operation needs of a scheme. Without it the request is rejected
    /// with 403. A service whose document has scopes implements this; until then no principal has any scope.
    fn has_scope(principal: &Self::Principal, scheme: &SecurityScheme, scope: &str) -> bool {
        let _ = (principal, scheme, scope);
        false
    }

    /// Whether [`authenticate`](State::authenticate) needs the body of the request for a scheme, as for a signature
    /// (HMAC). It is then read before the client is known, and counts as one of a client without a credential.
    fn reads_body(scheme: &SecurityScheme) -> bool {
        let _ = scheme;
        false
    }

    /// The limits of a principal. A service whose credentials have limits keeps them in the
    /// principal.
    fn permissions(principal: &Self::Principal) -> Permissions {
        let _ = principal;
        Permissions::default()
    }

    /// Is called for each request before its route and its credential are known, for instance to serve a static file. It must
    /// end within the deadline of a request, and the body is not read yet.
    ///
    /// A response ends the request: [`after`](State::after) gets it, and it is logged and counted like the others.
    fn before(&self, request: Incoming<'_>) -> impl Future<Output = Option<Response<Body>>> + Send {
        let _ = request;
        async { None }
    }

    /// Is called with each response before it is sent, also with those of rejected requests, to add headers or to observe. It
    /// should be quick: the connection waits for it.
    fn after(&self, request: &Outgoing<'_, Self::Principal>, response: &mut Response<Body>) {
        let _ = (request, response);
    }

    /// Returns the body of an error that no handler gave one; `None` for the form that the document has for it, with the
    /// members that the server can fill. When the server starts, it checks that the document allows these bodies.
    fn error_body(error: &ServerError<'_>) -> Option<ErrorBody> {
        let _ = error;
        None
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
    /// They were not deleted; the next attempt follows a minute later.
    fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<usize, StateError>> + Send {
        let _ = (now, limit);
        async { Ok(0) }
    }

    /// Deletes at most `limit` events of a feed that are older at `now` than the service keeps them, the oldest first, and
    /// returns how many it deleted. Called like
    /// [`delete_expired_idempotency_keys`](State::delete_expired_idempotency_keys).
    ///
    /// # Errors
    ///
    /// They were not deleted; the next attempt follows a minute later.
    fn delete_expired_events(
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

    /// The same usage, with principals of another type.
    pub(crate) fn map<Q>(self, principal: impl Fn(P) -> Q) -> Usage<Q> {
        let calls = self.calls.into_iter().map(|calls| DeprecatedCalls {
            principal: principal(calls.principal),
            operation: calls.operation,
            calls: calls.calls,
            first_seen: calls.first_seen,
            last_seen: calls.last_seen,
            user_agent: calls.user_agent,
        });
        let seen = self.seen.into_iter().map(|seen| Seen {
            principal: principal(seen.principal),
            at: seen.at,
        });
        Usage {
            calls: calls.collect(),
            seen: seen.collect(),
        }
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
