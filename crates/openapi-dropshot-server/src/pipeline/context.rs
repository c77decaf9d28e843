//! The context of the running server: the state of the service, the clock, the settings, and the
//! data that requests share. Handlers get it as their request context.

use super::{
    authenticate::Challenges,
    cors::Cors,
    pages::Pages,
    route::{self, RouteError, Routes},
};
use crate::{
    ServiceInfo,
    clock::Clock,
    config::{Lifecycle, Limits, RateLimit, SunsetPolicy, Web},
    document::Document,
    idempotency::{self, AttemptFuture, IdempotencyError, IdempotencyKey, InFlight},
    metrics::{Budget, Metrics},
    rate_limit::RateLimiter,
    readiness::Readiness,
    state::State,
    usage::UsageCounters,
};
use chrono::{DateTime, Utc};
use openapi_dropshot_types::Contract;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The context of the running server, and of every handler.
pub struct Context<S: State> {
    pub(crate) state: Arc<S>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(super) limits: Limits,
    pub(super) sunset: SunsetPolicy,
    pub(crate) readiness: Arc<Readiness>,
    pub(super) challenges: Challenges,
    pub(super) routes: Routes,
    pub(super) pages: Pages,
    /// `None` where no origin may call.
    pub(super) cors: Option<Cors>,
    /// `None` where a principal may make any number of requests.
    pub(super) rate_limiter: Option<RateLimiter<S::Principal>>,
    pub(crate) usage: Arc<UsageCounters<S::Principal>>,
    /// The requests with an idempotency key that are under way.
    in_flight: InFlight<S::Principal>,
    /// `None` where metrics are switched off.
    pub(crate) metrics: Option<Arc<Metrics>>,
    /// One for each request that may run.
    pub(super) permits: Arc<Semaphore>,
    /// One for each byte of a body that may be held in memory.
    pub(super) body_budget: Arc<Semaphore>,
}

/// The settings that a context is made of.
pub(crate) struct ContextSettings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) rate_limit: RateLimit,
    pub(crate) web: Web,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) metrics: bool,
}

impl<S: State> Context<S> {
    /// The context of a server of the API `C`.
    ///
    /// # Errors
    ///
    /// The operations of the API cannot be served.
    pub(crate) fn new<C: Contract<Context = Self>>(
        info: &ServiceInfo,
        state: S,
        settings: ContextSettings,
    ) -> Result<Self, RouteError> {
        let (base, operations) = (C::BASE_PATH, C::OPERATIONS);
        let lowest = settings.lifecycle.min_stability.0;
        let routes = Routes::new(C::router()?, base, operations, lowest);
        let pages = Pages::new(Document::of::<C>(routes.served()), C::TITLE, base);
        route::check_pages(&pages, operations, base)?;
        let permits = semaphore(settings.limits.max_in_flight.get());
        let body_budget = semaphore(settings.limits.body_budget_bytes.get());
        let metrics = settings.metrics.then(|| {
            let metrics = Metrics::new::<C>(info);
            state.register_metrics(&metrics);
            metrics.watch_budget(info, Budget::Permits, &permits);
            metrics.watch_budget(info, Budget::Bodies, &body_budget);
            Arc::new(metrics)
        });
        Ok(Context {
            state: Arc::new(state),
            clock: settings.clock,
            sunset: settings.lifecycle.sunset,
            readiness: Arc::new(Readiness::new()),
            challenges: Challenges::new(info),
            cors: Cors::new(&settings.web.cors_origins, routes.served()),
            pages,
            routes,
            rate_limiter: RateLimiter::new(&settings.rate_limit),
            usage: Arc::default(),
            in_flight: InFlight::default(),
            metrics,
            permits,
            body_budget,
            limits: settings.limits,
        })
    }

    /// The state of the service.
    #[must_use]
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The present moment, by the clock of the server.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Does the work of a request that came with an idempotency key, once: attempts it until it
    /// is done, or until most of the request's deadline has passed. Of several requests of one
    /// principal with one key, this server attempts one at a time; what one attempt does must be
    /// done by the store in one transaction with the key.
    ///
    /// # Errors
    ///
    /// [`IdempotencyError`]; the inner error is [`Attempt::Rejected`](crate::idempotency::Attempt).
    pub async fn attempt_once<T, R>(
        &self,
        principal: S::Principal,
        key: IdempotencyKey,
        attempt: impl Fn() -> AttemptFuture<T, R>,
    ) -> Result<Result<T, R>, IdempotencyError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let deadline = self.limits.request_deadline_seconds.duration();
        idempotency::run(&self.in_flight, deadline, (principal, key), attempt).await
    }
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)))
}
