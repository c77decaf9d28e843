//! Webhooks: the endpoints to which events are delivered, and the deliveries.

mod database;
mod sql;

pub(crate) use database::Database;
pub(crate) use sql::{
    DUE_COLUMNS, FINISH_DELIVERY_VALUES, FINISH_ENDPOINT_VALUES, fan_out_sql, finish_delivery_sql,
    finish_endpoint_condition, finish_endpoint_sql, is_live, notify_sql,
};

use crate::{KeyId, StoreError, id::public_id};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use openapi_dropshot_webhooks::{Claim, Due, Finished};
use petstore_models::{DeliveryStatus, EventType, Webhook, WebhookDelivery};

public_id! {
    /// The public id of an endpoint: `we_` and 12 characters of `0-9a-z` without
    /// `i`, `l`, `o` and `u`.
    EndpointId, "we_", InvalidEndpointId
}

/// The error of parsing an invalid [`EndpointId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a webhook endpoint must be `we_` and 12 characters")]
pub struct InvalidEndpointId;

/// The greatest number of deliveries that one call of [`WebhookStore::redeliver`] changes.
pub const REDELIVERED_AT_ONCE: usize = 1_000;
/// The greatest number of waiting deliveries of each endpoint that [`WebhookStore::webhook_stats`] counts.
pub const COUNTED_PER_ENDPOINT: usize = 10_000;

/// An endpoint to be created. Its first status is [`Pending`](petstore_models::WebhookStatus::Pending).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEndpoint {
    /// Its public id, unique in the store.
    pub id: EndpointId,
    /// The key of its owner.
    pub key: KeyId,
    /// The URL to which events are sent; it contains no U+0000.
    pub url: String,
    /// The types of the events. If it is empty, all types.
    pub types: Vec<EventType>,
    /// A description by its owner.
    pub description: Option<String>,
    /// The id of the master key from which its secret is derived.
    pub master_id: String,
    /// The time of its creation; stored in microseconds.
    pub at: DateTime<Utc>,
}

/// An endpoint to which events are delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// Its public id.
    pub id: EndpointId,
    /// The key of its owner.
    pub key: KeyId,
    /// What its owner sees. Its `disabled_reason` is `owner` or the name of a [`Disable`](openapi_dropshot_webhooks::Disable).
    pub webhook: Webhook,
    /// Its secret.
    pub secret: EndpointSecret,
    /// The events that it missed.
    pub missed: Option<Missed>,
}

/// Events that an endpoint missed, because it was not enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// It missed the events after this position.
    pub after: i64,
    /// If the endpoint is enabled again: it missed the events up to this position.
    pub to: i64,
}

/// Says how the secret of an endpoint is derived. The secret itself is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointSecret {
    /// Its number, from 1.
    pub generation: u32,
    /// Until this time, the previous secret also signs.
    pub previous_until: Option<DateTime<Utc>>,
    /// The id of the master key from which it is derived.
    pub master_id: String,
}

/// A change of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointChange {
    /// Changes the members that are set. If the URL changes, the endpoint becomes pending again.
    Update {
        /// The new URL.
        url: Option<String>,
        /// The new types.
        types: Option<Vec<EventType>>,
        /// The new description.
        description: Option<String>,
    },
    /// Enables an endpoint for events after this moment. Deliveries that were created earlier and still wait
    /// are sent, too. If the endpoint is already enabled, nothing changes.
    Enable {
        /// The URL that is enabled.
        url: String,
        /// The `updated_at` of the endpoint when its receiver was asked. Nothing changes if the endpoint was changed
        /// since then.
        seen: DateTime<Utc>,
    },
    /// Disables an endpoint that is enabled, on behalf of its owner.
    Disable,
    /// Deliveries were added for the missed events up to this position.
    CatchUp(i64),
    /// Begins the next generation of its secret.
    Rotate {
        /// Until this time, the previous secret also signs.
        previous_until: Option<DateTime<Utc>>,
        /// The id of the master key from which the new secret is derived.
        master_id: String,
    },
}

/// The query of a page of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// The endpoint of the deliveries.
    pub endpoint: EndpointId,
    /// Only deliveries whose id is less than this one.
    pub before: Option<i64>,
    /// Only deliveries of this status.
    pub status: Option<DeliveryStatus>,
    /// The greatest number of deliveries in the page.
    pub limit: usize,
}

/// A page of deliveries.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryPage {
    /// The deliveries, in descending order of their ids.
    pub deliveries: Vec<WebhookDelivery>,
    /// Whether more deliveries match beyond the last one of this page.
    pub more: bool,
}

/// The deliveries that are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redeliver {
    /// The delivery with this id, in any state.
    One(i64),
    /// The deliveries that were given up and were created at `since` or later, and before `until`: the oldest
    /// first, at most [`REDELIVERED_AT_ONCE`].
    Since {
        /// The beginning of the period.
        since: DateTime<Utc>,
        /// The end of the period.
        until: DateTime<Utc>,
    },
}

/// A message for which deliveries are created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// The message, in JSON.
    pub payload: Vec<u8>,
}

/// Statistics of webhooks, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebhookStats {
    /// The number of deliveries that wait for enabled endpoints; at most [`COUNTED_PER_ENDPOINT`] are counted for each.
    pub waiting: i64,
    /// The earliest due time of these deliveries.
    pub oldest_due: Option<DateTime<Utc>>,
    /// The number of endpoints that are disabled because of their receivers: all but those that their owners disabled.
    pub disabled: i64,
}

/// The part of a [`Store`](crate::Store) for webhooks. Its methods fail with the same errors as those of `Store`.
///
/// A server claims a delivery with a lease, so that only one server makes each attempt. If that server ends before
/// it has stored the result, the delivery is claimed again after the lease has ended. So a message is delivered at
/// least once.
///
/// If the key of an endpoint is revoked or has expired, the endpoint gets no new deliveries, and its deliveries are
/// not claimed.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds an endpoint, unless its key already has `most` endpoints. The limit is exact, even if several
    /// servers create endpoints at the same moment.
    async fn create_endpoint(
        &self,
        endpoint: NewEndpoint,
        most: usize,
    ) -> Result<Option<Endpoint>, StoreError>;

    /// Returns the endpoints of a key, or of all keys, the oldest first.
    async fn list_endpoints(&self, key: Option<KeyId>) -> Result<Vec<Endpoint>, StoreError>;

    /// Returns the endpoint with this id, if it belongs to the key.
    async fn endpoint(&self, key: KeyId, id: EndpointId) -> Result<Option<Endpoint>, StoreError>;

    /// Changes an endpoint and returns it, if it belongs to the key.
    async fn change_endpoint(
        &self,
        key: KeyId,
        id: EndpointId,
        change: EndpointChange,
        at: DateTime<Utc>,
    ) -> Result<Option<Endpoint>, StoreError>;

    /// Deletes an endpoint of the key with its deliveries, and returns whether the endpoint existed. If it has
    /// many deliveries, this takes several transactions. After an error, the endpoint may be disabled, and some of
    /// its deliveries may be deleted.
    async fn delete_endpoint(&self, key: KeyId, id: EndpointId) -> Result<bool, StoreError>;

    /// Returns a page of deliveries in descending order of their ids. Its cost depends on the limit, not on the
    /// number of deliveries.
    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<DeliveryPage, StoreError>;

    /// Sends deliveries of an endpoint again: they wait again, are due at once, and start again with the first
    /// attempt. Returns how many deliveries are sent again. A delivery that is being sent now may be sent twice.
    async fn redeliver(
        &self,
        endpoint: EndpointId,
        which: Redeliver,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError>;

    /// Returns the position up to which deliveries were created, for
    /// [`EventsAfter::Number`](crate::EventsAfter::Number).
    async fn webhook_position(&self) -> Result<i64, StoreError>;

    /// Creates the deliveries of the events after the position `from` and up to `to`, each with its position, if
    /// [`webhook_position`](Self::webhook_position) is `from`; otherwise does nothing. Each message gets one delivery
    /// for each enabled endpoint that requests its type and was enabled before the event. Returns how many deliveries
    /// it created. This is one transaction, so that the deliveries of each event are created only once, even if several
    /// servers call this.
    async fn add_deliveries(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError>;

    /// Adds a delivery to one endpoint, and returns its id, or `None` if there is no such endpoint.
    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        message: NewMessage,
        at: DateTime<Utc>,
    ) -> Result<Option<i64>, StoreError>;

    /// Claims deliveries that are due, and returns each with the secret of its endpoint; its list of secrets is empty.
    /// Deliveries of endpoints that are not enabled are not claimed.
    async fn claim_deliveries(
        &self,
        claim: Claim,
    ) -> Result<Vec<(Due, EndpointSecret)>, StoreError>;

    /// Stores the result of sending a delivery. If the delivery has another lease by now, or no longer waits, nothing
    /// changes. The endpoint is disabled only if it is still enabled. In the same transaction, each other enabled endpoint
    /// of its key then gets a delivery of `notice`, which must be set if the endpoint is to be disabled.
    async fn finish_delivery(
        &self,
        finished: Finished,
        notice: Option<NewMessage>,
    ) -> Result<(), StoreError>;

    /// Returns statistics for metrics. The cost grows with the number of endpoints.
    async fn webhook_stats(&self) -> Result<WebhookStats, StoreError>;

    /// Deletes deliveries whose last attempt was before this time, and waiting deliveries that were due before it, such
    /// as those of a disabled endpoint: the oldest first, at most `limit` of them. Returns how many it deleted.
    async fn forget_deliveries(
        &self,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
