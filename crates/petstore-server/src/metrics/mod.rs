//! What the service counts, in Prometheus' text format: names and labels of
//! HTTP by OpenTelemetry's semantic conventions, the service's own under
//! `petstore_`, the process's as every Prometheus library has them. Serving
//! them is left to `admin/`; a request is counted by the door.

mod process;
mod reading;
mod requests;
mod store;

pub(crate) use requests::{Active, Ended};

use petstore_store::Store;
use prometheus::{Opts, Registry, TextEncoder, core::Collector};
use reading::Reading;
use requests::Requests;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Semaphore;

/// All that is counted for one server.
pub struct Metrics {
    registry: Registry,
    pub(crate) requests: Requests,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let registry = Registry::new();
        let requests = Requests::register(&registry);
        let metrics = Metrics { registry, requests };
        let build =
            Opts::new("petstore_build_info", "Which build this is; always 1.").const_labels(
                HashMap::from([("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
            );
        metrics.add(Reading::gauge(build, || 1.0));
        process::watch(&metrics);
        metrics
    }

    /// Serves what `read` gives, whenever it is asked; it never falls. A name
    /// that is there already keeps its first meaning.
    pub fn counter(&self, name: &str, help: &str, read: impl Fn() -> u64 + Send + Sync + 'static) {
        // Exact up to 2^53, which is a thousand years of 250,000 a second.
        self.add(Reading::counter(Opts::new(name, help), move || {
            read() as f64
        }));
    }

    fn counter_of_seconds(
        &self,
        name: &str,
        help: &str,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.add(Reading::counter(Opts::new(name, help), read));
    }

    /// Serves what `read` gives, whenever it is asked.
    pub fn gauge(&self, name: &str, help: &str, read: impl Fn() -> f64 + Send + Sync + 'static) {
        self.add(Reading::gauge(Opts::new(name, help), read));
    }

    fn add(&self, reading: Reading) {
        if let Err(problem) = self.registry.register(Box::new(reading)) {
            tracing::error!("a metric is not served: {problem}");
        }
    }

    pub(crate) fn watch_store(&self, store: &Arc<dyn Store>) {
        store::watch(self, store);
    }

    /// Something of which there is a limited number: what is taken, and how
    /// much there is.
    pub(crate) fn watch_budget(&self, what: Budget, budget: &Arc<Semaphore>) {
        let (all, budget) = (budget.available_permits(), budget.clone());
        let (used, limit) = what.names();
        self.gauge(used.0, used.1, move || {
            all.saturating_sub(budget.available_permits()) as f64
        });
        self.gauge(limit.0, limit.1, move || all as f64);
    }

    /// All of it, as it stands at this moment.
    pub(crate) fn text(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

/// What requests share.
#[derive(Clone, Copy)]
pub(crate) enum Budget {
    /// Permits to run.
    Permits,
    /// Bytes of bodies in memory.
    Bodies,
}

/// A name and its help text.
type Named = (&'static str, &'static str);

impl Budget {
    const fn names(self) -> (Named, Named) {
        match self {
            Budget::Permits => (
                (
                    "petstore_permits_in_use",
                    "Requests that run at this moment.",
                ),
                (
                    "petstore_permits_limit",
                    "Requests that may run at the same time.",
                ),
            ),
            Budget::Bodies => (
                (
                    "petstore_body_bytes_in_use",
                    "Bytes of request bodies that are held in memory.",
                ),
                (
                    "petstore_body_bytes_limit",
                    "Bytes of request bodies that may be held in memory.",
                ),
            ),
        }
    }
}

/// Adds a family that this crate declares.
///
/// # Panics
///
/// It is not valid, or is there twice: a mistake in this source.
fn declare<C: Collector + Clone + 'static>(
    registry: &Registry,
    family: prometheus::Result<C>,
) -> C {
    let family = family.expect("names and labels in this source are valid");
    let registered = registry.register(Box::new(family.clone()));
    registered.expect("no name stands twice in this source");
    family
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_help_text_and_a_type() {
        let metrics = Metrics::new();
        metrics.watch_budget(Budget::Permits, &Arc::new(Semaphore::new(3)));
        metrics.watch_budget(Budget::Bodies, &Arc::new(Semaphore::new(3)));
        for family in metrics.registry.gather() {
            assert!(family.help().ends_with('.'), "{}", family.name());
        }
    }

    #[test]
    fn what_is_taken_of_a_budget_is_seen() {
        let metrics = Metrics::new();
        let budget = Arc::new(Semaphore::new(3));
        metrics.watch_budget(Budget::Permits, &budget);
        let _taken = budget.try_acquire_many(2).expect("free");
        let text = metrics.text().expect("can be written");
        assert!(text.contains("\npetstore_permits_in_use 2\n"), "{text}");
        assert!(text.contains("\npetstore_permits_limit 3\n"), "{text}");
    }

    #[test]
    fn a_name_that_is_there_keeps_its_meaning() {
        let metrics = Metrics::new();
        metrics.counter("twice_total", "Once.", || 1);
        metrics.counter("twice_total", "Once.", || 2);
        let text = metrics.text().expect("can be written");
        assert!(text.contains("\ntwice_total 1\n"), "{text}");
    }
}
