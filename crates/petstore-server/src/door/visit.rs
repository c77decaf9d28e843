//! What the door learns of a request on its way, and what is left of it in the
//! end: a line in the access log, and its share in the metrics. Never the path
//! as it was sent, never a key, never a body.

use super::{rate_limit, route};
use crate::api::{ErrorCode, Operation};
use crate::{
    app::App,
    metrics::{Active, Ended, Metrics},
};
use dropshot::{Body, RequestContext};
use http::{HeaderMap, Method, Response};
use petstore_store::KeyId;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// A request between its coming and its going.
pub(super) struct Visit {
    request_id: String,
    method: Method,
    came: Instant,
    route: Option<&'static str>,
    operation: Option<&'static Operation>,
    key: Option<KeyId>,
    left: Option<rate_limit::Fields>,
    code: Option<ErrorCode>,
    status: Option<u16>,
    metrics: Option<Arc<Metrics>>,
    _active: Option<Active>,
}

impl Visit {
    pub(super) fn begin(rqctx: &RequestContext<App>) -> Self {
        let metrics = rqctx.server.private.metrics.clone();
        let method = rqctx.request.method().clone();
        Visit {
            request_id: rqctx.request_id.clone(),
            came: Instant::now(),
            route: None,
            operation: None,
            key: None,
            left: None,
            code: None,
            status: None,
            _active: metrics
                .as_ref()
                .map(|metrics| metrics.requests.begin(&method)),
            method,
            metrics,
        }
    }

    pub(super) fn asks_for(&mut self, route: &'static str) {
        self.route = Some(route);
    }

    pub(super) fn asks_for_operation(&mut self, operation: &'static Operation) {
        self.route = Some(route::template(operation));
        self.operation = Some(operation);
    }

    pub(super) fn comes_with(&mut self, key: KeyId) {
        self.key = Some(key);
    }

    pub(super) fn key(&self) -> Option<&KeyId> {
        self.key.as_ref()
    }

    /// What the key has left of its allowance.
    pub(super) fn has_left(&mut self, fields: rate_limit::Fields) {
        self.left = Some(fields);
    }

    /// Says so on the answer, where there is a limit.
    pub(super) fn say_what_is_left(&self, headers: &mut HeaderMap) {
        if let Some(left) = &self.left {
            left.put(headers);
        }
    }

    /// The answer is that error.
    pub(super) fn is_refused(&mut self, code: ErrorCode) {
        self.code = Some(code);
    }

    pub(super) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The operation, from when it was found.
    pub(super) fn operation(&self) -> Option<&'static Operation> {
        self.operation
    }

    pub(super) fn end(mut self, answer: &Response<Body>) {
        self.status = Some(answer.status().as_u16());
    }
}

/// Also a visit that nobody waited for leaves its line, and is counted.
impl Drop for Visit {
    fn drop(&mut self) {
        let took = self.came.elapsed();
        if let Some(metrics) = &self.metrics {
            metrics.requests.end(&Ended {
                method: &self.method,
                route: self.route,
                operation: self.operation,
                status: self.status,
                code: self.code,
                key: self.key.as_ref(),
                took,
            });
        }
        // As a field, the text needs no formatting.
        let message = match self.status {
            Some(_) => "answered",
            None => "the client went away",
        };
        tracing::info!(
            target: "petstore_server::access",
            message,
            request_id = self.request_id,
            method = self.method.as_str(),
            route = self.route,
            operation = self.operation.map(|operation| operation.name),
            status = self.status,
            code = self.code.map(ErrorCode::as_str),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            key_id = self.key.as_ref().map(KeyId::as_str),
        );
    }
}

/// A request that dropshot answered by itself: its path cannot be decoded, or
/// nobody registered its method.
pub(crate) struct Unseen<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    /// None where nothing is counted.
    pub(crate) metrics: Option<&'a Metrics>,
}

/// Leaves of it what a visit leaves.
pub(crate) fn answered_without(unseen: &Unseen<'_>) {
    if let Some(metrics) = unseen.metrics {
        metrics.requests.end(&Ended {
            method: unseen.method,
            route: None,
            operation: None,
            status: Some(unseen.status),
            code: None,
            key: None,
            took: unseen.took,
        });
    }
    tracing::info!(
        target: "petstore_server::access",
        request_id = unseen.request_id,
        method = unseen.method.as_str(),
        status = unseen.status,
        duration_us = u64::try_from(unseen.took.as_micros()).unwrap_or(u64::MAX),
        "answered by dropshot",
    );
}
