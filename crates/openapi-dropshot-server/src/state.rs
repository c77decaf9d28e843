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
use std::{borrow::Cow, error::Error, future::Future};

/// The data that a service stores for this crate. A service implements this trait with its store.
///
/// Handlers access the value with [`Context::state`](crate::Context::state). A service without deprecated operations, idempotency
/// keys and scopes only has to implement the first three items.
pub trait State: Send + Sync + 'static {
    /// The caller of a request, such as an API key, a user or a tenant, with the data that the service has about it. A handler gets
    /// it with [`Context::principal`](crate::Context::principal). It is cloned for each request, so put a large value into an `Arc`.
    type Principal: Clone + Send + Sync + 'static;

    /// Returns the id of a principal for the log and the metrics (`key_id`). It must not be a secret. Requests of principals with
    /// the same id are limited and counted together.
    fn principal_id(principal: &Self::Principal) -> &str;

    /// Returns the principal of a credential. The server calls this for each security scheme that the document requires for the
    /// operation and for which the request has a credential. The server then decides whether these schemes are sufficient.
    ///
    /// # Errors
    ///
    /// Returns an [`AuthenticationError`] if the credential is not valid for this scheme or cannot be looked up. Reject a text that
    /// cannot be a credential without querying the store.
    fn authenticate(
        &self,
        credential: Credential<'_, Self::Principal>,
    ) -> impl Future<Output = Result<Self::Principal, AuthenticationError>> + Send;

    /// Whether a principal has a scope that an operation requires from a scheme. If not, the request is rejected with 403. Implement
    /// this if the document has scopes; by default, no principal has any scope.
    fn has_scope(principal: &Self::Principal, scheme: &SecurityScheme, scope: &str) -> bool {
        let _ = (principal, scheme, scope);
        false
    }

    /// The scope that a principal lacks for an operation, for scopes that the document cannot name, such as those of API keys in
    /// OpenAPI 3.0. Without it the request is rejected with 403.
    fn missing_scope(principal: &Self::Principal, operation: &Operation) -> Option<&'static str> {
        let _ = (principal, operation);
        None
    }

    /// Whether [`authenticate`](State::authenticate) needs the body of the request for a scheme, for example to check a signature
    /// (HMAC). The body is then read before the client is known, so the request counts as one without a credential until then.
    fn reads_body(scheme: &SecurityScheme) -> bool {
        let _ = scheme;
        false
    }

    /// Returns the limits of a principal. A service whose credentials have limits stores them in the principal.
    fn permissions(principal: &Self::Principal) -> Permissions {
        let _ = principal;
        Permissions::default()
    }

    /// The server calls this for each request before the route and the credential are known, for example to serve a static file. It
    /// must end within the deadline of a request. The body is not read yet.
    ///
    /// If it returns a response, the request ends: [`after`](State::after) gets the response, and the request is logged and counted
    /// like others.
    fn before(&self, request: Incoming<'_>) -> impl Future<Output = Option<Response<Body>>> + Send {
        let _ = request;
        async { None }
    }

    /// The server calls this with each response before sending it, including responses to rejected requests, so that the service can
    /// add headers or collect data. It should be quick, because the connection waits for it.
    fn after(&self, request: &Outgoing<'_, Self::Principal>, response: &mut Response<Body>) {
        let _ = (request, response);
    }

    /// Returns the body of an error for which no handler created one. `None` selects the form that the document defines for errors,
    /// with the properties that the server can fill. When the server starts, it checks that the document allows these bodies.
    fn error_body(error: &ServerError<'_>) -> Option<ErrorBody> {
        let _ = error;
        None
    }

    /// Checks whether requests can be served, including writes, for `/readyz`. It should respond within half a second.
    ///
    /// # Errors
    ///
    /// Returns an error if requests cannot be served. Its message is the body of `/readyz`, which only the owner of the service can
    /// reach. The message and the cause are logged.
    fn check(&self) -> impl Future<Output = Result<(), StateError>> + Send {
        async { Ok(()) }
    }

    /// Adds to the stored usage of principals and of operations. It must add either all of the usage or nothing. The server calls it
    /// about once a second if there is something to add.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing was added or if the outcome is unknown. The next call passes the same usage again, together with
    /// the usage since then.
    fn record_usage(
        &self,
        usage: Usage<Self::Principal>,
    ) -> impl Future<Output = Result<(), StateError>> + Send {
        drop(usage);
        async { Ok(()) }
    }

    /// Returns the stored usage of operations and the times since when it is counted, for the page `/usage` of the admin listener;
    /// `None` if the service does not store usage. The page needs the calls by day from the given day on.
    ///
    /// # Errors
    ///
    /// Returns an error if the usage cannot be read.
    fn stored_usage(
        &self,
        since: NaiveDate,
    ) -> impl Future<Output = Result<Option<StoredUsage>, StateError>> + Send {
        let _ = since;
        async { Ok(None) }
    }

    /// Deletes at most `limit` idempotency keys that have expired at `now`, and returns how many it deleted. The server calls it
    /// once a minute, and again at once after a full batch.
    ///
    /// # Errors
    ///
    /// Returns an error if the keys were not deleted; the server tries again a minute later.
    fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<usize, StateError>> + Send {
        let _ = (now, limit);
        async { Ok(0) }
    }

    /// Deletes events of a feed that are older at `now` than the service keeps events, the oldest first, and returns how many it
    /// deleted: at most `limit`, or of several kinds at most `limit` of each. The server calls it like
    /// [`delete_expired_idempotency_keys`](State::delete_expired_idempotency_keys), and again while it returns `limit` or more.
    ///
    /// # Errors
    ///
    /// Returns an error if the events were not deleted; the server tries again a minute later.
    fn delete_expired_events(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<usize, StateError>> + Send {
        let _ = (now, limit);
        async { Ok(0) }
    }

    /// Adds the service's own metrics to the metrics of the server.
    fn register_metrics(&self, metrics: &Metrics) {
        let _ = metrics;
    }
}

/// The usage since the previous call, which is added to the usage in the store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Usage<P> {
    /// Calls of the operations that are counted (see the setting `count-calls`).
    pub calls: Vec<DeprecatedCalls<P>>,
    /// The principals that made requests for any operation.
    pub seen: Vec<Seen<P>>,
}

/// The calls of one operation by one principal on one day (UTC). By default, only deprecated operations are counted.
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
    /// The `User-Agent` of the last call that has one: at most 120 bytes, without control characters.
    pub user_agent: Option<String>,
}

/// The time of the latest request of a principal.
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

    /// Converts the usage to principals of another type.
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
    /// The text cannot be a credential of this service, for example because it is mistyped or truncated.
    Malformed,
    /// The text could be a credential, but no valid credential matches it.
    Unknown,
    /// The credential is not valid for a reason that the client should know, such as an expired token. The message says what to do,
    /// and is sent.
    Rejected(Cow<'static, str>),
    /// The credential could not be looked up.
    Failed(StateError),
}

impl From<StateError> for AuthenticationError {
    fn from(error: StateError) -> Self {
        AuthenticationError::Failed(error)
    }
}

/// Returns the causes of an error for the log, outermost first.
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
