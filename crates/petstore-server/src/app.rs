//! What every request can reach: the store, the clock, the settings, and what
//! requests share so that they do not take too much.

use crate::{
    clock::Clock,
    config::{Limits, SunsetPolicy},
    document::Document,
    door::{Cors, Routes},
    metrics::Metrics,
    rate_limit::RateLimiter,
    readiness::Readiness,
    service::InFlight,
    usage::Ledger,
};
use petstore_store::Store;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The context of the running server.
pub(crate) struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) sunset: SunsetPolicy,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) routes: Routes,
    pub(crate) document: Document,
    /// None where no page may call.
    pub(crate) cors: Option<Cors>,
    /// None where a key may ask for any number.
    pub(crate) rate_limiter: Option<RateLimiter>,
    pub(crate) ledger: Arc<Ledger>,
    /// The creations with an idempotency key that are under way.
    pub(crate) in_flight: InFlight,
    /// None where nothing is to be counted.
    pub(crate) metrics: Option<Arc<Metrics>>,
    /// One for each request that may run.
    pub(crate) permits: Arc<Semaphore>,
    /// One for each byte of a body that may be held in memory.
    pub(crate) body_budget: Arc<Semaphore>,
}
