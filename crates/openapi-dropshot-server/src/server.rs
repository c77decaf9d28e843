//! The running server: binds its address, starts and stops.

use crate::{
    ServiceInfo,
    clock::{Clock, SystemClock},
    config::{Lifecycle, Limits, Rate, RateLimit, Watch, Web},
    idempotency,
    metrics::Metrics,
    pipeline::{self, Context, RouteError},
    readiness::{Phase, Readiness},
    slog_bridge,
    state::State,
    tls::Tls,
    usage::UsageWriter,
};
use dropshot::{
    CompressionConfig, ConfigDropshot, HandlerTaskMode, HttpServer, HttpServerStarter,
    ServerBuilder,
};
use openapi_dropshot_types::Contract;
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// The parts of a server. Begin with [`Setup::new`] and set what is different.
pub struct Setup<S> {
    /// The names of the service.
    pub info: &'static ServiceInfo,
    /// The state of the service. It is not closed with the server.
    pub state: S,
    /// The address on which to listen; port 0 selects a free one.
    pub listen: SocketAddr,
    /// The certificate; without one, the server speaks plain HTTP.
    pub tls: Option<Tls>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
    /// The rate limit of each principal.
    pub rate_limit: RateLimit,
    /// CORS and compression.
    pub web: Web,
    /// The lowest stability level that is served, and the behaviour on removal dates.
    pub lifecycle: Lifecycle,
    /// Whether to count requests.
    pub metrics: bool,
    /// Lines per second of the access log for the rejected requests of each status and code.
    pub rejected_lines: Rate,
}

impl<S> Setup<S> {
    /// A server with the defaults of all settings, on a free port of this machine.
    pub fn new(info: &'static ServiceInfo, state: S) -> Self {
        Setup {
            info,
            state,
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            tls: None,
            clock: Arc::new(SystemClock),
            limits: Limits::default(),
            rate_limit: RateLimit::default(),
            web: Web::default(),
            lifecycle: Lifecycle::default(),
            metrics: true,
            rejected_lines: Watch::default().access_log_rejected_per_second,
        }
    }
}

/// The reason why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is in use, not allowed, or not one of this machine.
    #[error("cannot listen on {address}; choose another address or port with `--listen`")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The reason.
        source: dropshot::BuildError,
    },
    /// The operations of the document cannot be served.
    #[error(transparent)]
    Routes(#[from] RouteError),
    /// The catch-all routes of the pipeline cannot be registered.
    #[error("cannot register the routes")]
    Register(#[from] dropshot::ApiDescriptionRegisterError),
}

/// A server that is bound to its address, but does not respond yet: connections wait.
pub struct Bound<S: State>(HttpServerStarter<Context<S>>);

/// A server that responds to requests.
pub struct Server<S: State> {
    http: HttpServer<Context<S>>,
    usage: UsageWriter,
    /// Deletes expired idempotency keys until it is dropped.
    _expiry: JoinSet<()>,
}

/// How a server ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stopped {
    /// All connections had ended.
    Finished,
    /// Some were still open when the grace period was over.
    CutOff,
}

impl<S: State> Bound<S> {
    /// Takes the address for a server of the API `C`. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The address is not available; nothing else is expected to fail.
    pub fn bind<C: Contract<Context = Context<S>>>(
        mut setup: Setup<S>,
    ) -> Result<Self, StartError> {
        let address = setup.listen;
        let tls = setup.tls.take().map(Tls::into_config);
        let config = ConfigDropshot {
            bind_address: address,
            default_request_body_max_bytes: setup.limits.body_max_bytes.get(),
            // A handler whose client went away has no client to respond to. Writes that it
            // handed to the store are finished there all the same.
            default_handler_task_mode: HandlerTaskMode::CancelOnDisconnect,
            compression: if setup.web.compression.is_on() {
                CompressionConfig::Gzip
            } else {
                CompressionConfig::None
            },
            ..ConfigDropshot::default()
        };
        let context = Context::new::<C>(setup)?;
        let logger = slog_bridge::logger(context.metrics.clone(), context.rejected.clone());
        ServerBuilder::new(pipeline::description::<C, S>()?, context, logger)
            .config(config)
            .tls(tls)
            .build_starter()
            .map(Bound)
            .map_err(|source| StartError::Listen { address, source })
    }

    /// Begins to respond.
    #[must_use]
    pub fn start(self) -> Server<S> {
        let http = self.0.start();
        let context = http.app_private();
        let usage = UsageWriter::start(context.usage.clone(), context.state.clone());
        let expiry = idempotency::start_expiry(context.state.clone(), context.clock.clone());
        context.readiness.advance(Phase::Ready);
        Server {
            http,
            usage,
            _expiry: expiry,
        }
    }
}

impl<S: State> Server<S> {
    /// The state of the service.
    #[must_use]
    pub fn state(&self) -> &Arc<S> {
        &self.http.app_private().state
    }

    /// The address on which it listens, with the actual port if 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.http.local_addr()
    }

    /// Uses another certificate for the connections from now on. Nothing
    /// changes on a server that speaks plain HTTP.
    pub async fn replace_tls(&self, tls: Tls) {
        if let Err(problem) = self.http.refresh_tls(&tls.into_config()).await {
            tracing::error!("the certificate was not changed: {problem}");
        }
    }

    /// The phase of its life, for the admin listener.
    #[must_use]
    pub fn readiness(&self) -> Arc<Readiness> {
        self.http.app_private().readiness.clone()
    }

    /// Its metrics; `None` where they are switched off.
    #[must_use]
    pub fn metrics(&self) -> Option<Arc<Metrics>> {
        self.http.app_private().metrics.clone()
    }

    /// Reports on `/readyz` that it stops soon, and goes on responding.
    pub fn leave(&self) {
        self.http.app_private().readiness.advance(Phase::Leaving);
    }

    /// Rejects new requests from now on, and finishes those that run;
    /// [`stop`](Server::stop) begins with it.
    pub fn reject_new(&self) {
        self.http.app_private().readiness.advance(Phase::Stopping);
    }

    /// Accepts no more connections, rejects new requests, and waits for the
    /// requests that run, but not longer than `grace`: dropshot alone would
    /// wait for a stalled client without end. Then it writes the usage counters, in what is
    /// left of `grace`, but at least in two seconds.
    pub async fn stop(self, grace: Duration) -> Stopped {
        let end = Instant::now() + grace;
        self.reject_new();
        let stopped = match tokio::time::timeout(grace, self.http.close()).await {
            Ok(Ok(())) => Stopped::Finished,
            Ok(Err(problem)) => {
                tracing::error!("the server did not stop correctly: {problem}");
                Stopped::Finished
            }
            Err(_) => Stopped::CutOff,
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

/// The time that the last writes have at least, even if the requests took all of the grace period.
const LAST_WRITES: Duration = Duration::from_secs(2);

/// The time for the last writes of a service that should have ended at `end`.
pub(crate) fn left_for_writes(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
        .max(LAST_WRITES)
}
