//! The metrics of the service, in the text format of Prometheus. Metrics of HTTP are named after
//! OpenTelemetry's semantic conventions. The names of the service's own metrics begin with the name
//! of the service. Metrics of the process have the names that all Prometheus libraries use.

mod process;
mod reading;
mod requests;

pub use reading::Observations;
pub(crate) use requests::Active;

use crate::{ServiceInfo, connections::Connections, permits::Permits};
use fair_shares::Shares;
use openapi_dropshot_types::{Condition, Contract, ErrorEntry, Operation};
use prometheus::{IntGauge, Opts, Registry, TextEncoder, register_int_gauge_with_registry};
use reading::{Reading, Value};
use requests::Requests;
use std::{hash::Hash, sync::Arc};

/// The metrics of streams: the prefix of their names, and their help texts.
pub(crate) const STREAMS: (&str, &str, &str) = (
    "streams",
    "Open streams and long polls at this moment.",
    "Streams and long polls that may be open at the same time.",
);

/// All metrics of one server.
pub struct Metrics {
    registry: Registry,
    ready: IntGauge,
    pub(crate) requests: Requests,
}

impl Metrics {
    pub(crate) fn new<C: Contract>(info: &ServiceInfo) -> Self {
        Metrics::with(info, C::OPERATIONS.len(), &error_codes::<C>())
    }

    /// Creates the metrics of an API with this number of operations and these error codes.
    fn with(info: &ServiceInfo, operations: usize, codes: &[&'static str]) -> Self {
        let registry = Registry::new();
        let requests = Requests::register(&registry, info, operations, codes)
            .expect("the names and labels in this crate are valid and differ");
        let ready = register_int_gauge_with_registry!(
            info.metric("ready"),
            "1 if the server is ready to serve requests, as `/readyz` reports it, otherwise 0.",
            registry
        )
        .expect("no metric of requests has this name");
        let metrics = Metrics {
            registry,
            ready,
            requests,
        };
        metrics.gauge_with_label(
            &info.metric("build_info"),
            "The version of the build, as a label; the value is always 1.",
            ("version", info.version),
            || 1.0,
        );
        process::watch(&metrics);
        metrics
    }

    /// Sets whether the server is ready. The admin listener calls this before each scrape.
    pub(crate) fn set_ready(&self, ready: bool) {
        self.ready.set(ready.into());
    }

    /// Registers a counter. At each scrape, `read` returns its value, which must never decrease. If
    /// the name is already registered, the first registration stays in effect.
    pub fn counter(&self, name: &str, help: &str, read: impl Fn() -> u64 + Send + Sync + 'static) {
        // A double is exact up to 2^53, which is a thousand years of 250,000 per second.
        let read = move || Some(Value::Counter(read() as f64));
        self.add(&Opts::new(name, help), read);
    }

    /// Registers a gauge. At each scrape, `read` returns its value.
    pub fn gauge(&self, name: &str, help: &str, read: impl Fn() -> f64 + Send + Sync + 'static) {
        self.optional_gauge(name, help, move || Some(read()));
    }

    /// Like [`gauge`](Metrics::gauge), for a value that may be unknown. While it is unknown, a
    /// scrape does not contain the metric.
    pub fn optional_gauge(
        &self,
        name: &str,
        help: &str,
        read: impl Fn() -> Option<f64> + Send + Sync + 'static,
    ) {
        self.add(&Opts::new(name, help), move || read().map(Value::Gauge));
    }

    /// Like [`gauge`](Metrics::gauge), for one member of a metric family; a label distinguishes the
    /// members.
    pub fn gauge_with_label(
        &self,
        name: &str,
        help: &str,
        label: (&str, &str),
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        let opts = Opts::new(name, help).const_label(label.0, label.1);
        self.add(&opts, move || Some(Value::Gauge(read())));
    }

    /// Registers a histogram. At each scrape, `read` returns its observations.
    pub fn histogram(
        &self,
        name: &str,
        help: &str,
        read: impl Fn() -> Observations + Send + Sync + 'static,
    ) {
        let read = move || Some(Value::Histogram(read()));
        self.add(&Opts::new(name, help), read);
    }

    fn add(&self, opts: &Opts, read: impl Fn() -> Option<Value> + Send + Sync + 'static) {
        let reading = Reading::new(opts, read);
        if let Err(problem) = self.registry.register(Box::new(reading)) {
            tracing::error!("a metric cannot be exported: {problem}");
        }
    }

    /// Registers the removal dates of the deprecated operations.
    pub(crate) fn watch_sunsets(&self, info: &ServiceInfo, operations: &'static [Operation]) {
        for operation in operations {
            let Some(deprecation) = operation.deprecation else {
                continue;
            };
            self.gauge_with_label(
                &info.metric("deprecated_operation_sunset_timestamp_seconds"),
                "The sunset of a deprecated operation, as a Unix timestamp in seconds.",
                ("operation", operation.name),
                move || deprecation.sunset as f64,
            );
        }
    }

    /// Registers the limits of the shared resources, and how much of each is in use: the permits to
    /// run, and the bytes in memory of requests, request bodies and responses.
    pub(crate) fn watch_budgets<P>(
        &self,
        info: &ServiceInfo,
        permits: &Permits<P>,
        [requests, bodies, responses]: [&Arc<Shares<Option<P>>>; 3],
    ) where
        P: Copy + Eq + Hash + Send + 'static,
    {
        let budgets = [
            (
                &permits.reads,
                "read_permits",
                "Reads that run at this moment.",
                "Reads that may run at the same time.",
            ),
            (
                &permits.writes,
                "write_permits",
                "Writes that run at this moment.",
                "Writes that may run at the same time.",
            ),
            (
                requests,
                "request_bytes",
                "Bytes of requests that wait for their bodies or have large headers.",
                "Bytes that requests may use that wait for their bodies or have large headers.",
            ),
            (
                bodies,
                "body_bytes",
                "Bytes of request bodies that are held in memory.",
                "Bytes of request bodies that may be held in memory.",
            ),
            (
                responses,
                "response_bytes",
                "Bytes of responses that clients have not read yet (with HTTP/1.1 only those of more than 8 KiB).",
                "Bytes of responses that clients may leave unread (with HTTP/1.1 only those of more than 8 KiB count).",
            ),
        ];
        for (budget, name, used, limit) in budgets {
            self.watch_budget(info, budget, (name, used, limit));
        }
        let both = [permits.reads.clone(), permits.writes.clone()];
        let all: f64 = both.iter().map(|permits| permits.limit() as f64).sum();
        self.gauge(
            &info.metric("permits_in_use"),
            "Requests that run at this moment.",
            move || both.iter().map(|permits| permits.used()).sum::<usize>() as f64,
        );
        self.gauge(
            &info.metric("permits_limit"),
            "Requests that may run at the same time.",
            move || all,
        );
    }

    /// Registers the used part of a budget and its limit.
    pub(crate) fn watch_budget<P>(
        &self,
        info: &ServiceInfo,
        budget: &Arc<Shares<Option<P>>>,
        (name, used, limit): (&str, &str, &str),
    ) where
        P: Copy + Eq + Hash + Send + 'static,
    {
        let (budget, all) = (budget.clone(), budget.limit());
        let [in_use, limit_name] =
            ["in_use", "limit"].map(|end| info.metric(&format!("{name}_{end}")));
        self.gauge(&in_use, used, move || budget.used() as f64);
        self.gauge(&limit_name, limit, move || all as f64);
    }

    /// Registers the number of open connections and their limit.
    pub(crate) fn watch_connections(&self, info: &ServiceInfo, connections: &Arc<Connections>) {
        let open = connections.clone();
        self.gauge(
            &info.metric("connections_open"),
            "Open connections of clients.",
            move || open.open_now() as f64,
        );
        let limit = connections.limit() as f64;
        self.gauge(
            &info.metric("connections_limit"),
            "Connections of clients that may be open at the same time.",
            move || limit,
        );
        let waiting = connections.clone();
        self.gauge(
            &info.metric("connections_wait_seconds"),
            "How long new connections have been waiting because the connection limit is reached; 0 if none waits.",
            move || waiting.wait().as_secs_f64(),
        );
        let closed = connections.clone();
        self.counter(
            &info.metric("connections_closed_for_others_total"),
            "Connections that were closed because there were too many, or because incomplete requests used too much memory.",
            move || closed.closed_for_others(),
        );
        let closed = connections.clone();
        self.counter(
            &info.metric("connections_without_key_closed_total"),
            "Connections that were closed to make room for others and never had a request with a valid key.",
            move || closed.closed_without_key(),
        );
    }

    /// Returns all metrics at this moment, as text.
    ///
    /// # Errors
    ///
    /// Returns an error if two metrics contradict each other.
    pub fn text(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

/// Returns the codes that an error response can have: the codes of the catalogue, of the
/// operations, and of the pipeline.
fn error_codes<C: Contract>() -> Vec<&'static str> {
    let listed = C::OPERATIONS.iter().flat_map(|operation| operation.errors);
    let own = Condition::ALL.iter().map(|condition| C::error(*condition));
    let all = C::ERRORS.iter().chain(listed.copied()).chain(own);
    let mut codes: Vec<_> = all.map(|entry: &ErrorEntry| entry.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::TEST;

    fn metrics() -> Metrics {
        Metrics::with(&TEST, 1, &["not_found"])
    }

    #[test]
    fn every_family_has_a_help_text_and_a_type() {
        let metrics = metrics();
        metrics.watch_budgets::<u8>(&TEST, &Permits::new(3), [&Arc::new(Shares::new(3)); 3]);
        for family in metrics.registry.gather() {
            assert!(family.help().ends_with('.'), "{}", family.name());
        }
    }

    #[test]
    fn metrics_show_how_much_of_a_budget_is_in_use() {
        let metrics = metrics();
        let permits = Permits::<u8>::new(3);
        metrics.watch_budgets(&TEST, &permits, [&permits.reads; 3]);
        let _read = permits.reads.try_take(&None, 1).expect("free");
        let _writes = permits.writes.try_take(&None, 2).expect("free");
        let text = metrics.text().expect("can be written");
        for line in [
            "shop_permits_in_use 3",
            "shop_permits_limit 6",
            "shop_read_permits_in_use 1",
            "shop_read_permits_limit 3",
            "shop_write_permits_in_use 2",
            "shop_write_permits_limit 3",
            "shop_request_bytes_in_use 1",
            "shop_body_bytes_in_use 1",
            "shop_response_bytes_in_use 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
    }

    #[test]
    fn if_a_metric_name_is_registered_twice_the_first_registration_is_kept() {
        let metrics = metrics();
        metrics.counter("twice_total", "Once.", || 1);
        metrics.counter("twice_total", "Once.", || 2);
        let text = metrics.text().expect("can be written");
        assert!(text.contains("\ntwice_total 1\n"), "{text}");
    }
}
