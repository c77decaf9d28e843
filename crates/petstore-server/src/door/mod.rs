//! The one door: every request enters here and every answer leaves from here.
//! dropshot has no middleware, so the running server has a single catch-all
//! route a method, and the API's own routes are a table that the door looks
//! into. What a handler does behind the door is left to `service/`.
//!
//! The order is part of the contract: who has no key learns nothing of the
//! rest, and a body is read before a permit is taken, so that clients that
//! drip their bodies do not shut out the others.

mod admission;
mod answer;
mod authenticate;
mod body;
mod cors;
mod deadline;
mod json;
mod lifecycle;
mod linger;
mod media_type;
mod panic;
mod permit;
mod public;
mod rate_limit;
mod register;
mod route;
mod sunset;
mod trace;
mod visit;
mod wording;

pub(crate) use cors::Cors;
pub(crate) use register::description;
pub(crate) use route::Routes;
pub(crate) use visit::{Unseen, answered_without};

use crate::{
    api::{Generated, Refusal},
    app::App,
    service::{Service, called_by},
};
use answer::Rejection;
use cors::Grant;
use dropshot::{Body, RequestContext};
use http::{Request, Response, request::Parts};
use openapi_dropshot_types::Contract as _;
use visit::Visit;

/// Answers a request. There is no error: whatever goes wrong is an answer.
async fn enter(rqctx: RequestContext<App>, request: Request<Body>) -> Response<Body> {
    let mut visit = Visit::begin(&rqctx);
    let (head, mut body) = request.into_parts();
    let linger = linger::Manners::of(&head);
    let app = rqctx.server.clone();
    let grant = app.private.cors.as_ref().map(|cors| cors.grant(&head));

    let passed = panic::caught(pass(rqctx, head, &mut body, &mut visit, grant.as_ref())).await;
    let mut answer = passed.unwrap_or_else(|rejection| {
        linger.read_on(body);
        visit.is_refused(rejection.refusal.code);
        rejection.into_answer(visit.request_id())
    });

    lifecycle::announce(visit.operation(), answer.headers_mut());
    visit.say_what_is_left(answer.headers_mut());
    if let Some(grant) = grant {
        grant.put(answer.headers_mut());
    }
    visit.end(&answer);
    answer
}

/// What a request meets on its way, in this order. dropshot gave it an id
/// before, and sets `x-request-id` after.
async fn pass(
    mut rqctx: RequestContext<App>,
    head: Parts,
    body: &mut Body,
    visit: &mut Visit,
    grant: Option<&Grant>,
) -> Result<Response<Body>, Rejection> {
    let server = rqctx.server.clone();
    let app = &server.private;

    admission::check(&app.readiness)?;
    if let (Some(cors), Some(grant)) = (&app.cors, grant)
        && let Some(answer) = cors.preflight(&head, grant)
    {
        return Ok(answer);
    }
    if let Some(page) = public::find(head.uri.path()) {
        visit.asks_for(page.path);
        return page.answer(&head, app);
    }
    let (operation, endpoint) = app.routes.find(&head.method, head.uri.path())?;
    visit.asks_for_operation(operation);
    sunset::check(operation, app.sunset, app.clock.as_ref())?;
    if operation.security.is_some() {
        let key = authenticate::key(&head.headers)?;
        let key = authenticate::look_up(app, &key, visit.request_id()).await?;
        app.ledger.record(&key, operation, app.clock.now());
        let counted = rate_limit::count(app, &key);
        visit.comes_with(key);
        if let Some((quota, fields)) = counted {
            visit.has_left(fields);
            rate_limit::check(&quota)?;
        }
    }
    media_type::check(operation, &head.headers)?;
    body::check_announced(body, &app.limits)?;
    let body = body::read(body, &app.limits, &app.body_budget).await?;
    let _permit = permit::take(&app.permits)?;
    if operation.request_body.is_some() {
        json::check(&body.content)?;
    }
    rqctx.endpoint = endpoint;
    let request = Request::from_parts(head, Body::from(body.content.clone()));
    let handler = Generated::<Service>::dispatch(operation, rqctx, request);
    let handler = called_by(visit.key().cloned(), handler);
    let answer = deadline::within(&app.limits, handler).await?;
    Ok(answer.map_err(|rejection| wording::plain(Refusal::from(rejection)))?)
}
