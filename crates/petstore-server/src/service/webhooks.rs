//! Creates, changes, verifies and tests the webhooks of an API key, and lists their deliveries.

use super::{
    RequestContext,
    cursor::{DeliveryFilter, Position},
    failed, store,
};
use crate::{
    event::time,
    state::Caller,
    webhooks::{self, Webhooks},
};
use chrono::SubsecRound as _;
use dropshot::{
    HttpResponseAccepted, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders,
    HttpResponseOk,
};
use futures::{StreamExt as _, stream};
use openapi_dropshot_server::StateFailure;
use petstore_api::{
    CreateWebhookError, DeleteWebhookError, GetWebhookError, ListWebhookDeliveriesError,
    ListWebhooksError, RedeliverWebhookError, RotateWebhookSecretError, TestWebhookError,
    UpdateWebhookError, VerifyWebhookError,
};
use petstore_models::{
    self as models, CreatedWebhook, DateTime, DeliveryStatus, DeliveryTry,
    ListWebhookDeliveriesOkHeaders, ListWebhookDeliveriesQuery, NewWebhook, Redelivery,
    RedeliveryResult, Violation, Webhook, WebhookDeliveries, WebhookDelivery, WebhookId,
    WebhookSecret, WebhookStatus, WebhookUpdate, WebhookUpdateStatus,
};
use petstore_store::{
    Delivery, DeliveryPage, DeliveryQuery, Endpoint, EndpointChange, EndpointId, EventPage,
    EventQuery, EventsAfter, Missed, NewEndpoint, REDELIVERED_AT_ONCE, Redeliver,
};
use serde_json::json;
use std::fmt::Display;

/// The most webhooks that an API key can have.
const MOST: usize = 20;
/// The number of deliveries that the store adds at a time, in one transaction if it can.
const ADDED_TOGETHER: usize = 50;

/// Why an operation on webhooks is rejected.
enum Rejected {
    NotOffered,
    Unknown(String),
}

macro_rules! from_rejected {
    ($($error:ident),+) => {$(
        impl From<Rejected> for $error {
            fn from(reason: Rejected) -> Self {
                match reason {
                    Rejected::NotOffered => $error::NotFound("this service does not send webhooks; ask its owner to set `--webhook-key-file`".into()),
                    Rejected::Unknown(id) => $error::NotFound(format!("this API key has no webhook with the id `{id}`").into()),
                }
            }
        }
    )+};
}

from_rejected!(
    CreateWebhookError,
    DeleteWebhookError,
    GetWebhookError,
    ListWebhookDeliveriesError,
    ListWebhooksError,
    RedeliverWebhookError,
    RotateWebhookSecretError,
    TestWebhookError,
    UpdateWebhookError,
    VerifyWebhookError
);

/// Returns the sender of webhooks and the API key of the request, if the service sends webhooks.
fn allowed(rqctx: &RequestContext) -> Result<(&Webhooks, Caller), Rejected> {
    let context = rqctx.context();
    let webhooks = context.state().webhooks().ok_or(Rejected::NotOffered)?;
    // Every operation requires a key.
    let caller = context.principal(rqctx).ok_or(Rejected::NotOffered)?;
    Ok((webhooks, caller))
}

fn unknown(id: impl Display) -> Rejected {
    Rejected::Unknown(id.to_string())
}

/// Reads an endpoint of the API key.
async fn endpoint<E>(rqctx: &RequestContext, caller: &Caller, id: &WebhookId) -> Result<Endpoint, E>
where
    E: StateFailure + From<Rejected>,
{
    let known = id
        .as_str()
        .parse::<EndpointId>()
        .map_err(|_| unknown(id.as_str()))?;
    let found = store(rqctx).endpoint(caller.id(), known).await;
    Ok(found
        .map_err(failed::<E>(rqctx))?
        .ok_or_else(|| unknown(id.as_str()))?)
}

/// Changes an endpoint of the API key.
async fn change<E>(
    rqctx: &RequestContext,
    caller: &Caller,
    id: EndpointId,
    change: EndpointChange,
) -> Result<Endpoint, E>
where
    E: StateFailure + From<Rejected>,
{
    let now = rqctx.context().now();
    let changed = store(rqctx)
        .change_endpoint(caller.id(), id, change, now)
        .await;
    Ok(changed
        .map_err(failed::<E>(rqctx))?
        .ok_or_else(|| unknown(id))?)
}

/// Reports a value in the store that the document does not allow.
fn unsent<E: StateFailure>(rqctx: &RequestContext) -> impl FnOnce(Violation) -> E {
    |problem| {
        let request_id = &rqctx.request_id;
        tracing::error!(
            request_id,
            "a webhook of the store cannot be sent: {problem}"
        );
        E::internal_error("a webhook of the store cannot be sent".into())
    }
}

/// Converts an endpoint to the type of the contract.
fn webhook(endpoint: Endpoint) -> Result<Webhook, Violation> {
    let Endpoint {
        id,
        url,
        types,
        description,
        status,
        reason,
        created_at,
        updated_at,
        failing_since,
        missed,
        ..
    } = endpoint;
    Ok(Webhook {
        url: url.try_into()?,
        types: (!types.is_empty()).then(|| types.try_into()).transpose()?,
        description: description.map(TryInto::try_into).transpose()?,
        id: id.to_string(),
        status,
        disabled_reason: reason.map(|reason| reason.as_str().to_owned()),
        created_at: time(created_at)?,
        updated_at: time(updated_at)?,
        failing_since: failing_since.map(time).transpose()?,
        missed_since: missed.map(|missed| time(missed.since)).transpose()?,
    })
}

fn delivery(stored: Delivery) -> Result<WebhookDelivery, Violation> {
    let Delivery {
        id,
        message_id,
        kind,
        status,
        tries,
        created_at,
        due_at,
        last,
        ..
    } = stored;
    let is_waiting = status == DeliveryStatus::Waiting && tries > 0;
    Ok(WebhookDelivery {
        id,
        message_id,
        type_: kind,
        status,
        tries: tries.try_into().unwrap_or(i32::MAX),
        created_at: time(created_at)?,
        next_try_at: is_waiting.then(|| time(due_at)).transpose()?,
        last_try: last
            .map(|last| {
                Ok(DeliveryTry {
                    at: time(last.at)?,
                    milliseconds: last.millis.into(),
                    failure: last.failure,
                    http_status: last.status.map(Into::into),
                })
            })
            .transpose()?,
    })
}

pub(super) async fn list(
    rqctx: &RequestContext,
) -> Result<HttpResponseOk<models::Webhooks>, ListWebhooksError> {
    let (_, caller) = allowed(rqctx)?;
    let found = store(rqctx).list_endpoints(Some(caller.id())).await;
    let found = found.map_err(failed::<ListWebhooksError>(rqctx))?;
    let found = found.into_iter().map(webhook).collect::<Result<_, _>>();
    found
        .map(|found| HttpResponseOk(models::Webhooks(found)))
        .map_err(unsent(rqctx))
}

pub(super) async fn create(
    rqctx: &RequestContext,
    new: NewWebhook,
) -> Result<HttpResponseCreated<CreatedWebhook>, CreateWebhookError> {
    let (webhooks, caller) = allowed(rqctx)?;
    let NewWebhook {
        url,
        types,
        description,
    } = new;
    let url = webhooks.rules().check_url(url.as_str());
    let url =
        url.map_err(|error| CreateWebhookError::InvalidRequest(format!("`url`: {error}").into()))?;
    let id = EndpointId::from_random(rand::random());
    let endpoint = NewEndpoint {
        id,
        key: caller.id(),
        url: url.into(),
        types: types.map(Vec::from).unwrap_or_default(),
        description: description.map(String::from),
        master_id: webhooks.master_id(),
        at: rqctx.context().now(),
    };
    let created = store(rqctx).create_endpoint(endpoint, MOST).await;
    let created = created
        .map_err(failed::<CreateWebhookError>(rqctx))?
        .ok_or_else(|| {
            CreateWebhookError::WebhookLimit(
                format!(
                    "this API key already has {MOST} webhooks; delete one that is no longer used"
                )
                .into(),
            )
        })?;
    let secret = webhooks.secret(id.as_str(), created.generation).reveal();
    let Webhook {
        url,
        types,
        description,
        id,
        status,
        disabled_reason,
        created_at,
        updated_at,
        failing_since,
        missed_since,
    } = webhook(created).map_err(unsent::<CreateWebhookError>(rqctx))?;
    Ok(HttpResponseCreated(CreatedWebhook {
        url,
        types,
        description,
        id,
        status,
        disabled_reason,
        created_at,
        updated_at,
        failing_since,
        missed_since,
        secret,
    }))
}

pub(super) async fn get(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<Webhook>, GetWebhookError> {
    let (_, caller) = allowed(rqctx)?;
    let found = endpoint::<GetWebhookError>(rqctx, &caller, &id).await?;
    webhook(found).map(HttpResponseOk).map_err(unsent(rqctx))
}

pub(super) async fn update(
    rqctx: &RequestContext,
    id: WebhookId,
    update: WebhookUpdate,
) -> Result<HttpResponseOk<Webhook>, UpdateWebhookError> {
    let (webhooks, caller) = allowed(rqctx)?;
    let WebhookUpdate {
        url,
        types,
        description,
        status,
    } = update;
    let mut found = endpoint::<UpdateWebhookError>(rqctx, &caller, &id).await?;
    let url = url
        .map(|url| webhooks.rules().check_url(url.as_str()))
        .transpose();
    let url =
        url.map_err(|error| UpdateWebhookError::InvalidRequest(format!("`url`: {error}").into()))?;
    let url = url.map(String::from).filter(|url| *url != found.url);
    let is_verified = url.is_none() && found.status != WebhookStatus::Pending;
    if status.is_some() && !is_verified {
        return Err(UpdateWebhookError::WebhookNotVerified(
            "the webhook is pending, so nothing is sent to it; call `verifyWebhook` first".into(),
        ));
    }
    let (id, types, description) = (
        found.id,
        types.map(Vec::from),
        description.map(String::from),
    );
    if url.is_some() || types.is_some() || description.is_some() {
        let update = EndpointChange::Update {
            url,
            types,
            description: description.map(Some),
        };
        found = change::<UpdateWebhookError>(rqctx, &caller, id, update).await?;
    }
    let status = match status {
        Some(WebhookUpdateStatus::Enabled) => Some(EndpointChange::Enable {
            url: found.url.clone(),
            seen: found.updated_at,
        }),
        Some(WebhookUpdateStatus::Disabled) => Some(EndpointChange::Disable),
        None => None,
    };
    if let Some(status) = status {
        found = change::<UpdateWebhookError>(rqctx, &caller, id, status).await?;
    }
    webhook(found).map(HttpResponseOk).map_err(unsent(rqctx))
}

pub(super) async fn delete(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseDeleted, DeleteWebhookError> {
    let (_, caller) = allowed(rqctx)?;
    let known = id
        .as_str()
        .parse::<EndpointId>()
        .map_err(|_| unknown(id.as_str()))?;
    let deleted = store(rqctx).delete_endpoint(caller.id(), known).await;
    match deleted.map_err(failed::<DeleteWebhookError>(rqctx))? {
        true => Ok(HttpResponseDeleted()),
        false => Err(unknown(known).into()),
    }
}

pub(super) async fn verify(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<Webhook>, VerifyWebhookError> {
    let (webhooks, caller) = allowed(rqctx)?;
    let found = endpoint::<VerifyWebhookError>(rqctx, &caller, &id).await?;
    let not_returned = |why| {
        VerifyWebhookError::VerificationFailed(
            format!("the receiver did not return the challenge: {why}").into(),
        )
    };
    webhooks
        .challenge(&found, rqctx.context().now())
        .await
        .map_err(not_returned)?;
    // Another request may have changed the webhook meanwhile: its URL, or its status.
    let enable = EndpointChange::Enable {
        url: found.url,
        seen: found.updated_at,
    };
    let enabled = change::<VerifyWebhookError>(rqctx, &caller, found.id, enable).await?;
    match enabled.status {
        WebhookStatus::Enabled => webhook(enabled).map(HttpResponseOk).map_err(unsent(rqctx)),
        _ => Err(not_returned("the webhook was changed meanwhile".to_owned())),
    }
}

pub(super) async fn rotate(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<WebhookSecret>, RotateWebhookSecretError> {
    let (webhooks, caller) = allowed(rqctx)?;
    let found = endpoint::<RotateWebhookSecretError>(rqctx, &caller, &id).await?;
    let previous_until = rqctx.context().now().trunc_subsecs(6) + webhooks::OVERLAP;
    let rotate = EndpointChange::Rotate {
        previous_until: Some(previous_until),
        master_id: webhooks.master_id(),
    };
    let changed = change::<RotateWebhookSecretError>(rqctx, &caller, found.id, rotate).await?;
    let secret = webhooks
        .secret(changed.id.as_str(), changed.generation)
        .reveal();
    let previous_until = time(previous_until).map_err(unsent::<RotateWebhookSecretError>(rqctx))?;
    Ok(HttpResponseOk(WebhookSecret {
        secret,
        previous_until,
    }))
}

/// The message of the error for an endpoint that is not enabled.
fn not_enabled(status: WebhookStatus) -> &'static str {
    match status {
        WebhookStatus::Pending => "the webhook is pending; call `verifyWebhook` first",
        _ => "the webhook is disabled; enable it first",
    }
}

pub(super) async fn test(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseAccepted<WebhookDelivery>, TestWebhookError> {
    let (_, caller) = allowed(rqctx)?;
    let found = endpoint::<TestWebhookError>(rqctx, &caller, &id).await?;
    if found.status != WebhookStatus::Enabled {
        return Err(TestWebhookError::WebhookNotEnabled(
            not_enabled(found.status).into(),
        ));
    }
    let context = rqctx.context();
    // As the store keeps it.
    let now = context.now().trunc_subsecs(6);
    let at = time(now).map_err(unsent::<TestWebhookError>(rqctx))?;
    let message = webhooks::notice(webhooks::TEST, &at, &json!({}));
    let message_id = message.id.clone();
    let added = store(rqctx).add_delivery(found.id, message, now).await;
    let added = added.map_err(failed::<TestWebhookError>(rqctx))?;
    let id = added.ok_or_else(|| unknown(found.id))?;
    context.state().announce();
    Ok(HttpResponseAccepted(WebhookDelivery {
        id,
        message_id,
        type_: webhooks::TEST.to_owned(),
        status: DeliveryStatus::Waiting,
        tries: 0,
        created_at: at,
        next_try_at: None,
        last_try: None,
    }))
}

type DeliveriesResponse =
    HttpResponseHeaders<HttpResponseOk<WebhookDeliveries>, ListWebhookDeliveriesOkHeaders>;

pub(super) async fn deliveries(
    rqctx: &RequestContext,
    id: WebhookId,
    query: ListWebhookDeliveriesQuery,
) -> Result<DeliveriesResponse, ListWebhookDeliveriesError> {
    let (_, caller) = allowed(rqctx)?;
    let ListWebhookDeliveriesQuery {
        status,
        limit,
        cursor,
    } = query;
    let found = endpoint::<ListWebhookDeliveriesError>(rqctx, &caller, &id).await?;
    let (filter, limit) = (DeliveryFilter(status), limit.get());
    let before = cursor
        .map(|cursor| Position::read(cursor.as_str(), filter))
        .transpose();
    let before = before.map_err(|error| {
        ListWebhookDeliveriesError::InvalidRequest(format!("`cursor` {error}").into())
    })?;
    let query = DeliveryQuery {
        endpoint: found.id,
        before,
        status,
        limit: usize::try_from(limit).expect("a limit is at least 1 and at most 100"),
    };
    let page = store(rqctx).list_deliveries(query).await;
    let DeliveryPage { deliveries, more } =
        page.map_err(failed::<ListWebhookDeliveriesError>(rqctx))?;
    let link = deliveries.last().filter(|_| more).map(|last| {
        Position {
            last: last.id,
            filter,
        }
        .next_link(limit)
    });
    let deliveries = deliveries
        .into_iter()
        .map(delivery)
        .collect::<Result<_, _>>();
    let deliveries = deliveries.map_err(unsent::<ListWebhookDeliveriesError>(rqctx))?;
    Ok(HttpResponseHeaders::new(
        HttpResponseOk(WebhookDeliveries(deliveries)),
        ListWebhookDeliveriesOkHeaders { link },
    ))
}

pub(super) async fn redeliver(
    rqctx: &RequestContext,
    id: WebhookId,
    which: Redelivery,
) -> Result<HttpResponseAccepted<RedeliveryResult>, RedeliverWebhookError> {
    let (_, caller) = allowed(rqctx)?;
    let found = endpoint::<RedeliverWebhookError>(rqctx, &caller, &id).await?;
    if found.status != WebhookStatus::Enabled {
        return Err(RedeliverWebhookError::WebhookNotEnabled(
            not_enabled(found.status).into(),
        ));
    }
    let (context, utc) = (rqctx.context(), |at: DateTime| at.get().to_utc());
    let now = context.now();
    let which = match which {
        Redelivery {
            delivery: Some(id),
            since: None,
            until: None,
            missed: None,
        } => Redeliver::One(id),
        Redelivery {
            delivery: None,
            since: None,
            until: None,
            missed: Some(true),
        } => return send_missed(rqctx, &caller, found).await,
        Redelivery {
            delivery: None,
            since: Some(since),
            until,
            missed: None,
        } => Redeliver::Since {
            since: utc(since),
            until: until.map_or(now, utc),
        },
        _ => {
            return Err(RedeliverWebhookError::InvalidRequest(
                "set `delivery`, or `since` and optionally `until`, or `missed` to `true`".into(),
            ));
        }
    };
    let count = store(rqctx).redeliver(found.id, which, now).await;
    let count = count.map_err(failed::<RedeliverWebhookError>(rqctx))?;
    if let (Redeliver::One(delivery), 0) = (which, count) {
        let message = format!("the webhook has no delivery with the id {delivery}");
        return Err(RedeliverWebhookError::NotFound(message.into()));
    }
    context.state().announce();
    let count = count.try_into().unwrap_or(i64::MAX);
    Ok(HttpResponseAccepted(RedeliveryResult { count }))
}

/// Creates deliveries for the first events that an endpoint missed while it was not enabled.
async fn send_missed(
    rqctx: &RequestContext,
    caller: &Caller,
    found: Endpoint,
) -> Result<HttpResponseAccepted<RedeliveryResult>, RedeliverWebhookError> {
    let Some(Missed { after, to, .. }) = found.missed else {
        return Ok(HttpResponseAccepted(RedeliveryResult { count: 0 }));
    };
    let (context, store) = (rqctx.context(), store(rqctx));
    let query = EventQuery {
        after: EventsAfter::Number(after),
        types: found.types,
        limit: REDELIVERED_AT_ONCE,
    };
    let page = store.list_events(query).await;
    let page = page.map_err(failed::<RedeliverWebhookError>(rqctx))?;
    let mut count = 0;
    // Only a cursor can be reset or expired, and not a position.
    let reached = if let Ok(EventPage { events, next, more }) = page {
        let events = events
            .into_iter()
            .filter(|event| event.position.position <= to);
        let messages = events.filter_map(webhooks::message);
        let now = context.now();
        let adding = messages.map(|(_, message)| store.add_delivery(found.id, message, now));
        let mut added = stream::iter(adding).buffered(ADDED_TOGETHER);
        while let Some(added) = added.next().await {
            let added = added.map_err(failed::<RedeliverWebhookError>(rqctx))?;
            count += i64::from(added.is_some());
        }
        if more { next.position } else { to }
    } else {
        to
    };
    let caught_up = EndpointChange::CatchUp { to: reached };
    change::<RedeliverWebhookError>(rqctx, caller, found.id, caught_up).await?;
    context.state().announce();
    Ok(HttpResponseAccepted(RedeliveryResult { count }))
}
