//! The running server: binds its address, starts and stops.

use crate::{
    idempotency,
    listener::{Listener, Running},
    metrics::Metrics,
    pipeline::{Context, RouteError, largest_body},
    readiness::{Phase, Readiness},
    setup::Setup,
    slog_bridge,
    state::{State, error_body},
    tls::Tls,
    usage::UsageWriter,
};
use dropshot_request_context::{NotCaptured, RequestContexts};
use openapi_dropshot_types::Contract;
use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// The reason why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is in use, not allowed, or does not belong to this machine.
    #[error("cannot listen on {address}; choose another address or port with `--listen`")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The operations of the document cannot be served.
    #[error(transparent)]
    Routes(#[from] RouteError),
    /// The document does not allow the body that the service creates for an error.
    #[error(
        "`State::error_body` returns a body that the document does not allow for {status} of the operation `{operation}`: {reason}; \
         return what the document requires, or change the document"
    )]
    ErrorBody {
        /// The operation.
        operation: &'static str,
        /// The status of the error.
        status: u16,
        /// What the document requires.
        reason: String,
    },
    /// A limit of an operation cannot be applied.
    #[error("{0}")]
    Limits(String),
    /// dropshot, whose extractors and handlers serve the requests, cannot be started.
    #[error("cannot prepare dropshot; this requires the loopback interface")]
    Dropshot(#[from] NotCaptured),
}

/// A server that is bound to its address, but does not accept connections yet: connections wait.
pub struct Bound<S: State> {
    contexts: Arc<RequestContexts<Context<S>>>,
    start: Start<S>,
}

/// Starts the listener with the pipeline of one API.
type Start<S> = Box<dyn FnOnce(Arc<RequestContexts<Context<S>>>) -> Running + Send>;

/// A server that responds to requests.
pub struct Server<S: State> {
    listener: Running,
    contexts: Arc<RequestContexts<Context<S>>>,
    usage: UsageWriter,
    /// Deletes expired idempotency keys until it is dropped.
    _expiry: JoinSet<()>,
}

/// The way in which a server ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stopped {
    /// All connections had ended.
    Finished,
    /// Some connections were still open when the grace period was over.
    CutOff,
}

impl<S: State> Bound<S> {
    /// Binds the address for a server of the API `C`. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not available. No other failure is expected.
    pub fn bind<C: Contract<Context = Context<S>>>(
        mut setup: Setup<S>,
    ) -> Result<Self, StartError> {
        let address = setup.listen;
        let (limits, tls) = (setup.limits.clone(), setup.tls.take());
        error_body::check::<C, S>().map_err(|body| StartError::ErrorBody {
            operation: body.operation,
            status: body.status,
            reason: body.reason,
        })?;
        let largest = largest_body::<C>(&limits).map_err(StartError::Limits)?;
        let context = Context::new::<C>(setup)?;
        let listener =
            Listener::bind(address).map_err(|source| StartError::Listen { address, source })?;

        let contexts = RequestContexts::new(context, largest, slog_bridge::logger())?;
        Ok(Bound {
            contexts: Arc::new(contexts),
            start: Box::new(move |contexts| listener.start::<C, S>(contexts, &limits, tls)),
        })
    }

    /// Starts to accept connections.
    #[must_use]
    pub fn start(self) -> Server<S> {
        let listener = (self.start)(self.contexts.clone());
        let context = self.contexts.context();
        if let Some(metrics) = &context.metrics {
            metrics.watch_connections(context.info, listener.connections());
        }
        let usage = UsageWriter::start(context.usage.clone(), context.state.clone());
        let expiry = idempotency::start_expiry(context.state.clone(), context.clock.clone());
        context.readiness.advance(Phase::Ready);
        Server {
            listener,
            contexts: self.contexts,
            usage,
            _expiry: expiry,
        }
    }
}

impl<S: State> Server<S> {
    /// Returns the state of the service.
    #[must_use]
    pub fn state(&self) -> &Arc<S> {
        &self.contexts.context().state
    }

    /// Returns the address on which it listens, with the actual port if port 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Uses another certificate for new connections. On a server that uses plain HTTP, this has no
    /// effect.
    pub fn replace_tls(&self, tls: Tls) {
        self.listener.replace_tls(tls);
    }

    /// Returns the context of its handlers, for the admin listener.
    pub(crate) fn contexts(&self) -> &Arc<RequestContexts<Context<S>>> {
        &self.contexts
    }

    /// Returns the phase of the server.
    #[must_use]
    pub fn readiness(&self) -> Arc<Readiness> {
        self.contexts.context().readiness.clone()
    }

    /// Returns its metrics; `None` if they are switched off.
    #[must_use]
    pub fn metrics(&self) -> Option<Arc<Metrics>> {
        self.contexts.context().metrics.clone()
    }

    /// Makes `/readyz` report that the server will stop soon. The server continues to respond.
    pub fn leave(&self) {
        self.contexts.context().readiness.advance(Phase::Leaving);
    }

    /// Rejects new requests from now on, and finishes running ones. [`stop`](Server::stop) calls
    /// this first.
    pub fn reject_new(&self) {
        self.contexts.context().readiness.advance(Phase::Stopping);
    }

    /// Stops accepting connections, rejects new requests, and waits for running requests, but at
    /// most for `grace`. Then it writes the usage counters in the remaining time, but it has at
    /// least two seconds for that.
    pub async fn stop(self, grace: Duration) -> Stopped {
        let end = Instant::now() + grace;
        self.reject_new();
        let connections = self.listener.connections().clone();
        let stopped = match tokio::time::timeout(grace, self.listener.close()).await {
            Ok(()) => Stopped::Finished,
            Err(_) => {
                connections.close();
                Stopped::CutOff
            }
        };
        let left = left_for_writes(end);
        if tokio::time::timeout(left, self.usage.finish())
            .await
            .is_err()
        {
            tracing::warn!("the usage counters were not written within {left:?}");
        }
        stopped
    }
}

/// The minimum time for the last writes, even if the requests took the whole grace period.
const LAST_WRITES: Duration = Duration::from_secs(2);

/// Returns the time for the last writes of a server that should have ended at `end`.
pub(crate) fn left_for_writes(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
        .max(LAST_WRITES)
}
