//! The trait that every backend implements, with its queries and pages. The crate's
//! front page and `tests/suite/contract` say what it promises.

use crate::{
    CountedOperation, Creation, CursorLost, DailyUsage, EventPage, EventQuery, FoundKey, KeyHash,
    KeyId, KeyRecord, NewKey, NotOrdered, NotUpdated, Once, OrderPage, OrderQuery, PoolStats,
    Revocation, StoreError, Usage, UsageRecord, WriteStats,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};

/// Keeps pets, orders and API keys. Share it as `Arc<dyn Store>`.
///
/// Every method can fail with [`StoreError::Unavailable`],
/// [`StoreError::Corrupt`] and [`StoreError::Internal`]; writes also with
/// [`StoreError::Overloaded`].
#[async_trait]
pub trait Store: Send + Sync {
    /// Adds a pet and returns it with its id. On `Ok` it is stored durably.
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError>;

    /// As [`create_pet`](Self::create_pet), but only if the key of `once` was
    /// not used yet: of any number of calls with one key and one value, by
    /// whichever process, one adds a pet, and every other one returns that pet. An error leaves the key as it was, unless its outcome is
    /// unknown.
    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError>;

    /// Deletes keys of [`create_pet_once`](Self::create_pet_once) and
    /// [`create_order_once`](Self::create_order_once) that are older than [`IDEMPOTENCY_KEYS_KEPT`](crate::IDEMPOTENCY_KEYS_KEPT) at
    /// `now`, the oldest first, at most `limit` of them, and returns how many.
    /// Expired keys have no effect; deleting them only frees space.
    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// The pet with this id, if there is one.
    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError>;

    /// A page of pets in ascending order of their ids. Its cost depends on
    /// [`PetQuery::limit`], not on the number of pets.
    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError>;

    /// Places an order as of `at`, kept to the microsecond: the pet goes the way
    /// of [`ORDERED`](crate::transitions::ORDERED), and the order begins as
    /// [`PLACED`](crate::transitions::PLACED), both or neither. Of any number of
    /// calls for one pet at the same moment, by whichever process, one places an
    /// order. On `Ok(Ok(…))` it is stored durably.
    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError>;

    /// As [`create_order`](Self::create_order) at the time of `once`, but only if
    /// its key was not used yet, as with
    /// [`create_pet_once`](Self::create_pet_once). The keys of both are the same
    /// ones: one that was used for a pet cannot be used for an order.
    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError>;

    /// Takes the step of [`ORDER_STEPS`](crate::transitions::ORDER_STEPS) from
    /// the status that the order has to `to`, for the order and for its pet, both
    /// or neither. If this transition is not possible, nothing is changed. Of any number
    /// of calls that take the same step at the same moment, by whichever process,
    /// one takes it. `at` becomes the time of the change, unless the order has
    /// seen a later one.
    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError>;

    /// The order with this id, if there is one.
    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError>;

    /// A page of orders in descending order of their ids. Its cost depends on
    /// [`OrderQuery::limit`], not on the number of orders.
    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError>;

    /// Whether changes have events; they do in a store that was just opened.
    fn records_events(&self) -> bool;

    /// Switches the recording of events on or off. When it is switched on after changes without
    /// events, a new incarnation of the feed begins, so that no consumer misses them unnoticed.
    /// All servers of a database must have the same setting.
    ///
    /// # Errors
    ///
    /// It cannot be noted in the store; no events are recorded then.
    async fn record_events(&self, is_on: bool) -> Result<(), StoreError>;

    /// Returns a page of events, in the order in which the changes were committed. An event has the
    /// position after each event that any earlier page could contain, whichever server wrote it.
    ///
    /// # Errors
    ///
    /// The store cannot be read. The inner error says why the feed cannot be continued at that position.
    async fn list_events(
        &self,
        query: EventQuery,
    ) -> Result<Result<EventPage, CursorLost>, StoreError>;

    /// Deletes at most `limit` of the oldest events, those from before this time, and returns how
    /// many. An event stays as long as one before it stays.
    ///
    /// # Errors
    ///
    /// They were not deleted, or the outcome is unknown.
    async fn forget_events(&self, before: DateTime<Utc>, limit: usize)
    -> Result<usize, StoreError>;

    /// Adds a key.
    ///
    /// # Errors
    ///
    /// [`StoreError::KeyExists`] if its id or its hash is there already.
    async fn create_key(&self, key: NewKey) -> Result<(), StoreError>;

    /// Adds a key if the store has no key, not even a revoked one, and returns whether it added the
    /// key. Of several servers that start at once on one new
    /// store, one makes a key.
    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError>;

    /// All keys, revoked ones included, the oldest first.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError>;

    /// Revokes a key as of `at`; a key that is revoked already keeps its time.
    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError>;

    /// The key with this hash and its limits, if there is one and it is not
    /// revoked; also one that has expired. A key that another process revoked may be found
    /// for up to half a second more.
    async fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError>;

    /// Whether there is any key, revoked ones included.
    async fn has_keys(&self) -> Result<bool, StoreError>;

    /// Adds to the usage counters of operations, and sets when each key
    /// was used last, all of it or nothing. [`usage`](Self::usage) leaves out the
    /// counters of keys that the store does not have.
    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError>;

    /// The usage counters of operations: by operation, then the latest
    /// caller first.
    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError>;

    /// The usage of operations by day, from that day on: by operation, key and day. 400
    /// days are kept.
    async fn usage_by_day(&self, since: NaiveDate) -> Result<Vec<DailyUsage>, StoreError>;

    /// Stores that the calls of these operations are counted from `at` on. An operation that is
    /// counted already keeps its time.
    async fn begin_counting(
        &self,
        operations: Vec<String>,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Since when the calls of each operation are counted: the times of
    /// [`begin_counting`](Self::begin_counting), by operation.
    async fn counted_operations(&self) -> Result<Vec<CountedOperation>, StoreError>;

    /// `Ok` if the store can read and take writes; for readiness.
    async fn check(&self) -> Result<(), StoreError>;

    /// Statistics of the writer since the store was opened; for metrics.
    fn stats(&self) -> WriteStats;

    /// The present use of the connections that read; for metrics.
    fn pool(&self) -> PoolStats;

    /// The time of the last backup that was stored with [`record_backup`](crate::record_backup); for metrics.
    fn last_backup(&self) -> Option<DateTime<Utc>> {
        None
    }

    /// Finishes the writes that were handed over, then closes the database.
    /// Later calls return [`StoreError::Unavailable`]; a second call of this has
    /// nothing to do.
    async fn close(&self) -> Result<(), StoreError>;
}

/// A query for a page of pets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetQuery {
    /// Only pets whose id is greater than this one.
    pub after: Option<i64>,
    /// Only pets with this status. A pet without a status matches none.
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
