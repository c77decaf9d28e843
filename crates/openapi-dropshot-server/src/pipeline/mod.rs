//! The middleware pipeline, which every request and every response passes through ([`handle_request`]). dropshot has no
//! middleware. Therefore the server passes its requests to the pipeline, and the pipeline passes them to dropshot's
//! extractors and the handler.
//!
//! The order of the steps is guaranteed. A client without a key learns nothing about the later steps. A body is read
//! before a permit is taken, so that clients that send their bodies slowly do not block others.

mod admission;
mod authenticate;
mod body;
mod client_address;
mod compression;
mod context;
mod cors;
mod credentials;
mod date;
mod deadline;
mod drain;
mod error_response;
mod json_messages;
mod lifecycle;
mod media_type;
mod operation_limits;
mod pages;
mod rate_limit_fields;
mod record;
mod request_head;
mod requests;
mod route;
mod streams;
mod trace_context;
mod turns;
mod unsent;
mod upload;
mod waits;

pub use context::Context;
pub(crate) use operation_limits::largest_body;
pub(crate) use requests::Cost;
pub use route::RouteError;
pub(crate) use trace_context::span;
pub use waits::Waiting;

use crate::{
    access,
    connections::Activity,
    principals::Caller,
    state::{Incoming, State, TlsInfo},
};
use body::BufferedBody;
use cors::Grant;
use dropshot::{Body, RequestInfo};
use dropshot_request_context::RequestContexts;
use error_response::ErrorResponse;
use futures::FutureExt as _;
use http::{
    HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version,
    header::{CONNECTION, CONTENT_LENGTH, DATE, IF_RANGE, RANGE, USER_AGENT},
    request::Parts,
};
use hyper::body::Body as _;
use openapi_dropshot_types::{
    BodyFault, Condition, Contract, ItemRules, StreamFormat, is_json, json,
};
use record::RequestRecord;
use std::{future::pending, mem, net::SocketAddr, pin::pin, sync::Arc, task::Poll};
use tokio::task::yield_now;
use upload::Upload;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Responds to a request. It never returns an error, because each error becomes a response.
pub(crate) async fn handle_request<C, S>(
    contexts: &Arc<RequestContexts<Context<S>>>,
    (request, cost): (Request<Body>, Cost),
    (peer, tls): (SocketAddr, Option<&TlsInfo>),
    activity: &Activity,
) -> Response<Body>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let context = contexts.context();
    let client = client_address::of(&context.proxies, peer.ip(), request.headers());
    let mut record = RequestRecord::begin(context, request.method(), client);
    let (head, mut body) = request.into_parts();
    let is_drained = drain::is_wanted(&head);
    let (is_head, version) = (head.method == Method::HEAD, head.version);
    let grant = context.cors.as_ref().map(|cors| cors.grant(&head));

    let client = Client {
        peer,
        tls,
        activity,
    };
    let steps = steps::<C, S>(
        contexts,
        client,
        (head, cost),
        &mut body,
        &mut record,
        grant.as_ref(),
    );
    let mut response = deadline::caught(steps).await.unwrap_or_else(|error| {
        let (code, mut response) =
            error.into_response::<C, S>(record.operation, &record.request_id);
        record.code = Some(code);
        if body.is_end_stream() {
            // The body was read completely.
        } else if version != Version::HTTP_2 {
            if is_drained {
                drain::start(body, drain::TIME, ());
            } else {
                // The client waits for `100 Continue`, and it is unknown whether it will send the body.
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
        } else if is_drained {
            // The stream stays open meanwhile, if the budget has room; otherwise it is reset.
            let budget = &context.request_budget;
            if let Some(share) = budget.try_take(&record.key(), requests::REQUEST_BYTES) {
                let time = match record.key() {
                    Some(_) => drain::TIME,
                    None => drain::TIME_OF_STRANGERS,
                };
                drain::start(body, time, share);
            }
        }
        response
    });

    let announcements = &context.announcements;
    announcements.announce(record.operation, response.headers_mut());
    if let Some(quota) = &record.quota {
        rate_limit_fields::put(quota, response.headers_mut());
    }
    if let (Some(cors), Some(grant)) = (&context.cors, grant) {
        grant.put(cors, response.headers_mut());
    }
    if let Ok(id) = HeaderValue::try_from(&record.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let date = date::header(context.clock.now());
    response.headers_mut().insert(DATE, date);
    context.state.after(&record.outgoing(), &mut response);
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        activity.note_websocket(record.registration.take());
    } else if is_head {
        remove_body(&mut response);
    } else {
        let budget = (&context.response_budget, record.key());
        response = unsent::watch(response, version, budget, activity);
    }
    record.status = Some(response.status().as_u16());
    response
}

/// Removes the body but keeps the head of a response (RFC 9110, section 9.3.2).
fn remove_body(response: &mut Response<Body>) {
    if let Some(length) = response.body().size_hint().exact()
        && length > 0
    {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    *response.body_mut() = Body::empty();
}

/// Where a request comes from.
struct Client<'a> {
    peer: SocketAddr,
    tls: Option<&'a TlsInfo>,
    activity: &'a Activity,
}

/// Calls the hook of the service. Meanwhile the request counts as a request without a principal.
async fn before<S: State>(
    context: &Context<S>,
    head: &mut Parts,
    client: &Client<'_>,
    cost: &Cost,
    record: &mut RequestRecord<S>,
) -> Result<Option<Response<Body>>, ErrorResponse> {
    let response = {
        let mut hook = pin!(context.state.before(Incoming {
            head,
            extensions: &mut record.extensions,
            peer: client.peer,
            client: record.client,
            tls: client.tls,
            request_id: &record.request_id,
        }));
        match futures::poll!(hook.as_mut()) {
            Poll::Ready(response) => response,
            Poll::Pending => {
                let _share = cost.take(&context.request_budget, None)?;
                Box::pin(deadline::within(&context.limits, hook)).await?
            }
        }
    };
    if response.is_some() {
        record.path = Some(access::unknown_path(head.uri.path()));
    }
    Ok(response)
}

/// Runs the steps of a request, in this order.
async fn steps<C, S>(
    contexts: &Arc<RequestContexts<Context<S>>>,
    client: Client<'_>,
    (mut head, cost): (Parts, Cost),
    body: &mut Body,
    record: &mut RequestRecord<S>,
    grant: Option<&Grant>,
) -> Result<Response<Body>, ErrorResponse>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let context = contexts.context();

    admission::check(&context.readiness)?;
    request_head::check(&head)?;
    if let (Some(cors), Some(grant)) = (&context.cors, grant)
        && let Some(response) = cors.preflight(&head, grant)
    {
        return Ok(response);
    }
    if let Some(response) = before(context, &mut head, &client, &cost, record).await? {
        let budget = (&context.response_budget, None);
        return unsent::limit(response, head.version, budget, client.activity, false);
    }
    if let Some(page) = context.pages.find(head.uri.path()) {
        record.route = Some(page.path);
        let response = page.respond(&head)?;
        let budget = (&context.response_budget, record.key());
        return match head.method {
            Method::HEAD => Ok(response),
            _ => unsent::limit_shared(response, head.version, budget, client.activity),
        };
    }
    let route = context.routes.find(&head.method, head.uri.path());
    if route.as_ref().is_err_and(ErrorResponse::is_not_found) {
        if let Some((path, response)) = context.pages.redirect(&head) {
            record.route = Some(path);
            return Ok(response);
        }
        record.path = Some(access::unknown_path(head.uri.path()));
    }
    let (operation, endpoint) = route?;
    if head.method == Method::HEAD && operation.method == Method::GET {
        // A part of a response can only be requested with GET (RFC 9110, section 14.2).
        head.headers.remove(RANGE);
        head.headers.remove(IF_RANGE);
    }
    record.operation = Some(operation);
    record.route = Some(context.routes.template(operation));
    lifecycle::check_sunset(operation, context.sunset, context.clock.as_ref())?;
    let security = &operation.security;
    let allowed = &context.allowed[operation.index];
    let mut early_body = None;
    if authenticate::needs_body::<S>(security, &head) {
        body::check_announced(body, &allowed.limits)?;
        let wait = || cost.take(&context.request_budget, None);
        let read = body::read(body, &allowed.limits, &context.body_budget, None, wait);
        early_body = Some(Box::pin(read).await?);
    }
    let content = early_body.as_ref().map(|body| &*body.content);
    let found = (&head, content, &cost);
    let found = authenticate::principal(
        context,
        security,
        found,
        client.activity,
        &record.request_id,
    );
    if let Some(found) = found.await? {
        let caller = Caller::new::<S>(found.principal.clone(), &context.hasher);
        let key_id = S::principal_id(&found.principal);
        let user_agent = match context.usage.counts(operation) {
            true => head.headers.get(USER_AGENT),
            false => None,
        };
        context
            .usage
            .record(&caller, key_id, operation, context.now(), user_agent);
        let (key, rate) = (caller.key, found.permissions.rate);
        record.set_caller(caller);
        record.quota =
            context
                .rate_limiter
                .count(&key, rate, allowed.cost, context.clock.elapsed());
        if let Some(quota) = &record.quota {
            rate_limit_fields::check(quota)?;
        }
        authenticate::check_scope(context, &found, operation)?;
        record.registration = Some(context.principals.register(record.id, found.principal));
    }
    let principal = record.key();
    client.activity.trust(&principal);
    let wait = || cost.take(&context.request_budget, principal);
    let large_head = cost.is_large().then(wait).transpose()?;
    let may_be_absent =
        operation.request_body.is_some() && C::OPTIONAL_BODIES.contains(&operation.name);
    if !may_be_absent {
        media_type::check(operation, &head.headers)?;
    }
    body::check_announced(body, &allowed.limits)?;
    let (limits, budget) = (&allowed.limits, &context.body_budget);
    let waiting_head = &mut head;
    let mut has_waited = false;
    let wait = || {
        has_waited = true;
        requests::copy(waiting_head);
        match large_head {
            Some(_) => Ok(None),
            None => wait().map(Some),
        }
    };
    let is_streamed = C::STREAMED_BODIES.contains(&operation.name);
    let mut arriving = None;
    let body = match early_body {
        Some(body) => body,
        None if is_streamed && !body.is_end_stream() => {
            arriving = Some(mem::replace(body, Body::empty()));
            BufferedBody::empty()
        }
        None => body::read(body, limits, budget, principal, wait).await?,
    };
    if has_waited {
        // While the body arrived, the key may have been revoked or may have lost a scope.
        let (found, id) = ((&head, None, &cost), &record.request_id);
        let again = authenticate::principal(context, security, found, client.activity, id);
        if let Some(found) = Box::pin(again).await? {
            authenticate::check_scope(context, &found, operation)?;
            // The handler gets the current principal. The earlier registration must end first, because its end would
            // remove the new one.
            record.registration = None;
            record.registration = Some(context.principals.register(record.id, found.principal));
        }
    }
    let is_absent = may_be_absent && arriving.is_none() && body.content.is_empty();
    if may_be_absent && !is_absent {
        media_type::check(operation, &head.headers)?;
    }
    let mut turn = None;
    if client.activity.had_large_response() {
        // The next response may also be large.
        let _share = match large_head {
            Some(_) => None,
            None => Some(cost.take(&context.request_budget, principal)?),
        };
        requests::copy(&mut head);
        turn = Some(context.turns.take(&principal).await);
    }
    let own_place = allowed.begin(principal)?;
    // A stream does not count as a running read, even while its handler decides whether to send a stream.
    let is_stream = C::STREAMS.contains(&operation.name);
    let (place, _permit) = if is_stream || arriving.is_some() {
        (Some(streams::place(&context.streams, principal)?), None)
    } else {
        let permit = admission::permit(&context.permits, operation, principal)?;
        (None, Some(permit))
    };
    let mut content = body.content.clone();
    if !is_absent
        && operation.request_body.is_some_and(is_json)
        && let Some(plain) = json::checked("the body", &content, C::INTEGERS_HAVE_FRACTIONS)
            .map_err(|problem| ErrorResponse::new(Condition::InvalidRequest, problem))?
    {
        content = plain.into();
    }
    let gzip = context
        .is_compressing
        .then(|| compression::accepts_gzip(&head.headers));
    let (must_be_sent, version) = (!head.method.is_safe(), head.version);
    // A credential that is only valid for this body or this moment cannot be checked again.
    let is_lasting = !authenticate::needs_body::<S>(security, &head);
    let stream_head = (is_stream && is_lasting).then(|| head.clone());
    let revoked = |head: Option<Parts>, id: &str| match head {
        Some(head) => {
            let (contexts, activity) = (Arc::clone(contexts), client.activity.another());
            let id = id.to_owned();
            authenticate::revoked(contexts, operation, (head, cost), activity, id).boxed()
        }
        None => pending().boxed(),
    };
    let mut upload = None;
    let content = match arriving {
        None => Body::from(content),
        Some(body) => {
            let share = match large_head {
                Some(_) => None,
                None => Some(cost.take(&context.request_budget, principal)?),
            };
            requests::copy(&mut head);
            let revoked = revoked(is_lasting.then(|| head.clone()), &record.request_id);
            let is_drained = drain::is_wanted(&head);
            // Each item is held in memory, like other bodies.
            head.extensions.insert(ItemRules {
                max_bytes: context.limits.body_max_bytes.get(),
                has_fractions: C::INTEGERS_HAVE_FRACTIONS,
            });
            let fault = BodyFault::default();
            head.extensions.insert(fault.clone());
            let (started, body) = Upload::start(body, limits, fault, revoked, is_drained, share);
            upload = Some(started);
            body
        }
    };
    let request = Request::from_parts(head, content);
    let info = RequestInfo::new(&request, client.peer);
    let rqctx = contexts.make(endpoint, record.request_id.clone(), info);
    let handler = C::dispatch(operation, rqctx, request);
    let handler = pin!(handler);
    let waits = || match &upload {
        Some(upload) => Some(upload.deadline()),
        None => context.waits.deadline(record.id),
    };
    let mut handled = pin!(deadline::within_or_wait(
        &allowed.limits,
        handler,
        waits,
        must_be_sent
    ));
    let response = match futures::poll!(handled.as_mut()) {
        Poll::Ready(response) => response?,
        Poll::Pending => {
            turn = None;
            handled.await?
        }
    };
    if let Some(upload) = &upload {
        upload.check(response.as_ref().ok().map(Response::status))?;
    }
    let response = response.map_err(json_messages::in_json_terms::<C>)?;
    let size = response.body().size_hint().lower();
    let is_slow = size >= turns::LARGE || gzip == Some(true) && size >= turns::LARGE_TO_COMPRESS;
    if is_slow {
        client.activity.note_large_response();
    }
    if turn.is_none() && gzip == Some(true) && size >= turns::LARGE {
        turn = Some(context.turns.take(&principal).await);
    }
    if let Some(&format) = response.extensions().get::<StreamFormat>() {
        let serving = streams::Serving {
            limits: &context.limits,
            budget: &context.response_budget,
            principal,
            readiness: &context.readiness,
            activity: client.activity,
            version,
        };
        let revoked = revoked(stream_head, &record.request_id);
        // The principal stays registered as long as the stream runs.
        let kept = (place, own_place, record.registration.take());
        return Ok(streams::open(response, format, &serving, revoked, kept));
    }
    let response = match gzip {
        Some(is_accepted) => compression::apply(response, is_accepted),
        None => response,
    };
    if turn.is_some() || is_slow {
        // All connections that are ready run first. The turn ends only after that: the expensive part takes place in one
        // poll, so that otherwise all connections that are ready would do it one after the other.
        yield_now().await;
    }
    drop(turn);
    let budget = (&context.response_budget, principal);
    unsent::limit(response, version, budget, client.activity, must_be_sent)
}
