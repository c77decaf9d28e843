//! Collects the facts about a request on its way through the pipeline. When the record is
//! dropped, the request is written to the access log and counted in the metrics.

use super::{context::Context, rate_limit_fields};
use crate::{
    access::AccessLine,
    metrics::{Active, EndedRequest, Metrics},
    state::State,
};
use dropshot::{Body, RequestContext};
use http::{HeaderMap, Method, Response};
use openapi_dropshot_types::Operation;
use std::{sync::Arc, time::Instant};

/// The record of one request.
pub(super) struct RequestRecord<S: State> {
    request_id: String,
    method: Method,
    started: Instant,
    route: Option<&'static str>,
    operation: Option<&'static Operation>,
    principal: Option<S::Principal>,
    rate_limit: Option<rate_limit_fields::Fields>,
    code: Option<&'static str>,
    status: Option<u16>,
    metrics: Option<Arc<Metrics>>,
    _active: Option<Active>,
}

impl<S: State> RequestRecord<S> {
    pub(super) fn begin(rqctx: &RequestContext<Context<S>>) -> Self {
        let metrics = rqctx.server.private.metrics.clone();
        let method = rqctx.request.method().clone();
        RequestRecord {
            request_id: rqctx.request_id.clone(),
            started: Instant::now(),
            route: None,
            operation: None,
            principal: None,
            rate_limit: None,
            code: None,
            status: None,
            _active: metrics
                .as_ref()
                .map(|metrics| metrics.requests.begin(&method)),
            method,
            metrics,
        }
    }

    pub(super) fn set_route(&mut self, route: &'static str) {
        self.route = Some(route);
    }

    pub(super) fn set_operation(&mut self, operation: &'static Operation, route: &'static str) {
        self.route = Some(route);
        self.operation = Some(operation);
    }

    pub(super) fn set_principal(&mut self, principal: S::Principal) {
        self.principal = Some(principal);
    }

    pub(super) fn principal(&self) -> Option<S::Principal> {
        self.principal
    }

    /// The fields that report the rate limit of the principal.
    pub(super) fn set_rate_limit(&mut self, fields: rate_limit_fields::Fields) {
        self.rate_limit = Some(fields);
    }

    /// Adds the fields of the rate limit to the response, where there is one.
    pub(super) fn put_rate_limit(&self, headers: &mut HeaderMap) {
        if let Some(fields) = &self.rate_limit {
            fields.put(headers);
        }
    }

    /// The response is that error.
    pub(super) fn set_code(&mut self, code: &'static str) {
        self.code = Some(code);
    }

    pub(super) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The operation, from when it was found.
    pub(super) fn operation(&self) -> Option<&'static Operation> {
        self.operation
    }

    pub(super) fn end(mut self, response: &Response<Body>) {
        self.status = Some(response.status().as_u16());
    }
}

/// Also a request whose client went away is logged and counted.
impl<S: State> Drop for RequestRecord<S> {
    fn drop(&mut self) {
        AccessLine {
            message: match self.status {
                Some(_) => "answered",
                None => "the client went away",
            },
            request_id: &self.request_id,
            request: EndedRequest {
                method: &self.method,
                route: self.route,
                operation: self.operation,
                status: self.status,
                code: self.code,
                key_id: self.principal.as_ref().map(S::principal_id),
                took: self.started.elapsed(),
            },
        }
        .record(self.metrics.as_deref());
    }
}
