//! Records the end of each request: writes a line to the access log and updates the metrics.
//! Neither contains the path as it was sent, a credential or a body.

use crate::metrics::Metrics;
use http::Method;
use openapi_dropshot_types::Operation;
use std::time::Duration;

/// A request that is over.
pub(crate) struct EndedRequest<'a> {
    /// The message of the log line: how the request ended.
    pub(crate) message: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) method: &'a Method,
    /// The path template of the route, if one matches the path.
    pub(crate) route: Option<&'static str>,
    pub(crate) operation: Option<&'static Operation>,
    /// The status of the response; `None` if the client disconnected before.
    pub(crate) status: Option<u16>,
    /// The error code, if the response is an error.
    pub(crate) code: Option<&'static str>,
    /// The id of the principal.
    pub(crate) key_id: Option<&'a str>,
    pub(crate) took: Duration,
}

impl EndedRequest<'_> {
    /// Counts the request and logs its line. The target of the line is this module.
    pub(crate) fn record(&self, metrics: Option<&Metrics>) {
        if let Some(metrics) = metrics {
            metrics.requests.end(self);
        }
        tracing::info!(
            // As a field, the text needs no formatting.
            message = self.message,
            request_id = self.request_id,
            method = self.method.as_str(),
            route = self.route,
            operation = self.operation.map(|operation| operation.name),
            status = self.status,
            code = self.code,
            duration_us = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX),
            key_id = self.key_id,
        );
    }
}
