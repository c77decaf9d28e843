//! Implements the store on PostgreSQL, which any number of servers can share. Passes each
//! call to the connections that read or to the tasks that write.
//!
//! # Pages
//!
//! Ids are taken from a sequence before the commit, so a pet with a lower id can become
//! visible after a pet with a higher id. A client that follows the pages still gets every
//! pet that existed at the first page exactly once: each page is one statement, whose
//! snapshot contains everything that was committed before the first page was requested, and the
//! pages are ranges of ids without gap or overlap. A page without `more` is the last page.
//! Pets that are added *while* a client follows the pages may be missed, on any
//! backend. But if a caller stores the last id to request new pets later, it can miss a pet
//! on PostgreSQL, and not on SQLite.
//!
//! # Unknown outcomes
//!
//! An outcome is known only when the server has reported it. The outcome is
//! [`Outcome::Unknown`](crate::Outcome::Unknown) if the connection breaks during a write, if a
//! write exceeds its deadline, or if a commit came with a warning. PostgreSQL sends such a
//! warning if a commit stopped waiting for its replica; otherwise, it reports this commit as a
//! success. If the server itself has cancelled a statement, after `lock_timeout` or
//! `statement_timeout`, the statement was rolled back:
//! [`Outcome::NotApplied`](crate::Outcome::NotApplied). These timeouts do not apply
//! to a commit.

mod batch;
mod error;
mod events;
mod idempotency;
mod key_cache;
mod keys;
mod lane;
mod orders;
mod pets;
mod pool;
mod records;
mod schema;
mod session;
mod settings;
mod tls;
mod url;
mod webhooks;
mod writer;

pub use url::PostgresUrl;

use crate::{
    CountedOperation, Creation, CursorLost, DailyUsage, EventPage, EventQuery, FoundKey, KeyHash,
    KeyId, KeyRecord, MayChange, MigrationPlan, NewKey, NotOrdered, NotUpdated, OnMigration, Once,
    OpenProblem, OrderPage, OrderQuery, PetPage, PetQuery, PoolStats, Revocation, Store,
    StoreError, Usage, UsageRecord, WriteStats,
    caller::on_behalf_of,
    event,
    idempotency::OnceOnly,
    key,
    order::stored_time,
    record::{Page, Record as _, bytes_of, split_page, stored_limit},
    usage::stored_day,
    webhook::Database as _,
};
use async_trait::async_trait;
use batch::Write;
use chrono::{DateTime, NaiveDate, Utc};
use key_cache::KeyCache;
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet};
use pool::{Readers, Turn};
use session::{Connector, Session, Use};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use writer::Writer;

pub(crate) struct PostgresStore {
    writer: Arc<Writer>,
    readers: Readers,
    keys: KeyCache,
    /// Whether changes write events. The connections share this flag.
    records_events: Arc<AtomicBool>,
}

impl PostgresStore {
    /// Opens a database. If it is empty, creates the tables or rejects the database.
    pub(crate) async fn open(
        url: PostgresUrl,
        on_migration: OnMigration,
        may_change: MayChange,
    ) -> Result<Self, OpenProblem> {
        let connector = Arc::new(Connector::new(url)?);
        let session = connector.connect_first().await?;
        schema::bring_up_to_date(session.client(), on_migration, may_change).await?;
        let session = session.set_purpose(Use::Write).await;
        let session = session.map_err(schema::failed)?;
        Ok(Self {
            writer: Arc::new(Writer::start(&connector, session)),
            records_events: Arc::clone(&connector.records_events),
            readers: Readers::new(connector),
            keys: KeyCache::default(),
        })
    }
}

/// Reads the certificates that the URL names.
pub(crate) fn check_certificates(url: &PostgresUrl) -> Result<(), OpenProblem> {
    match url.root_certificates() {
        Some(file) => tls::connector(Some(file)).map(drop),
        None => Ok(()),
    }
}

/// Returns the migrations that a database lacks.
pub(crate) async fn migration_plan(url: PostgresUrl) -> Result<MigrationPlan, OpenProblem> {
    let session = Connector::new(url)?.connect_first().await?;
    schema::plan(session.client()).await
}

/// Returns the schema version of a database, or 0 if it contains no store.
pub(crate) async fn schema_version(url: PostgresUrl) -> Result<i64, OpenProblem> {
    let session = Connector::new(url)?.connect_first().await?;
    let version = schema::version(session.client()).await;
    version.map_err(schema::failed)
}

#[async_trait]
impl Store for PostgresStore {
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError> {
        let bytes = bytes_of(&pet);
        let write = |caller| Write::Pet(pet, caller);
        self.writer.queue.write(bytes, write).await
    }

    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError> {
        let (bytes, key) = (bytes_of(&pet), once.key_id);
        let write = |caller| Write::Once(OnceOnly::new(pet, once), caller);
        on_behalf_of(Some(key), self.writer.queue.write(bytes, write)).await
    }

    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let delete = move |db: Arc<Session>| async move {
            idempotency::delete_expired(&db, now, limit).await
        };
        self.writer.write(delete).await
    }

    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError> {
        let statement = &Pet::statements().get;
        let found = self.readers.query(statement, &[id.into()]).await?;
        Ok(found.into_iter().next())
    }

    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError> {
        let page = Page::from(query);
        let found = self
            .readers
            .query(page.on_postgres, &page.parameters)
            .await?;
        let (pets, more) = split_page(found, query.limit);
        Ok(PetPage { pets, more })
    }

    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError> {
        let at = stored_time(at)?;
        let order = Arc::new(order);
        let create = move |db: Arc<Session>| {
            let order = Arc::clone(&order);
            async move { orders::create(&db, &order, at).await }
        };
        self.writer.write_rows(create).await
    }

    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        stored_time(once.at)?;
        let key = once.key_id;
        let creation = Arc::new(OnceOnly::new(order, once));
        let create = move |db: Arc<Session>| {
            let creation = Arc::clone(&creation);
            async move { orders::create_once(&db, &creation).await }
        };
        on_behalf_of(Some(key), self.writer.write_rows(create)).await
    }

    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError> {
        let at = stored_time(at)?;
        let update = move |db: Arc<Session>| async move { orders::update(&db, id, to, at).await };
        self.writer.write_rows(update).await
    }

    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError> {
        let statement = &Order::statements().get;
        let found = self.readers.query(statement, &[id.into()]).await?;
        Ok(found.into_iter().next())
    }

    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError> {
        let page = Page::from(query);
        let found = self
            .readers
            .query(page.on_postgres, &page.parameters)
            .await?;
        let (orders, more) = split_page(found, query.limit);
        Ok(OrderPage { orders, more })
    }

    fn records_events(&self) -> bool {
        self.records_events.load(Ordering::Relaxed)
    }

    async fn record_events(&self, is_on: bool) -> Result<(), StoreError> {
        event::record_changes(self, &self.records_events, is_on).await
    }

    async fn list_events(
        &self,
        query: EventQuery,
    ) -> Result<Result<EventPage, CursorLost>, StoreError> {
        event::read_page(self, &query).await
    }

    async fn forget_events(
        &self,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let values = vec![before.into(), stored_limit(limit).into()];
        let deleted: Vec<i64> = self.change(events::DELETE_BEFORE, values).await?;
        Ok(deleted.len())
    }

    async fn create_key(&self, key: NewKey) -> Result<(), StoreError> {
        let insert = move |db: Arc<Session>| async move { keys::insert(&db, &key).await };
        self.writer.write(insert).await
    }

    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError> {
        let insert = move |db: Arc<Session>| async move { keys::insert_first(&db, &key).await };
        self.writer.write(insert).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.readers.query(key::sql::ALL, &[]).await
    }

    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError> {
        let revoke = move |db: Arc<Session>| async move { keys::revoke(&db, id, at).await };
        self.keys.forget_all();
        let revoked = self.writer.write(revoke).await;
        self.keys.forget_all();
        revoked
    }

    async fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError> {
        let look_up = match self.keys.find(hash) {
            Ok(found) => return Ok(Some(found)),
            Err(look_up) => look_up,
        };
        let candidates = self
            .readers
            .query(key::sql::FIND, &[hash.as_value()])
            .await?;
        let found = key::confirmed(candidates, hash);
        if let Some(found) = found {
            self.keys.add(look_up, *hash, found);
        }
        Ok(found)
    }

    async fn has_keys(&self) -> Result<bool, StoreError> {
        let keys: Vec<KeyId> = self.readers.query(key::sql::ANY, &[]).await?;
        Ok(!keys.is_empty())
    }

    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError> {
        let add = move |db: Arc<Session>| async move { keys::add_usage(&db, &usage).await };
        self.writer.write(add).await
    }

    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError> {
        self.readers.query(UsageRecord::ALL, &[]).await
    }

    async fn usage_by_day(&self, since: NaiveDate) -> Result<Vec<DailyUsage>, StoreError> {
        let since = stored_day(since).into();
        self.readers.query(DailyUsage::SINCE, &[since]).await
    }

    async fn begin_counting(
        &self,
        operations: Vec<String>,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let begin =
            move |db: Arc<Session>| async move { keys::begin_counting(&db, &operations, at).await };
        self.writer.write(begin).await
    }

    async fn counted_operations(&self) -> Result<Vec<CountedOperation>, StoreError> {
        self.readers.query(CountedOperation::ALL, &[]).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        let probe = |db: Arc<Session>| async move { schema::probe(&db).await };
        self.writer.queue.check(self.writer.write(probe)).await?;
        let look = |db: Arc<Session>| async move {
            let db = db.client();
            let (settings, tables) = tokio::try_join!(settings::check(db), schema::check(db))?;
            Ok(settings.or(tables))
        };
        // If this check waited for the reads of all clients, a busy service would look like a failed one.
        self.readers
            .read(Turn::AtOnce, look)
            .await?
            .map_or(Ok(()), |fault| Err(StoreError::not_applied(fault)))
    }

    fn stats(&self) -> WriteStats {
        self.writer.queue.stats()
    }

    fn pool(&self) -> PoolStats {
        self.readers.stats()
    }

    async fn close(&self) -> Result<(), StoreError> {
        let closed = self.writer.close().await;
        self.readers.close().await;
        closed
    }
}
