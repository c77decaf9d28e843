//! The context of the running server: the state of the service, the clock, the settings, and the data that requests
//! share. Handlers get it through their request context.

use super::{
    body::Budget,
    cors::Cors,
    lifecycle::Announcements,
    operation_limits::{self, Allowed},
    pages::Pages,
    route::{RouteError, Routes},
    turns::Turns,
    waits::{Waiting, Waits},
};
use crate::{
    ServiceInfo,
    access::RejectedLines,
    clock::Clock,
    config::{Limits, Proxies, SunsetPolicy},
    document::Document,
    idempotency::{self, AttemptFuture, IdempotencyKey, InFlight},
    metrics::{Metrics, STREAMS},
    permits::{Permits, StreamPlaces},
    principals::{Caller, PrincipalKey, Principals},
    rate_limit::RateLimiter,
    readiness::Readiness,
    setup::Setup,
    state::State,
    usage::UsageCounters,
};
use chrono::{DateTime, Utc};
use dropshot::RequestContext;
use fair_shares::Shares;
use openapi_dropshot_types::{Contract, IdempotencyFailure, Operation};
use std::{hash::RandomState, sync::Arc, time::Duration};
use uuid::Uuid;

/// The context of the running server, which every handler gets.
pub struct Context<S: State> {
    pub(crate) info: &'static ServiceInfo,
    pub(crate) state: Arc<S>,
    /// All operations of the document.
    pub(crate) operations: &'static [Operation],
    pub(crate) clock: Arc<dyn Clock>,
    pub(super) limits: Limits,
    /// The limits of each operation, in the order of the document.
    pub(super) allowed: Vec<Allowed<PrincipalKey>>,
    pub(super) sunset: SunsetPolicy,
    pub(super) announcements: Announcements,
    pub(crate) readiness: Arc<Readiness>,
    pub(super) routes: Routes,
    pub(super) pages: Pages,
    /// `None` if no origin may call the service.
    pub(super) cors: Option<Cors>,
    pub(super) rate_limiter: RateLimiter<PrincipalKey>,
    pub(crate) usage: Arc<UsageCounters<Caller<S::Principal>>>,
    /// Computes the keys of principals.
    pub(super) hasher: RandomState,
    pub(super) principals: Principals<S::Principal>,
    /// The running requests that have an idempotency key.
    in_flight: InFlight<PrincipalKey>,
    /// `None` if metrics are switched off.
    pub(crate) metrics: Option<Arc<Metrics>>,
    /// Decides which rejected requests are logged in the access log.
    pub(crate) rejected: Arc<RejectedLines>,
    /// The proxies in front of the service, for the client address.
    pub(super) proxies: Proxies,
    /// One permit for each request that may run.
    pub(super) permits: Permits<PrincipalKey>,
    /// One permit for each stream that may be open.
    pub(super) streams: StreamPlaces<PrincipalKey>,
    /// The requests that wait for an event, and the time limit of each.
    pub(super) waits: Waits,
    /// One unit for each byte of waiting requests and of large heads.
    pub(super) request_budget: Budget<PrincipalKey>,
    /// One unit for each byte of a body that may be in memory.
    pub(super) body_budget: Budget<PrincipalKey>,
    /// One unit for each byte of a response that its client has not read yet.
    pub(super) response_budget: Budget<PrincipalKey>,
    pub(super) turns: Turns,
    /// Whether responses are compressed.
    pub(super) is_compressing: bool,
}

impl<S: State> Context<S> {
    /// Creates the context of a server of the API `C`.
    ///
    /// # Errors
    ///
    /// Returns an error if the operations of the API cannot be served.
    pub(crate) fn new<C: Contract<Context = Self>>(setup: Setup<S>) -> Result<Self, RouteError> {
        let (info, base, operations) = (setup.info, C::BASE_PATH, C::OPERATIONS);
        let lowest = setup.lifecycle.min_stability.0;
        let routes = Routes::new(C::router()?, base, operations, lowest);
        let document = Document::of::<C>(routes.served());
        let described = serde_json::from_slice(&document.json).unwrap_or_default();
        let pages = Pages::new(document, info, C::TITLE, base, setup.web.compression);
        pages.check(operations, base)?;
        let permits = Permits::new(setup.limits.max_in_flight.get());
        let streams = StreamPlaces::new(
            setup.limits.max_streams.get(),
            setup.limits.max_streams_per_key.get(),
        );
        let request_budget = Arc::new(Shares::new(setup.limits.request_budget_bytes.get()));
        let body_budget = Arc::new(Shares::new(setup.limits.body_budget_bytes.get()));
        let response_budget = Arc::new(Shares::new(setup.limits.response_budget_bytes.get()));
        let metrics = setup.metrics.then(|| {
            let metrics = Metrics::new::<C>(info);
            metrics.watch_sunsets(info, operations);
            setup.state.register_metrics(&metrics);
            let bytes = [&request_budget, &body_budget, &response_budget];
            metrics.watch_budgets(info, &permits, bytes);
            metrics.watch_budget(info, &streams.all, STREAMS);
            Arc::new(metrics)
        });
        Ok(Context {
            state: Arc::new(setup.state),
            operations,
            clock: setup.clock,
            sunset: setup.lifecycle.sunset,
            announcements: Announcements::new(operations),
            readiness: Arc::new(Readiness::new()),
            info,
            cors: Cors::new(&setup.web.cors_origins, routes.served(), &described),
            pages,
            routes,
            rate_limiter: RateLimiter::new(&setup.rate_limit),
            usage: Arc::new(UsageCounters::new(setup.lifecycle.count_calls)),
            hasher: RandomState::new(),
            principals: Principals::new(),
            in_flight: InFlight::default(),
            metrics,
            rejected: RejectedLines::start(setup.rejected_lines),
            proxies: setup.proxies,
            permits,
            streams,
            waits: Waits::default(),
            request_budget,
            body_budget,
            response_budget,
            turns: Turns::new(),
            is_compressing: setup.web.compression.is_on(),
            allowed: operation_limits::of_operations::<C, _>(&setup.limits),
            limits: setup.limits,
        })
    }

    /// Returns the state of the service.
    #[must_use]
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the principal of a request, for its handler; `None` if the request has no credential and needs none. A
    /// task that outlives the handler must get the principal from the handler.
    #[must_use]
    pub fn principal(&self, request: &RequestContext<Self>) -> Option<S::Principal> {
        self.principals.find(&request.request_id)
    }

    /// Makes the request a long poll, which waits for at most this time, for example for an event. The time does not
    /// count against the deadline of the request. Until the result is dropped, the request counts as a stream instead of
    /// as a running read or write, so keep the result until the response is created. Do not call this for a streamed
    /// response, which already counts as a stream. Returns `None` if the limit of streams is reached, for this principal
    /// or for all principals.
    #[must_use]
    pub fn begin_wait(
        &self,
        request: &RequestContext<Self>,
        time: Duration,
    ) -> Option<Waiting<'_>> {
        let principal = self.principal(request);
        let principal = principal.map(|own| Caller::new::<S>(own, &self.hasher).key);
        let place = self.streams.take(principal)?;
        let id = Uuid::parse_str(&request.request_id).ok()?;
        let deadline = self.limits.request_deadline_seconds.duration();
        let (waits, readiness) = (&self.waits, &*self.readiness);
        Some(waits.begin(
            id,
            (time, deadline),
            readiness,
            (place, self.permits.lend(request.request.method().as_str())),
        ))
    }

    /// Returns the current time of the server's clock.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Does the work of a request that has an idempotency key, only once: attempts it until it is done, or until most of
    /// the request's deadline has passed. If a principal sends several requests with the same key, this server attempts
    /// one at a time. The store must do the work of an attempt and store the key in one transaction.
    ///
    /// # Errors
    ///
    /// Returns an error if the key was used for something else, if another request with the key is still running, or if
    /// the state failed. The inner error is [`Attempt::Rejected`](crate::idempotency::Attempt).
    pub async fn attempt_once<T, R, E>(
        &self,
        request_id: &str,
        principal: &S::Principal,
        key: IdempotencyKey,
        attempt: impl Fn() -> AttemptFuture<T, R>,
    ) -> Result<Result<T, R>, E>
    where
        T: Send + 'static,
        R: Send + 'static,
        E: IdempotencyFailure,
    {
        let deadline = self.limits.request_deadline_seconds.duration();
        let principal = Caller::new::<S>(principal.clone(), &self.hasher).key;
        idempotency::run(
            &self.in_flight,
            deadline,
            request_id,
            (principal, key),
            attempt,
        )
        .await
    }
}
