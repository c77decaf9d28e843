//! Measures each try according to OpenTelemetry's semantic conventions for HTTP clients.

use crate::{FailedLoad, Interceptor, RetryBudget, TryOutcome};
use opentelemetry::{
    KeyValue, global,
    metrics::{Counter, Histogram, Meter},
};

/// The bucket boundaries that the semantic conventions recommend, in seconds.
const BOUNDARIES: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// Measures each try according to OpenTelemetry's semantic conventions for HTTP clients.
///
/// | metric | kind, unit | attributes |
/// |---|---|---|
/// | `http.client.request.duration` | histogram, `s` | `http.request.method`, `server.address`, `server.port`, `url.scheme`, `url.template`, `http.response.status_code`, `error.type` |
/// | `openapi_client.retries` | counter | `http.request.method`, `url.template`, `server.address`, `server.port` |
/// | `openapi_client.credentials.failures` | counter | `has_earlier_key`: whether calls continue with the key that was loaded last |
/// | `openapi_client.retry_budget.left` | gauge | none; needs [`with_budget`](HttpMetrics::with_budget) |
///
/// ```
/// use openapi_dropshot_client::{Client, RetryBudget, telemetry::HttpMetrics};
///
/// let budget = RetryBudget::default();
/// let client = Client::builder("https://books.example/v1")
///     .retry_budget(budget.clone())
///     .interceptor(HttpMetrics::new().with_budget(budget))
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HttpMetrics {
    meter: Meter,
    duration: Histogram<f64>,
    retries: Counter<u64>,
    failed_loads: Counter<u64>,
}

impl HttpMetrics {
    /// Uses the global meter provider, which must be set before.
    #[must_use]
    pub fn new() -> Self {
        HttpMetrics::with_meter(global::meter("openapi_dropshot_client"))
    }

    /// Uses this meter.
    #[must_use]
    pub fn with_meter(meter: Meter) -> Self {
        let duration = meter
            .f64_histogram("http.client.request.duration")
            .with_unit("s")
            .with_description("Duration of HTTP client requests.")
            .with_boundaries(BOUNDARIES.to_vec())
            .build();
        let retries = meter
            .u64_counter("openapi_client.retries")
            .with_unit("{retry}")
            .with_description("Requests that were sent again.")
            .build();
        let failed_loads = meter
            .u64_counter("openapi_client.credentials.failures")
            .with_unit("{failure}")
            .with_description("Loads of an API key that failed.")
            .build();
        HttpMetrics {
            meter,
            duration,
            retries,
            failed_loads,
        }
    }

    /// Also reports how many retries are left in this budget.
    #[must_use]
    pub fn with_budget(self, budget: RetryBudget) -> Self {
        let _gauge = self
            .meter
            .u64_observable_gauge("openapi_client.retry_budget.left")
            .with_unit("{retry}")
            .with_description("Retries that the calls of the client may still make.")
            .with_callback(move |observer| observer.observe(budget.left(), &[]))
            .build();
        self
    }
}

impl Default for HttpMetrics {
    fn default() -> Self {
        HttpMetrics::new()
    }
}

impl Interceptor for HttpMetrics {
    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let url = outcome.url();
        let mut attributes = vec![
            KeyValue::new("http.request.method", outcome.method().to_string()),
            KeyValue::new("url.template", outcome.path_template()),
            KeyValue::new(
                "server.address",
                url.host_str().unwrap_or_default().to_owned(),
            ),
        ];
        if let Some(port) = url.port_or_known_default() {
            attributes.push(KeyValue::new("server.port", i64::from(port)));
        }
        if outcome.number() > 1 {
            self.retries.add(1, &attributes);
        }
        attributes.push(KeyValue::new("url.scheme", url.scheme().to_owned()));
        if let Some(status) = outcome.status_code() {
            let status = i64::from(status.as_u16());
            attributes.push(KeyValue::new("http.response.status_code", status));
        }
        if let Some(error) = outcome.error() {
            attributes.push(KeyValue::new("error.type", error.error_type()));
        }
        let seconds = outcome.elapsed().as_secs_f64();
        self.duration.record(seconds, &attributes);
    }

    fn after_failed_load(&self, failure: &FailedLoad<'_>) {
        let attribute = KeyValue::new("has_earlier_key", failure.has_earlier_key());
        self.failed_loads.add(1, &[attribute]);
    }
}
