//! The trait that every backend implements, with its queries and pages. The crate's
//! documentation and `tests/suite/contract` describe its guarantees.

use crate::{
    CountedOperation, Creation, CursorLost, DailyUsage, EventPage, EventQuery, FoundKey, KeyHash,
    KeyId, KeyRecord, NewKey, NotOrdered, NotUpdated, Once, OrderPage, OrderQuery, PoolStats,
    Revocation, StoreError, Usage, UsageRecord, WebhookStore, WriteStats,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};

/// Stores pets, orders and API keys. Share it as `Arc<dyn Store>`.
///
/// Every method can fail with [`StoreError::Unavailable`],
/// [`StoreError::Corrupt`] and [`StoreError::Internal`]; writes also with
/// [`StoreError::Overloaded`]. The methods for webhooks are in [`WebhookStore`]; they can also be called on
/// a `dyn Store`.
#[async_trait]
pub trait Store: WebhookStore {
    /// Adds a pet and returns it with its id. If the result is `Ok`, the pet is stored durably.
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError>;

    /// Like [`create_pet`](Self::create_pet), but only if the key of `once` was
    /// not used yet. Of all calls with the same key and the same value, in all
    /// processes, only one adds a pet; the other calls return that pet. An error does not
    /// change the key, unless its outcome is unknown.
    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError>;

    /// Deletes keys of [`create_pet_once`](Self::create_pet_once) and
    /// [`create_order_once`](Self::create_order_once) that are older than [`IDEMPOTENCY_KEYS_KEPT`](crate::IDEMPOTENCY_KEYS_KEPT) at
    /// `now`: the oldest first, at most `limit` of them. Returns how many it deleted.
    /// Expired keys have no effect; deleting them only frees space.
    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Returns the pet with this id, if there is one.
    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError>;

    /// Returns a page of pets in ascending order of their ids. Its cost depends on
    /// [`PetQuery::limit`], not on the number of pets.
    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError>;

    /// Places an order with the time `at`, which is stored in microseconds. In one
    /// transaction, the status of the pet changes by
    /// [`ORDERED`](crate::transitions::ORDERED), and an order with the status
    /// [`PLACED`](crate::transitions::PLACED) is added. If several calls for one pet
    /// run at the same moment, in any processes, only one of them places an
    /// order. If the result is `Ok(Ok(…))`, the order is stored durably.
    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError>;

    /// Like [`create_order`](Self::create_order) with the time of `once`, but only if
    /// its key was not used yet, as with
    /// [`create_pet_once`](Self::create_pet_once). Both methods share their
    /// keys: a key that was used for a pet cannot be used for an order.
    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError>;

    /// Changes the status of an order to `to`, and the status of its pet as
    /// [`ORDER_STEPS`](crate::transitions::ORDER_STEPS) specifies, in one
    /// transaction. If this transition is not possible, nothing is changed. If several
    /// calls make the same transition at the same moment, in any processes, only one
    /// of them succeeds. `at` becomes the time of the change, unless the last change of
    /// the order has a later time.
    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError>;

    /// Returns the order with this id, if there is one.
    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError>;

    /// Returns a page of orders in descending order of their ids. Its cost depends on
    /// [`OrderQuery::limit`], not on the number of orders.
    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError>;

    /// Whether changes write events. In a store that was just opened, they do.
    fn records_events(&self) -> bool;

    /// Switches the recording of events on or off. If changes without events were made before it is
    /// switched on, a new incarnation of the feed begins, so that consumers notice that they missed
    /// changes. All servers of a database must have the same setting.
    ///
    /// # Errors
    ///
    /// The setting cannot be stored; no events are recorded then.
    async fn record_events(&self, is_on: bool) -> Result<(), StoreError>;

    /// Returns a page of events, in the order in which the changes were committed. A new event always
    /// has a greater position than all events that an earlier page could contain, even if another server
    /// wrote it.
    ///
    /// # Errors
    ///
    /// The store cannot be read. The inner error says why the feed cannot be continued at that position.
    async fn list_events(
        &self,
        query: EventQuery,
    ) -> Result<Result<EventPage, CursorLost>, StoreError>;

    /// Deletes events from before this time: the oldest first, at most `limit` of them. Returns how many
    /// it deleted. An event is kept as long as an event with a smaller position is kept.
    ///
    /// # Errors
    ///
    /// The events were not deleted, or the outcome is unknown.
    async fn forget_events(&self, before: DateTime<Utc>, limit: usize)
    -> Result<usize, StoreError>;

    /// Adds a key.
    ///
    /// # Errors
    ///
    /// [`StoreError::KeyExists`] if the store already has a key with this id or this hash.
    async fn create_key(&self, key: NewKey) -> Result<(), StoreError>;

    /// Adds a key if the store has no key, not even a revoked key, and returns whether it added the
    /// key. If several servers start at the same time with a new store, only one of them adds a key.
    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError>;

    /// Returns all keys, including revoked keys, the oldest first.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError>;

    /// Revokes a key with the time `at`. If the key is already revoked, it keeps its time.
    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError>;

    /// Returns the key with this hash and its limits, if it exists and is not
    /// revoked. A key that has expired is returned, too. A key that another process has revoked may
    /// be found for up to half a second longer.
    async fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError>;

    /// Whether there is any key, including revoked keys.
    async fn has_keys(&self) -> Result<bool, StoreError>;

    /// Adds to the usage counters of operations, and sets the time at which each key
    /// was used last, in one transaction. [`usage`](Self::usage) does not return the
    /// counters of keys that the store does not have.
    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError>;

    /// Returns the usage counters, ordered by operation; within an operation, the key that
    /// was used last is first.
    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError>;

    /// Returns the usage of operations by day, from `since` on, ordered by operation, key and day. The
    /// store keeps 400 days.
    async fn usage_by_day(&self, since: NaiveDate) -> Result<Vec<DailyUsage>, StoreError>;

    /// Stores that the calls of these operations are counted from `at` on. An operation that is
    /// already counted keeps its time.
    async fn begin_counting(
        &self,
        operations: Vec<String>,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Returns the time since which the calls of each operation are counted, as set by
    /// [`begin_counting`](Self::begin_counting), ordered by operation.
    async fn counted_operations(&self) -> Result<Vec<CountedOperation>, StoreError>;

    /// Returns `Ok` if the store can read and write; for readiness checks.
    async fn check(&self) -> Result<(), StoreError>;

    /// Returns statistics of the writer since the store was opened; for metrics.
    fn stats(&self) -> WriteStats;

    /// Returns the current use of the connections that read; for metrics.
    fn pool(&self) -> PoolStats;

    /// Returns the time of the last backup, as stored by [`record_backup`](crate::record_backup); for metrics.
    fn last_backup(&self) -> Option<DateTime<Utc>> {
        None
    }

    /// Finishes the queued writes, then closes the database.
    /// Later calls of other methods return [`StoreError::Unavailable`]; a second
    /// `close` does nothing.
    async fn close(&self) -> Result<(), StoreError>;
}

/// A query for a page of pets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetQuery {
    /// Only pets whose id is greater than this one.
    pub after: Option<i64>,
    /// Only pets with this status. A pet without a status does not match any status.
    pub status: Option<PetStatus>,
    /// The greatest number of pets to return.
    pub limit: usize,
}

impl PetQuery {
    /// The first page of all pets.
    pub fn first(limit: usize) -> Self {
        PetQuery {
            after: None,
            status: None,
            limit,
        }
    }
}

/// A page of pets.
#[derive(Clone, Debug, PartialEq)]
pub struct PetPage {
    /// At most [`PetQuery::limit`] pets, in ascending order of their ids.
    pub pets: Vec<Pet>,
    /// Whether more pets match beyond the last one of this page.
    pub more: bool,
}
