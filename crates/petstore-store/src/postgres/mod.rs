//! Implements the store on PostgreSQL, which any number of servers share: hands each
//! call to the connections that read or to the tasks that write.
//!
//! # How the promises are kept
//!
//! **Durability.** A commit is as durable as the server makes it, and a server
//! that makes it less than `synchronous_commit=on` and `fsync=on` is rejected.
//! An outcome is known only when the server has reported it: a connection that
//! breaks or exceeds a deadline in the middle of a write, and a commit that came
//! with a warning, are [`Outcome::Unknown`](crate::Outcome::Unknown). The
//! warning is the one that tells of a commit whose wait for a replica was
//! cancelled, and which the server otherwise reports as a success. For the same
//! reason nothing here ever cancels a write: its connection is dropped.
//!
//! **Order.** Ids are drawn from a sequence before the commit, so a pet with a
//! lower id can become visible after one with a higher id. A walk still meets
//! every pet that was there when it began, exactly once. Each page is one
//! statement, so it sees one snapshot, and each snapshot of the walk holds all
//! that was committed before the walk began. The pages are ranges of ids that
//! follow one another without gap or overlap, so such a pet lies in exactly one
//! of them, and its page sees it. A page without `more` saw that nothing lay
//! beyond it, so no such pet can be left. What was added *during* a walk may be
//! missed, as it may be on any backend; but a caller that
//! keeps the last id to ask later for new pets can miss one here, and not on
//! SQLite.
//!
//! **Isolation.** All reads go to the server that takes writes, so they see
//! every write that returned before. No key is cached: a look-up is one round trip, and
//! a key that was revoked counts from the next look-up on.

mod batch;
mod error;
mod idempotency;
mod keys;
mod orders;
mod pets;
mod pool;
mod records;
mod schema;
mod session;
mod tls;
mod url;
mod usage;
mod writer;
mod writes;

pub use error::PostgresError;
pub use url::PostgresUrl;

use crate::{
    Creation, KeyHash, KeyId, KeyRecord, NewKey, NotOrdered, NotUpdated, Once, OrderPage,
    OrderQuery, PetPage, PetQuery, PoolStats, Revocation, Store, StoreError, Usage, UsageRecord,
    WriteStats, idempotency::OnceOnly, order::stored_time, record::split_page,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet};
use pool::Readers;
use session::Connector;
use std::sync::Arc;
use writer::Writer;
use writes::Writes;

struct PostgresStore {
    writer: Writer,
    readers: Readers,
}

/// Opens a database, and makes its tables if it is empty.
pub(crate) async fn open(url: PostgresUrl) -> Result<Arc<dyn Store>, PostgresError> {
    let database = url.to_string();
    let connector = Arc::new(Connector::new(url)?);
    let session = connector.connect_first().await?;
    schema::bring_up_to_date(session.client(), &database).await?;
    drop(session);
    let writer = Writer::start(&connector);
    Ok(Arc::new(PostgresStore {
        writer,
        readers: Readers::new(connector),
    }))
}

/// The schema version of a database; 0 where there is no store in it.
pub(crate) async fn schema_version(url: PostgresUrl) -> Result<i64, PostgresError> {
    let database = url.to_string();
    let session = Connector::new(url)?.connect_first().await?;
    schema::version_of(session.client(), &database).await
}

#[async_trait]
impl Store for PostgresStore {
    async fn create_pet(&self, pet: NewPet) -> Result<Pet, StoreError> {
        self.writer.create(pet).await
    }

    async fn create_pet_once(&self, pet: NewPet, once: Once) -> Result<Creation, StoreError> {
        self.writer.create_once(OnceOnly::new(pet, once)).await
    }

    async fn forget_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let delete = move |db: Arc<Writes>| {
            Box::pin(async move { idempotency::delete_expired(&db.session, now, limit).await }) as _
        };
        self.writer.write(delete).await
    }

    async fn pet(&self, id: i64) -> Result<Option<Pet>, StoreError> {
        let row = self
            .readers
            .read(move |db| async move { db.pets.get(db.session.client(), id).await })
            .await?;
        row.as_ref().map(records::record_of).transpose()
    }

    async fn list_pets(&self, query: PetQuery) -> Result<PetPage, StoreError> {
        let rows = self
            .readers
            .read(move |db| async move { db.pets.page(db.session.client(), &query.into()).await })
            .await?;
        let found = rows
            .iter()
            .map(records::record_of)
            .collect::<Result<_, _>>()?;
        let (pets, more) = split_page(found, query.limit);
        Ok(PetPage { pets, more })
    }

    async fn create_order(
        &self,
        order: NewOrder,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotOrdered>, StoreError> {
        let at = stored_time(at)?;
        let create = move |db: Arc<Writes>| {
            let order = order.clone();
            Box::pin(async move { db.orders.create(&db.session, &order, at).await }) as _
        };
        self.writer.write(create).await
    }

    async fn create_order_once(
        &self,
        order: NewOrder,
        once: Once,
    ) -> Result<Creation<Order, NotOrdered>, StoreError> {
        stored_time(once.at)?;
        let creation = Arc::new(OnceOnly::new(order, once));
        let create = move |db: Arc<Writes>| {
            let creation = Arc::clone(&creation);
            Box::pin(async move { db.orders.create_once(&db.session, &creation).await }) as _
        };
        self.writer.write(create).await
    }

    async fn update_order(
        &self,
        id: i64,
        to: OrderStatus,
        at: DateTime<Utc>,
    ) -> Result<Result<Order, NotUpdated>, StoreError> {
        let at = stored_time(at)?;
        let update = move |db: Arc<Writes>| {
            Box::pin(async move { db.orders.update(&db.session, id, to, at).await }) as _
        };
        self.writer.write(update).await
    }

    async fn order(&self, id: i64) -> Result<Option<Order>, StoreError> {
        let row = self
            .readers
            .read(move |db| async move { db.orders.get(db.session.client(), id).await })
            .await?;
        row.as_ref().map(records::record_of).transpose()
    }

    async fn list_orders(&self, query: OrderQuery) -> Result<OrderPage, StoreError> {
        let rows = self
            .readers
            .read(move |db| async move { db.orders.page(db.session.client(), &query.into()).await })
            .await?;
        let found = rows
            .iter()
            .map(records::record_of)
            .collect::<Result<_, _>>()?;
        let (orders, more) = split_page(found, query.limit);
        Ok(OrderPage { orders, more })
    }

    async fn create_key(&self, key: NewKey) -> Result<(), StoreError> {
        let key = Arc::new(key);
        let insert = move |db: Arc<Writes>| {
            let key = Arc::clone(&key);
            Box::pin(async move { keys::insert(&db.session, &key).await }) as _
        };
        self.writer.write(insert).await
    }

    async fn create_first_key(&self, key: NewKey) -> Result<bool, StoreError> {
        let key = Arc::new(key);
        let insert = move |db: Arc<Writes>| {
            let key = Arc::clone(&key);
            Box::pin(async move { keys::insert_first(&db.session, &key).await }) as _
        };
        self.writer.write(insert).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        let rows = self
            .readers
            .read(|db| async move { db.keys.all(db.session.client()).await })
            .await?;
        rows.iter().map(keys::record_of).collect()
    }

    async fn revoke_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<Revocation, StoreError> {
        let revoke = move |db: Arc<Writes>| {
            let id = id;
            Box::pin(async move { keys::revoke(&db.session, id.as_str(), at).await }) as _
        };
        self.writer.write(revoke).await
    }

    async fn find_key(&self, hash: &KeyHash) -> Result<Option<KeyId>, StoreError> {
        let wanted = *hash;
        let row = self
            .readers
            .read(move |db| async move { db.keys.find(db.session.client(), wanted).await })
            .await?;
        row.map_or(Ok(None), |row| keys::confirmed(&row, hash))
    }

    async fn has_keys(&self) -> Result<bool, StoreError> {
        let row = self
            .readers
            .read(|db| async move { db.keys.any(db.session.client()).await })
            .await?;
        row.try_get(0).map_err(error::unreadable)
    }

    async fn record_usage(&self, usage: Usage) -> Result<(), StoreError> {
        let usage = Arc::new(usage);
        let add = move |db: Arc<Writes>| {
            let usage = Arc::clone(&usage);
            Box::pin(async move { usage::add(&db.session, &usage).await }) as _
        };
        self.writer.write(add).await
    }

    async fn usage(&self) -> Result<Vec<UsageRecord>, StoreError> {
        let rows = self
            .readers
            .read(|db| async move { usage::all(db.session.client()).await })
            .await?;
        rows.iter().map(usage::record_of).collect()
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.writer.check()?;
        let look = |db: Arc<pool::Reader>| async move {
            let db = db.session.client();
            let (settings, tables) = tokio::try_join!(session::check(db), schema::check(db))?;
            Ok(settings.or(tables))
        };
        self.readers
            .read(look)
            .await?
            .map_or(Ok(()), |fault| Err(error::not_applied(fault)))
    }

    fn stats(&self) -> WriteStats {
        self.writer.stats()
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
