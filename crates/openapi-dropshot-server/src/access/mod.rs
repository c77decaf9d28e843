//! Records the end of each request: writes a line to the access log and updates the metrics.
//! Neither contains the path as it was sent, a credential or a body.

mod sampling;

pub(crate) use sampling::RejectedLines;

use crate::{logging::UNLOGGED, metrics::Metrics};
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

/// Emits the event of a request; its target depends on whether it gets a line in the log.
macro_rules! event {
    ($request:expr, $($target:tt)*) => {
        tracing::info!(
            $($target)*
            // As a field, the text needs no formatting.
            message = $request.message,
            request_id = $request.request_id,
            method = $request.method.as_str(),
            route = $request.route,
            operation = $request.operation.map(|operation| operation.name),
            status = $request.status,
            code = $request.code,
            duration_us = u64::try_from($request.took.as_micros()).unwrap_or(u64::MAX),
            key_id = $request.key_id,
        )
    };
}

impl EndedRequest<'_> {
    /// Counts the request, and logs its line unless there were too many of its kind. The target
    /// of the line is this module.
    pub(crate) fn record(&self, metrics: Option<&Metrics>, rejected: &RejectedLines) {
        if let Some(metrics) = metrics {
            metrics.requests.end(self);
        }
        if rejected.has_line_for(self.status, self.code) {
            event!(self,);
        } else {
            // No line, but a span for a collector.
            event!(self, target: UNLOGGED,);
        }
    }
}
