//! Collects data about a request while it goes through the pipeline. When the record is dropped,
//! the request is written to the access log and counted in the metrics.

use super::context::Context;
use crate::{
    access::RejectedLines,
    ended_request::EndedRequest,
    metrics::{Active, Metrics},
    principals::{Caller, PrincipalKey, Registration},
    rate_limit::Quota,
    state::{Outgoing, State},
};
use http::{Extensions, Method};
use openapi_dropshot_types::Operation;
use std::{net::IpAddr, sync::Arc, time::Instant};
use uuid::Uuid;

/// The record of a request. Each field is set as soon as its value is known.
pub(super) struct RequestRecord<S: State> {
    pub(super) id: Uuid,
    /// The id as text.
    pub(super) request_id: String,
    method: Method,
    started: Instant,
    /// The path template of the route, if one matches the path.
    pub(super) route: Option<&'static str>,
    pub(super) operation: Option<&'static Operation>,
    /// The path that does not exist, for the log.
    pub(super) path: Option<String>,
    pub(super) client: IpAddr,
    /// The values that the hook of the service stored for the request.
    pub(super) extensions: Extensions,
    caller: Option<Caller<S::Principal>>,
    /// Keeps the principal registered, so that the handler can find it.
    pub(super) registration: Option<Registration<S::Principal>>,
    /// The remaining rate limit of the principal.
    pub(super) quota: Option<Quota>,
    /// The code of the error, if the response is an error.
    pub(super) code: Option<&'static str>,
    /// The status of the response; `None` if the client disconnected before the response.
    pub(super) status: Option<u16>,
    metrics: Option<Arc<Metrics>>,
    rejected: Arc<RejectedLines>,
    _active: Option<Active>,
}

impl<S: State> RequestRecord<S> {
    pub(super) fn begin(context: &Context<S>, method: &Method, client: IpAddr) -> Self {
        let metrics = context.metrics.clone();
        let method = method.clone();
        let active = metrics
            .as_ref()
            .map(|metrics| metrics.requests.begin(&method));
        let id = Uuid::new_v4();
        RequestRecord {
            id,
            // This avoids the cost of `fmt`.
            request_id: id
                .hyphenated()
                .encode_lower(&mut Uuid::encode_buffer())
                .to_owned(),
            method,
            started: Instant::now(),
            route: None,
            operation: None,
            path: None,
            client,
            extensions: Extensions::new(),
            caller: None,
            registration: None,
            quota: None,
            code: None,
            status: None,
            metrics,
            rejected: context.rejected.clone(),
            _active: active,
        }
    }

    pub(super) fn set_caller(&mut self, caller: Caller<S::Principal>) {
        self.caller = Some(caller);
    }

    /// Returns the request in the form that the hook of the service gets.
    pub(super) fn outgoing(&self) -> Outgoing<'_, S::Principal> {
        Outgoing {
            method: &self.method,
            operation: self.operation,
            principal: self.caller.as_ref().map(|caller| &caller.principal),
            extensions: &self.extensions,
            client: self.client,
            request_id: &self.request_id,
        }
    }

    /// Returns the key of the principal in budgets, once it is known.
    pub(super) fn key(&self) -> Option<PrincipalKey> {
        self.caller.as_ref().map(|caller| caller.key)
    }
}

/// A request whose client disconnected is also logged and counted.
impl<S: State> Drop for RequestRecord<S> {
    fn drop(&mut self) {
        EndedRequest {
            message: match self.status {
                Some(_) => "request completed",
                None => "the client disconnected",
            },
            request_id: &self.request_id,
            method: &self.method,
            route: self.route,
            operation: self.operation,
            path: self.path.as_deref(),
            client: Some(self.client),
            status: self.status,
            code: self.code,
            key_id: self
                .caller
                .as_ref()
                .map(|caller| S::principal_id(&caller.principal)),
            took: self.started.elapsed(),
        }
        .record(self.metrics.as_deref(), &self.rejected);
    }
}
