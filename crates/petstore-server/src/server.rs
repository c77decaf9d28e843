//! The running server: binds, accepts and stops. What happens to a request is
//! left to the door, and when to stop to the caller.

use crate::api::OPERATIONS;
use crate::{
    app::App,
    clock::Clock,
    config::{Lifecycle, Limits, RateLimit, Web},
    document::Document,
    door::{self, Cors, Routes},
    metrics::{Budget, Metrics},
    rate_limit::RateLimiter,
    readiness::{Phase, Readiness},
    service::{Forgetter, InFlight},
    slog_bridge,
    tls::Tls,
    usage::{Ledger, Writer},
};
use dropshot::{
    CompressionConfig, ConfigDropshot, HandlerTaskMode, HttpServer, HttpServerStarter,
    ServerBuilder,
};
use petstore_store::Store;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// What a server is made of.
pub struct Setup {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// With what to speak TLS; without, it is plain HTTP.
    pub tls: Option<Tls>,
    /// Where pets and keys are. It is not closed with the server.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How much to take on.
    pub limits: Limits,
    /// How much a key may ask for.
    pub rate_limit: RateLimit,
    /// What browsers, and clients on thin lines, are given.
    pub web: Web,
    /// Which operations to serve, and how they end.
    pub lifecycle: Lifecycle,
    /// Whether to count what happens.
    pub metrics: bool,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is taken, not allowed, or not of this machine.
    #[error("cannot listen on {address}; choose another address or port with `--listen`")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What was wrong.
        source: dropshot::BuildError,
    },
    /// The operations of the contract exclude each other.
    #[error("the routes of the contract cannot be served")]
    Routes(#[from] dropshot::ApiDescriptionBuildErrors),
    /// An operation of the contract has the path of a page of the service.
    #[error(
        "`{method} {path}` of the contract cannot be served: at its path the service has the page `{page}`; give the operation another path"
    )]
    Taken {
        /// The method of the operation.
        method: &'static str,
        /// Its path, relative to the base address.
        path: &'static str,
        /// The page, from the root on.
        page: &'static str,
    },
    /// The routes of the door exclude each other.
    #[error("the door cannot be opened")]
    Door(#[from] dropshot::ApiDescriptionRegisterError),
}

/// A server that has its address, but does not answer yet: who connects
/// waits.
pub struct Bound(HttpServerStarter<App>);

/// A server that answers.
pub struct Server {
    http: HttpServer<App>,
    usage: Writer,
    _forgetter: Forgetter,
}

/// How a server came to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stopped {
    /// All connections were served to their end.
    Finished,
    /// Some were still open when the grace was over.
    CutOff,
}

impl Bound {
    /// Takes the address. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The address cannot be had; nothing else is expected to fail.
    pub fn bind(setup: Setup) -> Result<Self, StartError> {
        let config = ConfigDropshot {
            bind_address: setup.listen,
            default_request_body_max_bytes: setup.limits.body_max_bytes.get(),
            // A handler whose client went away has nobody to answer. What it
            // handed to the store is finished there all the same.
            default_handler_task_mode: HandlerTaskMode::CancelOnDisconnect,
            compression: if setup.web.compression.is_on() {
                CompressionConfig::Gzip
            } else {
                CompressionConfig::None
            },
            ..ConfigDropshot::default()
        };
        let routes = Routes::new(OPERATIONS, setup.lifecycle.min_stability.0)?;
        let permits = semaphore(setup.limits.max_in_flight.get());
        let body_budget = semaphore(setup.limits.body_budget_bytes.get());
        let metrics = setup.metrics.then(|| {
            let metrics = Metrics::new();
            metrics.watch_store(&setup.store);
            metrics.watch_budget(Budget::Permits, &permits);
            metrics.watch_budget(Budget::Bodies, &body_budget);
            Arc::new(metrics)
        });
        let logger = slog_bridge::logger(metrics.clone());
        let app = App {
            store: setup.store,
            clock: setup.clock,
            sunset: setup.lifecycle.sunset,
            readiness: Arc::new(Readiness::new()),
            document: Document::of(routes.served()),
            cors: Cors::new(&setup.web.cors_origins, routes.served()),
            routes,
            rate_limiter: RateLimiter::new(&setup.rate_limit),
            ledger: Arc::new(Ledger::default()),
            in_flight: InFlight::default(),
            metrics,
            permits,
            body_budget,
            limits: setup.limits,
        };
        ServerBuilder::new(door::description()?, app, logger)
            .config(config)
            .tls(setup.tls.map(Tls::into_config))
            .build_starter()
            .map(Bound)
            .map_err(|source| StartError::Listen {
                address: setup.listen,
                source,
            })
    }

    /// Begins to answer.
    #[must_use]
    pub fn start(self) -> Server {
        let http = self.0.start();
        let app = http.app_private();
        let usage = Writer::start(app.ledger.clone(), app.store.clone());
        let forgetter = Forgetter::start(app.store.clone(), app.clock.clone());
        app.readiness.advance(Phase::Ready);
        Server {
            http,
            usage,
            _forgetter: forgetter,
        }
    }
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)))
}

impl Server {
    /// Where it listens; the real port where 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.http.local_addr()
    }

    /// Shows another certificate to those who connect from now on. Nothing
    /// changes on a server that speaks plain HTTP.
    pub async fn show(&self, tls: Tls) {
        if let Err(problem) = self.http.refresh_tls(&tls.into_config()).await {
            tracing::error!("the certificate was not changed: {problem}");
        }
    }

    /// Which part of its life it is in, for whoever sends traffic here.
    #[must_use]
    pub fn readiness(&self) -> Arc<Readiness> {
        self.http.app_private().readiness.clone()
    }

    /// What it counts, where it does.
    #[must_use]
    pub fn metrics(&self) -> Option<Arc<Metrics>> {
        self.http.app_private().metrics.clone()
    }

    /// Says that it stops soon, and goes on answering.
    pub fn leave(&self) {
        self.http.app_private().readiness.advance(Phase::Leaving);
    }

    /// Refuses from now on what is new, and finishes what runs;
    /// [`stop`](Server::stop) begins with it.
    pub fn refuse_new(&self) {
        self.http.app_private().readiness.advance(Phase::Stopping);
    }

    /// Takes no more connections, refuses what is new, and waits for the
    /// requests that run, but not longer than `grace`: dropshot alone would
    /// wait for a stalled client without end. Then it writes what it counted to
    /// the store.
    pub async fn stop(self, grace: Duration) -> Stopped {
        self.refuse_new();
        let stopped = match tokio::time::timeout(grace, self.http.close()).await {
            Ok(Ok(())) => Stopped::Finished,
            Ok(Err(problem)) => {
                tracing::error!("the server did not stop as it should: {problem}");
                Stopped::Finished
            }
            Err(_) => Stopped::CutOff,
        };
        if tokio::time::timeout(grace, self.usage.finish())
            .await
            .is_err()
        {
            tracing::warn!("the ledger of deprecated calls was not written within {grace:?}");
        }
        stopped
    }
}
