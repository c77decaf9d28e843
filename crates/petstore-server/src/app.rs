//! What every request can reach: the store, the clock, the settings, and what
//! requests share so that they do not take too much.

use crate::{
    clock::Clock,
    config::{Limits, SunsetPolicy},
    door::Routes,
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
    pub(crate) routes: Routes,
    /// One for each request that may run.
    pub(crate) permits: Semaphore,
    /// One for each byte of a body that may be held in memory.
    pub(crate) body_budget: Semaphore,
}
