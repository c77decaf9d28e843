//! Counts requests. Labels only have values of fixed sets, so that clients cannot increase the
//! number of time series.

use crate::{ServiceInfo, ended_request::EndedRequest, lock::lock};
use chrono::Utc;
use http::Method;
use prometheus::{
    Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry,
    register_histogram_vec_with_registry, register_int_counter_vec_with_registry,
    register_int_gauge_vec_with_registry,
};
use std::{
    collections::HashSet,
    sync::{Mutex, OnceLock},
};

/// Upper bounds of the buckets in seconds: those that the convention recommends, and three lower
/// ones, because most responses take less time than the lowest recommended bound.
const BUCKETS: [f64; 17] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0,
    7.5, 10.0,
];

/// The methods that the convention lists, and its name for all other methods.
const METHODS: [&str; 10] = [
    "GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "_OTHER",
];

/// The statuses whose series an operation keeps in an array.
const STATUSES: [u16; 17] = [
    200, 201, 400, 401, 404, 503, 500, 429, 413, 415, 422, 408, 409, 410, 405, 204, 304,
];

/// The label of requests without a route, so that clients cannot create labels with arbitrary paths.
const UNMATCHED: &str = "unmatched";
/// The status of a request whose client disconnected.
const NO_STATUS: &str = "none";
/// The highest number of keys with series of their own; all further keys are counted together.
const KEYS: usize = 1000;
const OTHER_KEYS: &str = "other";

/// The metric families of requests, and the series that are used most.
pub(crate) struct Requests {
    durations: HistogramVec,
    by_operation: Vec<[OnceLock<Histogram>; STATUSES.len()]>,
    active: [IntGauge; METHODS.len()],
    /// The number of error responses by code.
    errors: Vec<(&'static str, IntCounter)>,
    deprecated: IntCounterVec,
    last_deprecated: IntGaugeVec,
    keys: Mutex<HashSet<Box<str>>>,
}

impl Requests {
    /// Registers the metrics of requests.
    ///
    /// # Errors
    ///
    /// Returns an error if a name or a label is not valid, or is already registered.
    pub(super) fn register(
        registry: &Registry,
        info: &ServiceInfo,
        operations: usize,
        codes: &[&'static str],
    ) -> prometheus::Result<Self> {
        let active = register_int_gauge_vec_with_registry!(
            "http_server_active_requests",
            "HTTP server requests in progress.",
            &["http_request_method"],
            registry
        )?;
        let errors = register_int_counter_vec_with_registry!(
            info.metric("errors_total"),
            "Error responses, by the code in their body.",
            &["code"],
            registry
        )?;
        Ok(Requests {
            durations: register_histogram_vec_with_registry!(
                "http_server_request_duration_seconds",
                "Duration of HTTP server requests.",
                &[
                    "http_request_method",
                    "http_route",
                    "http_response_status_code"
                ],
                BUCKETS.to_vec(),
                registry
            )?,
            by_operation: (0..operations).map(|_| Default::default()).collect(),
            active: METHODS.map(|method| active.with_label_values(&[method])),
            // All series exist from the start, because a rate needs an initial value.
            errors: codes
                .iter()
                .map(|&code| (code, errors.with_label_values(&[code])))
                .collect(),
            deprecated: register_int_counter_vec_with_registry!(
                info.metric("deprecated_calls_total"),
                "Calls of deprecated operations with a valid key, since the start.",
                &["operation", "key_id"],
                registry
            )?,
            // The counter above begins with 1 at the first call. Therefore `increase` misses that
            // call, and all calls of a principal that calls only once after each start.
            last_deprecated: register_int_gauge_vec_with_registry!(
                info.metric("deprecated_last_call_timestamp_seconds"),
                "When a deprecated operation was last called with a valid key since the start, as a Unix timestamp in seconds.",
                &["operation", "key_id"],
                registry
            )?,
            keys: Mutex::default(),
        })
    }

    /// Counts the request as in progress until the returned value is dropped.
    pub(crate) fn begin(&self, method: &Method) -> Active {
        let gauge = self.active[position(method)].clone();
        gauge.inc();
        Active(gauge)
    }

    pub(crate) fn end(&self, ended: &EndedRequest<'_>) {
        self.observe(ended);
        if let Some(code) = ended.code
            && let Some((_, counter)) = self.errors.iter().find(|(known, _)| *known == code)
        {
            counter.inc();
        }
        if let (Some(operation), Some(key_id)) = (ended.operation, ended.key_id)
            && operation.deprecation.is_some()
        {
            let labels = [operation.name, self.label(key_id)];
            self.deprecated.with_label_values(&labels).inc();
            self.last_deprecated
                .with_label_values(&labels)
                .set(Utc::now().timestamp());
        }
    }

    fn observe(&self, ended: &EndedRequest<'_>) {
        let method = METHODS[position(ended.method)];
        let route = ended.route.unwrap_or(UNMATCHED);
        let seconds = ended.took.as_secs_f64();
        let at_hand = ended.operation.and_then(|operation| {
            let status = STATUSES
                .iter()
                .position(|known| Some(*known) == ended.status)?;
            self.by_operation.get(operation.index)?.get(status)
        });
        let series = |status: &str| self.durations.with_label_values(&[method, route, status]);
        match (at_hand, ended.status) {
            (Some(slot), Some(status)) => {
                slot.get_or_init(|| series(&status.to_string()))
                    .observe(seconds);
            }
            (_, Some(status)) => series(&status.to_string()).observe(seconds),
            (_, None) => series(NO_STATUS).observe(seconds),
        }
    }

    /// Returns the label of a principal.
    fn label<'a>(&self, key_id: &'a str) -> &'a str {
        let mut keys = lock(&self.keys);
        if keys.contains(key_id) {
            return key_id;
        }
        if keys.len() == KEYS {
            return OTHER_KEYS;
        }
        keys.insert(key_id.into());
        key_id
    }
}

/// A request in progress. It also ends when the request panics or is dropped.
pub(crate) struct Active(IntGauge);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Returns the index of a method in [`METHODS`].
fn position(method: &Method) -> usize {
    let known = METHODS.iter().position(|known| *known == method.as_str());
    known.unwrap_or(METHODS.len() - 1)
}

#[cfg(test)]
mod tests;
