//! A store for tests. On request, it panics, fails, or delays a request.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use openapi_dropshot_webhooks::{Claim, Due, Finished};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet};
use petstore_store::{
    Cause, CountedOperation, Creation, CursorLost, DailyUsage, DeliveryPage, DeliveryQuery,
    Endpoint, EndpointChange, EndpointId, EndpointSecret, EventPage, EventQuery, FoundKey, KeyHash,
    KeyId, KeyRecord, NewEndpoint, NewKey, NewMessage, NotOrdered, NotUpdated, Once, OrderPage,
    OrderQuery, Outcome, PetPage, PetQuery, PoolStats, Redeliver, Revocation, Store, StoreError,
    Usage, UsageRecord, WebhookStats, WebhookStore, WriteStats,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// The error text of the failing database; no client may ever see it.
pub const SECRET: &str = "disk /dev/sda1 is on fire";

/// The faults of requests for a pet with this id, or of the creation of a pet with this category
/// and an idempotency key.
pub mod pet {
    pub const PANICS: i64 = 1001;
    pub const INTERNAL: i64 = 1002;
    pub const CORRUPT: i64 = 1003;
    pub const UNAVAILABLE: i64 = 1004;
    pub const OVERLOADED: i64 = 1005;
    pub const HELD: i64 = 1006;
    /// Another server is using the key.
    pub const IN_FLIGHT: i64 = 1007;
}

/// A store in memory with faults.
pub struct Faulty {
    inner: Arc<dyn Store>,
    /// How long a list of pets takes.
    list_takes: Duration,
    /// Whether looking up a key panics.
    pub key_panics: AtomicBool,
    /// Whether looking up a key never ends.
    pub key_hangs: AtomicBool,
    /// Whether writing the usage counters fails.
    pub usage_fails: AtomicBool,
    /// One message for each failed write of the usage counters.
    pub usage_failed: Semaphore,
    /// How often a key was looked up.
    pub looked_up: AtomicUsize,
    /// One message for each request that is or was delayed in the store.
    pub entered: Semaphore,
    /// One message for each request that may continue.
    pub released: Semaphore,
}

impl Faulty {
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Faulty {
            inner,
            list_takes: Duration::ZERO,
            key_panics: AtomicBool::new(false),
            key_hangs: AtomicBool::new(false),
            usage_fails: AtomicBool::new(false),
            usage_failed: Semaphore::new(0),
            looked_up: AtomicUsize::new(0),
            entered: Semaphore::new(0),
            released: Semaphore::new(0),
        }
    }

    /// Creates a store that returns lists slowly.
    pub fn slow(inner: Arc<dyn Store>, list_takes: Duration) -> Self {
        Faulty {
            list_takes,
            ..Faulty::new(inner)
        }
    }

    async fn hold(&self) {
        self.entered.add_permits(1);
        self.released
            .acquire()
            .await
            .expect("never closed")
            .forget();
    }
}

fn cause() -> Cause {
    Arc::new(std::io::Error::other(SECRET))
}

#[async_trait]
impl Store for Faulty {
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError> {
        self.inner.create_pet(pet).await
    }

    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError> {
        match pet.category_id {
            pet::PANICS => panic!("{SECRET}"),
            pet::OVERLOADED => return Err(StoreError::Overloaded),
            pet::HELD => self.hold().await,
            pet::IN_FLIGHT => return Ok(Creation::InFlight),
            _ => {}
        }
        self.inner.create_pet_once(pet, once).await
    }

    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.inner.forget_idempotency_keys(now, limit).await
    }

    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError> {
        match id {
            pet::PANICS => panic!("{SECRET}"),
            pet::INTERNAL => return Err(StoreError::Internal { source: cause() }),
            pet::CORRUPT => return Err(StoreError::Corrupt { source: cause() }),
            pet::UNAVAILABLE => {
                return Err(StoreError::Unavailable {
                    outcome: Outcome::NotApplied,
                    source: cause(),
                });
            }
            pet::OVERLOADED => return Err(StoreError::Overloaded),
            pet::HELD => self.hold().await,
            _ => {}
        }
        self.inner.pet(id).await
    }

    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError> {
        if !self.list_takes.is_zero() {
            tokio::time::sleep(self.list_takes).await;
        }
        self.inner.list_pets(query).await
    }

    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError> {
        self.inner.create_order(order, at).await
    }

    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        self.inner.create_order_once(order, once).await
    }

    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError> {
        self.inner.update_order(id, to, at).await
    }

    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError> {
        self.inner.order(id).await
    }

    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError> {
        self.inner.list_orders(query).await
    }

    fn records_events(&self) -> bool {
        self.inner.records_events()
    }

    async fn record_events(&self, is_on: bool) -> Result<(), StoreError> {
        self.inner.record_events(is_on).await
    }

    async fn list_events(
        &self,
        query: EventQuery,
    ) -> Result<Result<EventPage, CursorLost>, StoreError> {
        self.inner.list_events(query).await
    }

    async fn forget_events(
        &self,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.inner.forget_events(before, limit).await
    }

    async fn create_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.inner.create_key(key).await
    }

    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError> {
        self.inner.create_first_key(key).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner.list_keys().await
    }

    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError> {
        self.inner.revoke_key(id, at).await
    }

    async fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError> {
        self.looked_up.fetch_add(1, Ordering::SeqCst);
        assert!(!self.key_panics.load(Ordering::SeqCst), "{SECRET}");
        if self.key_hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.inner.find_key(hash).await
    }

    async fn has_keys(&self) -> Result<bool, StoreError> {
        self.inner.has_keys().await
    }

    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError> {
        if self.usage_fails.load(Ordering::SeqCst) {
            self.usage_failed.add_permits(1);
            return Err(StoreError::Overloaded);
        }
        self.inner.record_usage(usage).await
    }

    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError> {
        self.inner.usage().await
    }

    async fn usage_by_day(&self, since: NaiveDate) -> Result<Vec<DailyUsage>, StoreError> {
        self.inner.usage_by_day(since).await
    }

    async fn begin_counting(
        &self,
        operations: Vec<String>,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.inner.begin_counting(operations, at).await
    }

    async fn counted_operations(&self) -> Result<Vec<CountedOperation>, StoreError> {
        self.inner.counted_operations().await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.inner.check().await
    }

    fn stats(&self) -> WriteStats {
        self.inner.stats()
    }

    fn pool(&self) -> PoolStats {
        self.inner.pool()
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.inner.close().await
    }
}

#[async_trait]
impl WebhookStore for Faulty {
    async fn create_endpoint(
        &self,
        endpoint: NewEndpoint,
        most: usize,
    ) -> Result<Option<Endpoint>, StoreError> {
        self.inner.create_endpoint(endpoint, most).await
    }

    async fn list_endpoints(&self, key: Option<KeyId>) -> Result<Vec<Endpoint>, StoreError> {
        self.inner.list_endpoints(key).await
    }

    async fn endpoint(&self, key: KeyId, id: EndpointId) -> Result<Option<Endpoint>, StoreError> {
        self.inner.endpoint(key, id).await
    }

    async fn change_endpoint(
        &self,
        key: KeyId,
        id: EndpointId,
        change: EndpointChange,
        at: DateTime<Utc>,
    ) -> Result<Option<Endpoint>, StoreError> {
        self.inner.change_endpoint(key, id, change, at).await
    }

    async fn delete_endpoint(&self, key: KeyId, id: EndpointId) -> Result<bool, StoreError> {
        self.inner.delete_endpoint(key, id).await
    }

    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        self.inner.list_deliveries(query).await
    }

    async fn redeliver(
        &self,
        endpoint: EndpointId,
        which: Redeliver,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError> {
        self.inner.redeliver(endpoint, which, at).await
    }

    async fn webhook_position(&self) -> Result<i64, StoreError> {
        self.inner.webhook_position().await
    }

    async fn add_deliveries(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError> {
        self.inner.add_deliveries(from, to, messages, at).await
    }

    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        message: NewMessage,
        at: DateTime<Utc>,
    ) -> Result<Option<i64>, StoreError> {
        self.inner.add_delivery(endpoint, message, at).await
    }

    async fn claim_deliveries(
        &self,
        claim: Claim,
    ) -> Result<Vec<(Due, EndpointSecret)>, StoreError> {
        self.inner.claim_deliveries(claim).await
    }

    async fn finish_delivery(
        &self,
        finished: Finished,
        notice: Option<NewMessage>,
    ) -> Result<(), StoreError> {
        self.inner.finish_delivery(finished, notice).await
    }

    async fn webhook_stats(&self) -> Result<WebhookStats, StoreError> {
        self.inner.webhook_stats().await
    }

    async fn forget_deliveries(
        &self,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.inner.forget_deliveries(before, limit).await
    }
}
