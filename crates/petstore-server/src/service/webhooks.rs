//! Creates, changes, verifies and tests the webhooks of an API key, and lists their deliveries.

use super::{
    RequestContext,
    cursor::{DeliveryFilter, Position},
    store,
};
use crate::{
    state::state_error,
    webhooks::{self, Webhooks},
};
use chrono::SubsecRound as _;
use dropshot::{
    HttpResponseAccepted, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders,
    HttpResponseOk,
};
use futures::{StreamExt as _, stream};
use openapi_dropshot_server::state::StateError;
use petstore_api::{
    CreateWebhookError, DeleteWebhookError, GetWebhookError, ListWebhookDeliveriesError,
    ListWebhooksError, RedeliverWebhookError, RotateWebhookSecretError, TestWebhookError,
    UpdateWebhookError, VerifyWebhookError,
};
use petstore_models::{
    self as models, CreatedWebhook, DateTime, DeliveryStatus, ListWebhookDeliveriesOkHeaders,
    ListWebhookDeliveriesQuery, NewWebhook, Redelivery, RedeliveryResult, Webhook,
    WebhookDeliveries, WebhookDelivery, WebhookId, WebhookSecret, WebhookStatus, WebhookUpdate,
    WebhookUpdateStatus, WebhookUrl,
};
use petstore_store::{
    DeliveryPage, DeliveryQuery, Endpoint, EndpointChange, EndpointId, EventPage, EventQuery,
    EventsAfter, KeyId, Missed, NewEndpoint, REDELIVERED_AT_ONCE, Redeliver, StoreError,
};
use serde_json::json;
use std::borrow::Cow;

/// The most webhooks that an API key can have.
const MOST: usize = 20;
/// The number of deliveries that the store adds at a time, in one transaction if it can.
const ADDED_TOGETHER: usize = 50;

/// Why an operation on webhooks is rejected. Some operations have further reasons.
enum Rejected {
    NotFound(String),
    Invalid(String),
    /// The store failed during the request with this id.
    Failed(StateError, String),
}

macro_rules! from_rejected {
    ($($error:ident),+) => {$(
        impl From<Rejected> for $error {
            fn from(reason: Rejected) -> Self {
                match reason {
                    Rejected::NotFound(message) => $error::NotFound(message.into()),
                    Rejected::Invalid(message) => $error::InvalidRequest(message.into()),
                    Rejected::Failed(error, request_id) => error.into_operation_error(&request_id),
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

/// A request about the webhooks of an API key.
struct Request<'a> {
    rqctx: &'a RequestContext,
    webhooks: &'a Webhooks,
    key: KeyId,
}

impl<'a> Request<'a> {
    /// Rejects a request if the service does not send webhooks.
    fn new(rqctx: &'a RequestContext) -> Result<Self, Rejected> {
        let context = rqctx.context();
        // Every operation requires a key.
        let (Some(webhooks), Some(caller)) = (context.state().webhooks(), context.principal(rqctx))
        else {
            let message =
                "this service does not send webhooks; ask its owner to set `--webhook-key-file`";
            return Err(Rejected::NotFound(message.to_owned()));
        };
        Ok(Request {
            rqctx,
            webhooks,
            key: caller.id(),
        })
    }

    /// Converts the result of a call of the store.
    fn stored<T>(&self, result: Result<T, StoreError>) -> Result<T, Rejected> {
        let request_id = || self.rqctx.request_id.clone();
        result.map_err(|error| Rejected::Failed(state_error(error), request_id()))
    }

    /// Like [`new`](Self::new), and reads the endpoint of the API key with this id.
    async fn of(rqctx: &'a RequestContext, id: &WebhookId) -> Result<(Self, Endpoint), Rejected> {
        let request = Self::new(rqctx)?;
        let found = store(rqctx).endpoint(request.key, endpoint_id(id)?).await;
        let found = request.stored(found)?.ok_or_else(|| unknown(id.as_str()))?;
        Ok((request, found))
    }

    /// Changes an endpoint of the API key.
    async fn change(&self, id: EndpointId, change: EndpointChange) -> Result<Endpoint, Rejected> {
        let now = self.rqctx.context().now();
        let changed = store(self.rqctx).change_endpoint(self.key, id, change, now);
        self.stored(changed.await)?
            .ok_or_else(|| unknown(id.as_str()))
    }

    /// Returns the URL in the form in which it is stored, if webhooks may have it.
    fn url(&self, url: &WebhookUrl) -> Result<String, Rejected> {
        let url = self.webhooks.sender.rules().check_url(url.as_str());
        url.map(String::from)
            .map_err(|error| Rejected::Invalid(format!("`url`: {error}")))
    }
}

fn unknown(id: &str) -> Rejected {
    Rejected::NotFound(format!("this API key has no webhook with the id `{id}`"))
}

fn endpoint_id(id: &WebhookId) -> Result<EndpointId, Rejected> {
    id.as_str().parse().map_err(|_| unknown(id.as_str()))
}

pub(super) async fn list(
    rqctx: &RequestContext,
) -> Result<HttpResponseOk<models::Webhooks>, ListWebhooksError> {
    let request = Request::new(rqctx)?;
    let found = request.stored(store(rqctx).list_endpoints(Some(request.key)).await)?;
    let webhooks = found.into_iter().map(|endpoint| endpoint.webhook);
    Ok(HttpResponseOk(models::Webhooks(webhooks.collect())))
}

pub(super) async fn create(
    rqctx: &RequestContext,
    new: NewWebhook,
) -> Result<HttpResponseCreated<CreatedWebhook>, CreateWebhookError> {
    let request = Request::new(rqctx)?;
    let endpoint = NewEndpoint {
        url: request.url(&new.url)?,
        id: EndpointId::from_random(rand::random()),
        key: request.key,
        types: new.types.map(Vec::from).unwrap_or_default(),
        description: new.description.map(String::from),
        master_id: request.webhooks.master.id(),
        at: rqctx.context().now(),
    };
    let created = store(rqctx).create_endpoint(endpoint, MOST).await;
    let Some(created) = request.stored(created)? else {
        let message =
            format!("this API key already has {MOST} webhooks; delete one that is no longer used");
        return Err(CreateWebhookError::WebhookLimit(message.into()));
    };
    let (id, generation) = (created.id, created.secret.generation);
    let secret = request.webhooks.master.secret(id.as_str(), generation);
    let webhook = created.webhook;
    let (url, id, status) = (webhook.url, webhook.id, webhook.status);
    // The other members are absent, because the webhook is new.
    Ok(HttpResponseCreated(CreatedWebhook {
        types: webhook.types,
        description: webhook.description,
        ..CreatedWebhook::new(
            url,
            id,
            status,
            webhook.created_at,
            webhook.updated_at,
            secret.reveal(),
        )
    }))
}

pub(super) async fn get(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<Webhook>, GetWebhookError> {
    let (_, found) = Request::of(rqctx, &id).await?;
    Ok(HttpResponseOk(found.webhook))
}

pub(super) async fn update(
    rqctx: &RequestContext,
    id: WebhookId,
    update: WebhookUpdate,
) -> Result<HttpResponseOk<Webhook>, UpdateWebhookError> {
    let (request, mut found) = Request::of(rqctx, &id).await?;
    let url = update.url.map(|url| request.url(&url)).transpose()?;
    let url = url.filter(|url| url != found.webhook.url.as_str());
    let is_verified = url.is_none() && found.webhook.status != WebhookStatus::Pending;
    if update.status.is_some() && !is_verified {
        return Err(UpdateWebhookError::WebhookNotVerified(
            "the webhook is pending, so nothing is sent to it; call `verifyWebhook` first".into(),
        ));
    }
    let types = update.types.map(Vec::from);
    let description = update.description.map(String::from);
    if url.is_some() || types.is_some() || description.is_some() {
        let update = EndpointChange::Update {
            url,
            types,
            description,
        };
        found = request.change(found.id, update).await?;
    }
    if let Some(status) = update.status {
        let change = match status {
            WebhookUpdateStatus::Enabled => enable(&found),
            WebhookUpdateStatus::Disabled => EndpointChange::Disable,
        };
        found = request.change(found.id, change).await?;
    }
    Ok(HttpResponseOk(found.webhook))
}

/// Enables an endpoint unless another request has changed it meanwhile: its URL, or its status.
fn enable(seen: &Endpoint) -> EndpointChange {
    EndpointChange::Enable {
        url: seen.webhook.url.as_str().to_owned(),
        seen: seen.webhook.updated_at.get().to_utc(),
    }
}

pub(super) async fn delete(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseDeleted, DeleteWebhookError> {
    let request = Request::new(rqctx)?;
    let deleted = store(rqctx).delete_endpoint(request.key, endpoint_id(&id)?);
    match request.stored(deleted.await)? {
        true => Ok(HttpResponseDeleted()),
        false => Err(unknown(id.as_str()).into()),
    }
}

pub(super) async fn verify(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<Webhook>, VerifyWebhookError> {
    let (request, found) = Request::of(rqctx, &id).await?;
    let not_returned = |why| {
        VerifyWebhookError::VerificationFailed(
            format!("the receiver did not return the challenge: {why}").into(),
        )
    };
    let challenged = request.webhooks.challenge(&found, rqctx.context().now());
    challenged.await.map_err(not_returned)?;
    let enabled = request.change(found.id, enable(&found)).await?;
    match enabled.webhook.status {
        WebhookStatus::Enabled => Ok(HttpResponseOk(enabled.webhook)),
        _ => Err(not_returned("the webhook was changed meanwhile".to_owned())),
    }
}

pub(super) async fn rotate(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseOk<WebhookSecret>, RotateWebhookSecretError> {
    let (request, found) = Request::of(rqctx, &id).await?;
    let previous_until = rqctx.context().now().trunc_subsecs(6) + webhooks::OVERLAP;
    let rotate = EndpointChange::Rotate {
        previous_until: Some(previous_until),
        master_id: request.webhooks.master.id(),
    };
    let changed = request.change(found.id, rotate).await?;
    let (id, generation) = (changed.id, changed.secret.generation);
    let secret = request.webhooks.master.secret(id.as_str(), generation);
    Ok(HttpResponseOk(WebhookSecret {
        secret: secret.reveal(),
        previous_until: previous_until.into(),
    }))
}

/// Returns the message of the error for an endpoint that is not enabled.
fn check_enabled(endpoint: &Endpoint) -> Result<(), Cow<'static, str>> {
    Err(Cow::Borrowed(match endpoint.webhook.status {
        WebhookStatus::Enabled => return Ok(()),
        WebhookStatus::Pending => "the webhook is pending; call `verifyWebhook` first",
        WebhookStatus::Disabled => "the webhook is disabled; enable it first",
    }))
}

pub(super) async fn test(
    rqctx: &RequestContext,
    id: WebhookId,
) -> Result<HttpResponseAccepted<WebhookDelivery>, TestWebhookError> {
    let (request, found) = Request::of(rqctx, &id).await?;
    check_enabled(&found).map_err(TestWebhookError::WebhookNotEnabled)?;
    let context = rqctx.context();
    // As the store keeps it.
    let now = context.now().trunc_subsecs(6);
    let message = webhooks::notice(webhooks::TEST, now, &json!({}));
    let message_id = message.id.clone();
    let added = store(rqctx).add_delivery(found.id, message, now).await;
    let id = request.stored(added)?.ok_or_else(|| unknown(id.as_str()))?;
    context.state().announce();
    let (kind, status) = (webhooks::TEST, DeliveryStatus::Waiting);
    let delivery = WebhookDelivery::new(id, message_id, kind, status, 0, now);
    Ok(HttpResponseAccepted(delivery))
}

type DeliveriesResponse =
    HttpResponseHeaders<HttpResponseOk<WebhookDeliveries>, ListWebhookDeliveriesOkHeaders>;

pub(super) async fn deliveries(
    rqctx: &RequestContext,
    id: WebhookId,
    query: ListWebhookDeliveriesQuery,
) -> Result<DeliveriesResponse, ListWebhookDeliveriesError> {
    let (request, found) = Request::of(rqctx, &id).await?;
    let (status, limit) = (query.status, query.limit.get());
    let filter = DeliveryFilter(status);
    let before = query
        .cursor
        .map(|cursor| Position::read(cursor.as_str(), filter))
        .transpose()
        .map_err(|error| Rejected::Invalid(format!("`cursor` {error}")))?;
    let query = DeliveryQuery {
        endpoint: found.id,
        before,
        status,
        limit: usize::try_from(limit).expect("a limit is at least 1 and at most 100"),
    };
    let page = store(rqctx).list_deliveries(query).await;
    let DeliveryPage { deliveries, more } = request.stored(page)?;
    let last = deliveries.last().filter(|_| more).map(|last| last.id);
    let link = last.map(|last| Position { last, filter }.next_link(limit));
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
    let (request, found) = Request::of(rqctx, &id).await?;
    check_enabled(&found).map_err(RedeliverWebhookError::WebhookNotEnabled)?;
    let (context, utc) = (rqctx.context(), |at: DateTime| at.get().to_utc());
    let now = context.now();
    let which = match (which.delivery, which.since, which.until, which.missed) {
        (Some(id), None, None, None) => Some(Redeliver::One(id)),
        (None, Some(since), until, None) => Some(Redeliver::Since {
            since: utc(since),
            until: until.map_or(now, utc),
        }),
        (None, None, None, Some(true)) => None,
        _ => {
            let message =
                "set `delivery`, or `since` and optionally `until`, or `missed` to `true`";
            return Err(RedeliverWebhookError::InvalidRequest(message.into()));
        }
    };
    let count = match which {
        Some(which) => request.stored(store(rqctx).redeliver(found.id, which, now).await)?,
        None => send_missed(&request, found).await?,
    };
    if let (Some(Redeliver::One(delivery)), 0) = (which, count) {
        let message = format!("the webhook has no delivery with the id {delivery}");
        return Err(RedeliverWebhookError::NotFound(message.into()));
    }
    context.state().announce();
    let count = count.try_into().unwrap_or(i64::MAX);
    Ok(HttpResponseAccepted(RedeliveryResult { count }))
}

/// Creates deliveries for the first events that an endpoint missed while it was not enabled, and returns their number.
async fn send_missed(request: &Request<'_>, found: Endpoint) -> Result<usize, Rejected> {
    let Some(Missed { after, to }) = found.missed else {
        return Ok(0);
    };
    let (now, store) = (request.rqctx.context().now(), store(request.rqctx));
    let query = EventQuery {
        after: EventsAfter::Number(after),
        types: found.webhook.types.map(Vec::from).unwrap_or_default(),
        limit: REDELIVERED_AT_ONCE,
    };
    let (mut count, mut reached) = (0, to);
    // Only a cursor can be reset or expired, and not a position.
    if let Ok(EventPage { events, next, more }) = request.stored(store.list_events(query).await)? {
        let missed = events
            .into_iter()
            .filter(|event| event.position.position <= to);
        let adding =
            missed.map(|event| store.add_delivery(found.id, webhooks::message(event), now));
        let mut added = stream::iter(adding).buffered(ADDED_TOGETHER);
        while let Some(added) = added.next().await {
            count += usize::from(request.stored(added)?.is_some());
        }
        if more {
            reached = next.position;
        }
    }
    let caught_up = EndpointChange::CatchUp(reached);
    request.change(found.id, caught_up).await?;
    Ok(count)
}
