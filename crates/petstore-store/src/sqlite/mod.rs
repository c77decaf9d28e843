//! Implements the store on SQLite, in a file or in memory. Passes each call to the
//! connections that read or to the thread that writes.

mod backup;
mod checksum;
mod connection;
mod error;
mod events;
mod files;
mod idempotency;
mod idle_transaction;
mod key_cache;
mod keys;
mod last_backup;
mod log;
mod open;
mod orders;
mod pets;
mod readers;
mod records;
mod schema;
mod server_mark;
#[cfg(test)]
mod tests;
mod unfinished;
mod webhooks;
mod writer;

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
    record::{Page, bytes_of, pet_with_id, split_page},
    usage::stored_day,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use connection::Slot;
use events::Feed;
use files::Files;
use key_cache::KeyCache;
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet};
use readers::{DiskReaders, Readers};
use rusqlite::Connection;
use schema::Identity;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use writer::Writer;

pub use backup::{BackupContents, Restored};
pub use server_mark::ServerMark;

pub(crate) use backup::{copy, restore, verify};
pub(crate) use last_backup::write as record_backup;

pub(crate) struct SqliteStore {
    writer: Writer,
    readers: Readers,
    keys: Arc<KeyCache>,
    /// `None` for a store in memory.
    files: Option<Files>,
    /// Whether changes write events.
    records_events: AtomicBool,
}

/// Returns a connection to a database file, and the kind of the file; `None` if the file does not exist.
fn identified(path: &Path) -> Result<Option<(Connection, Identity)>, OpenProblem> {
    let Some(db) = open::existing(path)? else {
        return Ok(None);
    };
    let identity = schema::identify(&db).map_err(open::rejection)?;
    Ok(Some((db, identity)))
}

/// Returns the schema version of a database file, or 0 if it contains no store.
pub(crate) fn schema_version(path: &Path) -> Result<i64, OpenProblem> {
    Ok(match identified(path)? {
        Some((_, Identity::Store(version))) => version,
        _ => 0,
    })
}

/// Whether there is a file that is not empty. Opening it checks whether it is a store.
fn is_store(path: &Path) -> Result<bool, OpenProblem> {
    Ok(identified(path)?.is_some_and(|(_, identity)| identity != Identity::Empty))
}

/// Returns the migrations that a store in a file lacks.
pub(crate) fn migration_plan(path: &Path) -> Result<MigrationPlan, OpenProblem> {
    let (db, identity) = identified(path)?.ok_or(OpenProblem::NoStore)?;
    open::accept(identity)?;
    if identity == Identity::Empty {
        return Err(OpenProblem::NoStore);
    }
    schema::plan(&db).map_err(open::rejection)
}

impl SqliteStore {
    /// Opens a database file. If it does not exist, creates the store or returns an error.
    pub(crate) fn in_file(
        path: &Path,
        on_migration: OnMigration,
        may_change: MayChange,
    ) -> Result<Self, OpenProblem> {
        if may_change != MayChange::Anything && !is_store(path)? {
            return Err(OpenProblem::NoStore);
        }
        let open::File {
            writer,
            readers,
            disk_readers,
            files,
        } = open::file(path, on_migration, may_change)?;
        let disk_readers = DiskReaders::start(disk_readers).map_err(OpenProblem::NoThread)?;
        let readers = readers.into_iter().map(Slot::new).collect();
        let keys = Arc::<KeyCache>::default();
        Ok(Self {
            writer: Writer::start(Slot::new(writer), Some(files.clone()), keys.clone())?,
            readers: Readers::new(readers, Some(disk_readers)),
            keys,
            files: Some(files),
            records_events: AtomicBool::new(true),
        })
    }

    /// Creates a database in memory.
    pub(crate) fn in_memory() -> Result<Self, OpenProblem> {
        let only = Slot::new(open::memory()?);
        let keys = Arc::<KeyCache>::default();
        Ok(Self {
            writer: Writer::start(only.clone(), None, keys.clone())?,
            readers: Readers::new(vec![only], None),
            keys,
            files: None,
            records_events: AtomicBool::new(true),
        })
    }

    fn feed(&self) -> Feed {
        Feed(self.records_events())
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError> {
        let (at, feed) = (Utc::now().timestamp_micros(), self.feed());
        self.writer
            .write_large(bytes_of(&pet), move |db| {
                let id = pets::insert(db, &pet, at, feed)?;
                Ok(pet_with_id(id, &pet))
            })
            .await
    }

    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError> {
        let key = once.key_id;
        let (create, feed) = (OnceOnly::new(pet, once), self.feed());
        let bytes = bytes_of(&create.value);
        let created = self.writer.write_large(bytes, move |db| {
            let insert = |db: &_, pet: &_| Ok(Ok(pets::insert(db, pet, create.at(), feed)?));
            idempotency::create(db, &create, insert)
        });
        on_behalf_of(Some(key), created).await
    }

    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.writer
            .write(move |db| idempotency::delete_expired(db, now, limit))
            .await
    }

    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError> {
        self.readers.read(move |db| records::get(db, id)).await
    }

    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError> {
        // A new filter must also be added to `PAGE_OF_STATUS`, which has the same parameters as `page`.
        let PetQuery {
            after: _,
            status,
            limit,
        } = query;
        let page = Page::from(query);
        let statement = match status {
            None => page.statement,
            Some(_) => pets::PAGE_OF_STATUS.as_str(),
        };
        let mut found: Vec<Pet> = self.readers.query(statement, page.parameters).await?;
        if status.is_some() {
            found.iter_mut().for_each(|pet| pet.status = status);
        }
        let (pets, more) = split_page(found, limit);
        Ok(PetPage { pets, more })
    }

    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError> {
        let (at, feed) = (stored_time(at)?, self.feed());
        self.writer
            .write(move |db| orders::create(db, &order, at, feed))
            .await
    }

    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        let (at, key) = (stored_time(once.at)?, once.key_id);
        let (create, feed) = (OnceOnly::new(order, once), self.feed());
        let created = self.writer.write(move |db| {
            let insert =
                |db: &_, order: &_| Ok(orders::create(db, order, at, feed)?.map(|order| order.id));
            idempotency::create(db, &create, insert)
        });
        on_behalf_of(Some(key), created).await
    }

    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError> {
        let (at, feed) = (stored_time(at)?, self.feed());
        self.writer
            .write(move |db| orders::update(db, id, to, at, feed))
            .await
    }

    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError> {
        self.readers.read(move |db| records::get(db, id)).await
    }

    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError> {
        let page = Page::from(query);
        let found = self.readers.query(page.statement, page.parameters).await?;
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
        let before = before.timestamp_micros();
        self.writer
            .write(move |db| events::delete_before(db, before, limit))
            .await
    }

    async fn create_key(&self, key: NewKey) -> Result<(), StoreError> {
        let insert = move |db: &_| keys::insert(db, &key);
        let inserted = self.writer.write(insert).await?;
        inserted.then_some(()).ok_or(StoreError::KeyExists)
    }

    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError> {
        self.writer
            .write(move |db| keys::insert_first(db, &key))
            .await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.readers.query(key::sql::ALL, Vec::new()).await
    }

    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError> {
        let keys = self.keys.clone();
        let revoke = move |db: &_| {
            keys.begin_revocation();
            keys::revoke(db, &id, at)
        };
        self.writer.write(revoke).await
    }

    async fn find_key(&self, hash: &KeyHash) -> Result<Option<FoundKey>, StoreError> {
        let cached = |db: &_| Ok(self.keys.find(db, hash));
        let (cached, version) = self.readers.read_here(cached)?;
        if cached.is_some() {
            return Ok(cached);
        }
        let own = *hash;
        let find = move |db: &_| records::all(db, key::sql::FIND, &[own.as_value()]);
        let candidates = self.readers.read(find).await?;
        let found = key::confirmed(candidates, hash);
        if let Some(found) = found {
            self.keys.add(version, own, found);
        }
        Ok(found)
    }

    async fn has_keys(&self) -> Result<bool, StoreError> {
        let keys: Vec<KeyId> = self.readers.query(key::sql::ANY, Vec::new()).await?;
        Ok(!keys.is_empty())
    }

    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError> {
        self.writer
            .write(move |db| keys::add_usage(db, &usage))
            .await
    }

    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError> {
        self.readers.query(UsageRecord::ALL, Vec::new()).await
    }

    async fn usage_by_day(&self, since: NaiveDate) -> Result<Vec<DailyUsage>, StoreError> {
        let since = stored_day(since).into();
        self.readers.query(DailyUsage::SINCE, vec![since]).await
    }

    async fn begin_counting(
        &self,
        operations: Vec<String>,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.writer
            .write(move |db| keys::begin_counting(db, &operations, at))
            .await
    }

    async fn counted_operations(&self) -> Result<Vec<CountedOperation>, StoreError> {
        self.readers.query(CountedOperation::ALL, Vec::new()).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        let probe = self.writer.write(schema::rewrite_version);
        self.writer.queue.check(probe).await?;
        if let Some(files) = &self.files {
            files.check().map_err(StoreError::not_applied)?;
        }
        self.readers.read(schema::check).await?;
        match self.readers.read(schema::table_without_ids).await? {
            None => Ok(()),
            Some(table) => Err(StoreError::not_applied(error::NoIds(table))),
        }
    }

    fn stats(&self) -> WriteStats {
        self.writer.queue.stats()
    }

    fn pool(&self) -> PoolStats {
        self.readers.stats()
    }

    fn last_backup(&self) -> Option<DateTime<Utc>> {
        last_backup::read(self.files.as_ref()?.database()?)
    }

    async fn close(&self) -> Result<(), StoreError> {
        let closed = self.writer.close().await;
        self.readers.close().await;
        closed
    }
}
