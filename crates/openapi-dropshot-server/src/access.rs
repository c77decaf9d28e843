//! Records the end of each request: writes a line to the access log and updates the metrics.
//! Neither contains the path as it was sent, a credential or a body.

use crate::metrics::{EndedRequest, Metrics};

/// A request that is over.
pub(crate) struct AccessLine<'a> {
    pub(crate) message: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) request: EndedRequest<'a>,
}

impl AccessLine<'_> {
    /// Counts the request and logs its line. The target of the line is this module.
    pub(crate) fn record(&self, metrics: Option<&Metrics>) {
        let request = &self.request;
        if let Some(metrics) = metrics {
            metrics.requests.end(request);
        }
        tracing::info!(
            // As a field, the text needs no formatting.
            message = self.message,
            request_id = self.request_id,
            method = request.method.as_str(),
            route = request.route,
            operation = request.operation.map(|operation| operation.name),
            status = request.status,
            code = request.code,
            duration_us = u64::try_from(request.took.as_micros()).unwrap_or(u64::MAX),
            key_id = request.key_id,
        );
    }
}
