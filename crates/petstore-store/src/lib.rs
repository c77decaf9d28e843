//! Stores pets, orders, API keys and webhooks: one trait, [`Store`], and its implementations for
//! SQLite and PostgreSQL. This crate does not depend on an HTTP server.
//!
//! ```
//! use petstore_store::{DatabaseUrl, PetQuery};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let url: DatabaseUrl = "sqlite::memory:".parse()?;
//! let store = petstore_store::open(&url).await?;
//! let page = store.list_pets(PetQuery::first(20)).await?;
//! assert!(page.pets.is_empty() && !page.more);
//! store.close().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! **Durability.** A write that returned `Ok` is on disk and survives a crash of
//! the process and a loss of power. A write that returned an error either did not
//! happen or has an unknown outcome; the error says which ([`Outcome`]). A write
//! is applied completely or not at all.
//!
//! **Completion.** Dropping the future of a write
//! does not cancel the write: the caller then does not know its outcome, as after a
//! lost connection.
//!
//! **Order.** Ids of pets begin at 1, ascend, and are never reused. Paging
//! by [`PetQuery::after`] returns every pet that existed at the first page exactly
//! once, even if pets are added meanwhile. On SQLite, ids also ascend in the order in
//! which pets become visible. On PostgreSQL, a new pet can have a smaller id than a pet
//! that is already visible.
//!
//! **Isolation.** A read sees every write that returned before the read
//! began, even a write of another process, and never a part of a write. The next look-up finds
//! a key that another process has created. It does not find a key that this process has revoked,
//! or, on SQLite, that another process has revoked. On PostgreSQL, a key that another process has
//! revoked is found for up to half a second longer.
//!
//! **Orders.** An order and its pet change in one transaction, and only by the table in
//! [`transitions`]. If several orders for one pet, or several changes of one order, arrive at the
//! same moment, only one of them is made; the others return the reason. Ids of orders follow the
//! same rules as ids of pets. Paging by [`OrderQuery::before`] returns every order that existed at
//! the first page exactly once, and on SQLite no order that was placed later. If the status of an
//! order changes meanwhile, the pages of a status may or may not contain it.
//!
//! **Idempotency.** For [`IDEMPOTENCY_KEYS_KEPT`], a creation with an [`IdempotencyKey`]
//! ([`Store::create_pet_once`], [`Store::create_order_once`]) happens only once, even if several
//! processes repeat it: the key is written in the transaction of the row that
//! it creates. The caller's clock determines the age of a key. If that clock is set
//! back, keys are kept longer, never shorter.
//!
//! **Events.** Each change of a pet or an order writes its events in the same transaction
//! ([`Store::list_events`]). Their positions ascend in the order of the commits of all
//! processes: an event never appears before a position that was read. Positions are never reused.
//! A position from another history of the store, for example from before a restore, is detected
//! ([`CursorLost`]).
//!
//! **Webhooks.** The deliveries of an event are created in one transaction, which also stores the position up to
//! which deliveries were created ([`WebhookStore::add_deliveries`]). So the deliveries of each event are created only
//! once, even if several servers try it. A server claims a delivery with a lease. Until the lease ends, no other server
//! claims the delivery. If another server has got a new lease, a result under the old lease has no effect. If a server
//! ends, its deliveries are claimed again, so a message can be sent more than once, with the same id.
//!
//! **Overload.** The queue of writes is bounded, both in the number of writes and in the
//! bytes that they hold. If the queue is full, a write is rejected at once with
//! [`StoreError::Overloaded`] and without any effect. API keys share the queue
//! ([`on_behalf_of`]): a single key gets at most three quarters of it, so that it cannot block the
//! writes of other keys. If more writes wait than fit into a batch, the
//! keys take turns. All writes without an API key together count as one key.
//!
//! **Health.** [`Store::check`] fails with [`StoreError::NotWritable`] if writes wait or have failed
//! and no write has succeeded for five seconds. It succeeds again as soon as a write
//! succeeds. If there is no write for two seconds after a failure, the check itself tries a write
//! that changes nothing.
//!
//! # The implementation on SQLite
//!
//! - The file is in WAL mode with `synchronous=FULL`: a commit returns after
//!   its log records were synced. Readers work on a snapshot and never wait
//!   for the writer.
//! - One thread owns the connection that writes. It takes all queued writes,
//!   runs them in one transaction, commits once, and then returns each result
//!   (group commit). If only one write is queued, it does not wait for others. If a write
//!   fails, only this write is rolled back.
//! - Reads run on the caller's thread, on one of a few connections: a page costs about 10 µs, less
//!   than passing it to another thread and back.
//! - Each schema version is one numbered file in `src/sqlite/migrations`. It is
//!   applied in one transaction when the store is opened. A file of a newer version, and a file
//!   of another program, is rejected and not changed.
//! - If the file were removed or replaced while it is open, writes would be lost.
//!   So each batch checks, before and after, that the file names still belong to the
//!   files that were opened. If they do not, writes are rejected and [`Store::check`] fails
//!   until the file is put back. Reads continue to use
//!   the file that was opened.
//! - `sqlite::memory:` is one connection that reads and writes use in turns. A
//!   batch holds the connection from begin to commit, so the isolation is the same. The data
//!   exists only in memory, as long as the store exists.
//!
//! # The implementation on PostgreSQL
//!
//! - The servers of the service hold no state: any number of them can share the database that
//!   [`PostgresUrl`] names. Reads and writes go to the database host that accepts writes.
//!   After a failover, the next connection finds the new host automatically, even if other
//!   hosts do not respond at all. The host that was used last is tried first.
//! - Creations that arrive together are one statement: one round trip and one
//!   commit. If the database rejects one of them, all of them are sent again as single
//!   statements, pipelined. A creation never waits for another server that uses its idempotency key
//!   ([`Creation::InFlight`]).
//! - Placing or changing an order is one statement in its own transaction.
//!   It locks the row of the order, then the row of the pet, and holds both locks until
//!   the commit is durable. It never waits for a row that another transaction has locked,
//!   since the writes behind it would wait, too. Instead, it changes nothing, and is tried again for
//!   five seconds, each time as a new write.
//! - A statement takes the positions of its events from one row, after all its changes, and keeps that row
//!   locked until its commit is visible. So only one commit with events runs at a time, among all servers. Batches
//!   compensate for this.
//! - A statement for webhooks locks an endpoint before its deliveries, and skips deliveries that another transaction
//!   has locked. A unique index limits the number of endpoints of a key: each endpoint has one of the
//!   slots of its key.
//! - Each new connection checks the settings of the PostgreSQL server. A server with `fsync=off`, or with
//!   `synchronous_commit` below `on`, is rejected. If a write waits for another lock for a second, such as the
//!   lock of a table, the PostgreSQL server cancels it and rolls it back. A commit that waits for its disk or
//!   its replica is never cancelled: it would become visible and report success although it can still be lost.
//!   If a commit takes too long, its outcome is unknown, and its connection takes no further write until it is
//!   complete. The outcome of a commit with a warning is unknown, too.
//! - If writes that arrived together take longer than 20 ms, each result is returned as soon as it
//!   is available, so that a creation does not wait for a write that waits for a lock.
//! - Writes use only open connections. If no connection is open, writes are rejected.
//! - Many callers share each of a few connections that read, and their
//!   statements are pipelined. Migrations run in one transaction under an advisory
//!   lock.
//!
//! Both implementations cache keys that exist, but not that a key is missing. On SQLite, the cache
//! compares the version of the newest commit, which all processes share in memory, so it
//! never returns a stale key. On PostgreSQL, this would take a round trip, so a key is looked
//! up again after half a second.
//!
//! # To add a backend
//!
//! Implement [`Store`], add a variant to [`DatabaseUrl`] and a match arm to [`open`],
//! and add one line at the end of `tests/suite/contract/mod.rs`: every backend must
//! pass these tests.
//!
//! # To add a member to a pet or an order
//!
//! Add its column in `src/record.rs`, follow the compiler errors, and write a
//! migration for each database.

mod caller;
mod error;
mod event;
mod id;
mod idempotency;
mod key;
mod migration;
mod order;
mod postgres;
mod record;
mod row;
mod sqlite;
mod stats;
mod store;
pub mod transitions;
mod url;
mod usage;
mod webhook;
mod write_health;
mod write_queue;

pub use caller::{caller, on_behalf_of};
pub use error::{
    BackupError, BackupProblem, Cause, OpenError, OpenProblem, Outcome, RestoreError, StoreError,
};
pub use event::{CursorLost, EventPage, EventQuery, EventsAfter, StoredEvent};
pub use idempotency::{
    Creation, IDEMPOTENCY_KEYS_KEPT, IdempotencyKey, InvalidIdempotencyKey, Once,
};
pub use key::{
    FoundKey, InvalidKeyId, InvalidKeyScope, KeyHash, KeyId, KeyLimits, KeyRate, KeyRecord,
    KeyScope, NewKey, Revocation,
};
pub use migration::{MigrationPlan, MigrationProgress, OnMigration};
pub use order::{NotOrdered, NotUpdated, OrderPage, OrderQuery};
pub use postgres::PostgresUrl;
pub use sqlite::{BackupContents, Restored, ServerMark};
pub use stats::{BATCH_SIZES, PoolStats, WriteStats};
pub use store::*;
pub use url::{DatabaseUrl, InvalidDatabaseUrl};
pub use usage::{CountedOperation, DailyUsage, KeyUse, Usage, UsageDelta, UsageRecord};

pub use webhook::{
    COUNTED_PER_ENDPOINT, DeliveryPage, DeliveryQuery, Endpoint, EndpointChange, EndpointId,
    EndpointSecret, InvalidEndpointId, Missed, NewEndpoint, NewMessage, REDELIVERED_AT_ONCE,
    Redeliver, WebhookStats, WebhookStore,
};

use chrono::{DateTime, Utc};
use postgres::PostgresStore;
use sqlite::SqliteStore;
use std::{io, path::Path, sync::Arc};
use tokio::task::spawn_blocking;

/// Opens the store that `url` names. Creates the store if it does not exist, and upgrades it if its
/// schema is older.
///
/// # Errors
///
/// [`OpenError`] says what is wrong and what to do. A rejected database was not
/// changed.
pub async fn open(url: &DatabaseUrl) -> Result<Arc<dyn Store>, OpenError> {
    open_with(url, Arc::new(|_| {})).await
}

/// Like [`open`], but reports the progress of a migration, which takes minutes on a large store.
///
/// # Errors
///
/// As [`open`].
pub async fn open_with(
    url: &DatabaseUrl,
    on_migration: OnMigration,
) -> Result<Arc<dyn Store>, OpenError> {
    open_as(url, on_migration, MayChange::Anything).await
}

/// Like [`open_with`], but rejects a database without a store, with [`OpenProblem::NoStore`],
/// instead of creating one.
///
/// # Errors
///
/// As [`open`].
pub async fn open_existing(
    url: &DatabaseUrl,
    on_migration: OnMigration,
) -> Result<Arc<dyn Store>, OpenError> {
    open_as(url, on_migration, MayChange::Schema).await
}

/// Opens a store that has the schema of this version. Rejects a store with an older schema with
/// [`OpenProblem::TooOld`], and a database without a store with [`OpenProblem::NoStore`]. Changes
/// nothing.
///
/// # Errors
///
/// As [`open`].
pub async fn open_current(url: &DatabaseUrl) -> Result<Arc<dyn Store>, OpenError> {
    open_as(url, Arc::new(|_| {}), MayChange::Nothing).await
}

/// The changes that opening a store may make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MayChange {
    /// A missing store is created, and an older one is upgraded.
    Anything,
    /// An older store is upgraded.
    Schema,
    /// An older store is rejected.
    Nothing,
}

async fn open_as(
    url: &DatabaseUrl,
    on_migration: OnMigration,
    may_change: MayChange,
) -> Result<Arc<dyn Store>, OpenError> {
    let opened = match url.clone() {
        DatabaseUrl::SqliteFile(path) => {
            blocking(move || SqliteStore::in_file(&path, on_migration, may_change))
                .await
                .map(shared)
        }
        DatabaseUrl::SqliteMemory => SqliteStore::in_memory().map(shared),
        DatabaseUrl::Postgres(url) => PostgresStore::open(url, on_migration, may_change)
            .await
            .map(shared),
    };
    opened.map_err(|problem| not_opened(url, problem))
}

/// Returns the upgrade that [`open`] would make, and an estimate of its duration. Changes nothing.
///
/// # Errors
///
/// [`OpenError`]: the store cannot be read, or is of a newer version.
pub async fn migration_plan(url: &DatabaseUrl) -> Result<MigrationPlan, OpenError> {
    let plan = match url.clone() {
        DatabaseUrl::SqliteFile(path) => blocking(move || sqlite::migration_plan(&path)).await,
        DatabaseUrl::SqliteMemory => Ok(MigrationPlan::default()),
        DatabaseUrl::Postgres(url) => postgres::migration_plan(url).await,
    };
    plan.map_err(|problem| not_opened(url, problem))
}

/// Marks the file of an open store as used by a server until the mark is dropped. The mark also
/// says whether other servers use the file. A store that is not a file is not marked. Drop the mark
/// after the store was closed.
///
/// # Errors
///
/// [`OpenError`]: the file cannot be opened again.
pub fn mark_server(url: &DatabaseUrl) -> Result<ServerMark, OpenError> {
    let marked = match url {
        DatabaseUrl::SqliteFile(path) => ServerMark::of(path),
        DatabaseUrl::SqliteMemory | DatabaseUrl::Postgres(_) => Ok(ServerMark::default()),
    };
    marked.map_err(|problem| not_opened(url, OpenProblem::failed(problem)))
}

/// Returns the schema version of the store that `url` names, or 0 if the store does not exist yet.
/// Changes nothing. [`open`] upgrades the store to the version that this code needs.
///
/// # Errors
///
/// [`OpenError`]: the store cannot be read.
pub async fn schema_version(url: &DatabaseUrl) -> Result<i64, OpenError> {
    let version = match url.clone() {
        DatabaseUrl::SqliteFile(path) => blocking(move || sqlite::schema_version(&path)).await,
        DatabaseUrl::SqliteMemory => Ok(0),
        DatabaseUrl::Postgres(url) => postgres::schema_version(url).await,
    };
    version.map_err(|problem| not_opened(url, problem))
}

/// Copies the store that `url` names to a new file. The copy is a store with the
/// same schema and contains every write that returned before the call. Any number of
/// processes may use the store meanwhile. The file appears
/// under its name when it is complete and synced. Only its owner may read
/// it, since it contains the same data as the store.
///
/// # Errors
///
/// [`BackupError`] says what is wrong and what to do. The store is not changed, nor is an existing
/// file with this name.
pub async fn backup(url: &DatabaseUrl, to: &Path) -> Result<(), BackupError> {
    let copied = match url.clone() {
        DatabaseUrl::SqliteFile(from) => {
            let to = to.to_owned();
            blocking(move || sqlite::copy(&from, &to)).await
        }
        DatabaseUrl::SqliteMemory | DatabaseUrl::Postgres(_) => Err(BackupProblem::NotAFile),
    };
    copied.map_err(|problem| BackupError {
        from: url.to_string(),
        to: to.to_owned(),
        problem,
    })
}

/// Stores the time at which a backup of the store that `url` names was begun, for [`Store::last_backup`].
/// The time is in a separate file next to the store, since a backup can replace the store itself.
///
/// # Errors
///
/// The file cannot be written; the error names it.
pub fn record_backup(url: &DatabaseUrl, begun: DateTime<Utc>) -> io::Result<()> {
    match url {
        DatabaseUrl::SqliteFile(store) => sqlite::record_backup(store, begun),
        DatabaseUrl::SqliteMemory | DatabaseUrl::Postgres(_) => Ok(()),
    }
}

/// Reads the whole backup. Checks that this version can use it as a store and that all its pages
/// are consistent, and returns its contents. Changes nothing.
///
/// # Errors
///
/// [`RestoreError`] says what is wrong.
pub async fn verify_backup(file: &Path) -> Result<BackupContents, RestoreError> {
    let path = file.to_owned();
    let verified = blocking(move || sqlite::verify(&path)).await;
    verified.map_err(|problem| RestoreError {
        file: file.to_owned(),
        to: None,
        problem,
    })
}

/// Replaces the store that `url` names with a copy of a backup. The copy is created and verified
/// first, and then replaces the store atomically.
///
/// # Errors
///
/// [`RestoreError`] says what is wrong, for example that a process uses the store. The store is
/// not changed.
pub async fn restore(file: &Path, url: &DatabaseUrl) -> Result<Restored, RestoreError> {
    let restored = match url.clone() {
        DatabaseUrl::SqliteFile(to) => {
            let file = file.to_owned();
            blocking(move || sqlite::restore(&file, &to)).await
        }
        DatabaseUrl::SqliteMemory | DatabaseUrl::Postgres(_) => Err(BackupProblem::NotAFile),
    };
    restored.map_err(|problem| RestoreError {
        file: file.to_owned(),
        to: Some(url.to_string()),
        problem,
    })
}

/// Runs work that waits for the disk on a thread for blocking work.
async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<OpenProblem> + Send + 'static,
{
    let done = spawn_blocking(work).await;
    done.map_err(OpenProblem::failed)?
}

fn shared(store: impl Store + 'static) -> Arc<dyn Store> {
    Arc::new(store)
}

fn not_opened(url: &DatabaseUrl, problem: OpenProblem) -> OpenError {
    OpenError {
        database: url.to_string(),
        problem,
    }
}
