//! What the door learns of a request on its way, and the line that it leaves in
//! the access log: never the path as it was sent, never a key, never a body.

use crate::app::App;
use dropshot::{Body, RequestContext};
use http::{Method, Response};
use petstore_api::Operation;
use petstore_store::KeyId;
use std::time::Instant;

/// A request between its coming and its going.
pub(super) struct Visit {
    request_id: String,
    method: Method,
    came: Instant,
    route: Option<&'static str>,
    operation: Option<&'static Operation>,
    key: Option<KeyId>,
    status: Option<u16>,
}

impl Visit {
    pub(super) fn begin(rqctx: &RequestContext<App>) -> Self {
        Visit {
            request_id: rqctx.request_id.clone(),
            method: rqctx.request.method().clone(),
            came: Instant::now(),
            route: None,
            operation: None,
            key: None,
            status: None,
        }
    }

    pub(super) fn asks_for(&mut self, route: &'static str) {
        self.route = Some(route);
    }

    pub(super) fn asks_for_operation(&mut self, operation: &'static Operation) {
        self.route = Some(operation.path);
        self.operation = Some(operation);
    }

    pub(super) fn comes_with(&mut self, key: KeyId) {
        self.key = Some(key);
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

/// Also a visit that nobody waited for leaves its line.
impl Drop for Visit {
    fn drop(&mut self) {
        tracing::info!(
            target: "petstore_server::access",
            request_id = self.request_id,
            method = self.method.as_str(),
            route = self.route.unwrap_or("-"),
            operation = self.operation.map_or("-", |operation| operation.name),
            status = self.status.unwrap_or(0),
            duration_us = u64::try_from(self.came.elapsed().as_micros()).unwrap_or(u64::MAX),
            key = self.key.as_ref().map_or("-", KeyId::as_str),
            "{}",
            if self.status.is_some() { "answered" } else { "the client went away" },
        );
    }
}
