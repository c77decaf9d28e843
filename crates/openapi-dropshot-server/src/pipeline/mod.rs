//! The middleware pipeline, through which every request and every response passes
//! ([`handle_request`]). dropshot has no middleware. Therefore the running server registers one
//! catch-all route for each method, and the pipeline looks up the API's own routes in a table.
//!
//! The order of the steps is a promise: a client without a key learns nothing of the
//! rest, and a body is read before a permit is taken, so that clients that
//! send their bodies slowly do not shut out the others.

mod admission;
mod authenticate;
mod body;
mod context;
mod cors;
mod deadline;
mod drain;
mod error_response;
mod json;
mod json_messages;
mod lifecycle;
mod media_type;
mod pages;
mod rate_limit_fields;
mod record;
mod register;
mod route;
mod trace_context;

pub use context::Context;
pub(crate) use register::description;
pub use route::RouteError;

use crate::state::State;
use cors::Grant;
use dropshot::{Body, RequestContext};
use error_response::ErrorResponse;
use http::{Request, Response, request::Parts};
use openapi_dropshot_types::Contract;
use record::RequestRecord;

/// Responds to a request. There is no error: each becomes a response.
async fn handle_request<C, S>(
    rqctx: RequestContext<Context<S>>,
    request: Request<Body>,
) -> Response<Body>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let mut record = RequestRecord::begin(&rqctx);
    let (head, mut body) = request.into_parts();
    let is_drained = drain::is_wanted(&head);
    let server = rqctx.server.clone();
    let grant = server.private.cors.as_ref().map(|cors| cors.grant(&head));

    let steps = steps::<C, S>(rqctx, head, &mut body, &mut record, grant.as_ref());
    let mut response = deadline::caught(steps).await.unwrap_or_else(|error| {
        if is_drained {
            drain::start(body);
        }
        let (code, response) = error.into_response::<C>(&record.request_id);
        record.code = Some(code);
        response
    });

    lifecycle::announce(record.operation, response.headers_mut());
    if let Some(quota) = &record.quota {
        rate_limit_fields::put(quota, response.headers_mut());
    }
    if let Some(grant) = grant {
        grant.put(response.headers_mut());
    }
    record.status = Some(response.status().as_u16());
    response
}

/// The steps that a request passes, in this order. dropshot gave it an id
/// before, and sets `x-request-id` after.
async fn steps<C, S>(
    mut rqctx: RequestContext<Context<S>>,
    head: Parts,
    body: &mut Body,
    record: &mut RequestRecord<S>,
    grant: Option<&Grant>,
) -> Result<Response<Body>, ErrorResponse>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let server = rqctx.server.clone();
    let context = &server.private;

    admission::check(&context.readiness)?;
    if let (Some(cors), Some(grant)) = (&context.cors, grant)
        && let Some(response) = cors.preflight(&head, grant)
    {
        return Ok(response);
    }
    if let Some(page) = context.pages.find(head.uri.path()) {
        record.route = Some(page.path);
        return page.respond(&head);
    }
    let (operation, endpoint) = context.routes.find(&head.method, head.uri.path())?;
    record.operation = Some(operation);
    record.route = Some(context.routes.template(operation));
    lifecycle::check_sunset(operation, context.sunset, context.clock.as_ref())?;
    if operation.security.is_some() {
        let (principal, permissions) =
            authenticate::principal(context, &head.headers, &record.request_id).await?;
        let key_id = S::principal_id(&principal);
        context
            .usage
            .record(principal, key_id, operation, context.now());
        record.principal = Some(principal);
        let now = context.clock.elapsed();
        record.quota = context
            .rate_limiter
            .count(&principal, permissions.rate, now);
        if let Some(quota) = &record.quota {
            rate_limit_fields::check(quota)?;
        }
        authenticate::check_scope(context, &permissions, operation)?;
    }
    media_type::check(operation, &head.headers)?;
    body::check_announced(body, &context.limits)?;
    let body = body::read(body, &context.limits, &context.body_budget).await?;
    let _permit = admission::permit(&context.permits)?;
    if operation.request_body.is_some() {
        json::check(&body.content)?;
    }
    rqctx.endpoint = endpoint;
    let request = Request::from_parts(head, Body::from(body.content.clone()));
    let handler = C::dispatch(operation, rqctx, request);
    let handler = S::run_as(record.principal, handler);
    let response = deadline::within(&context.limits, handler).await?;
    Ok(response.map_err(json_messages::in_json_terms::<C>)?)
}
