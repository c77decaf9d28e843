//! Stores pets, orders and API keys: one trait, [`Store`], and its implementations for
//! SQLite and PostgreSQL. This crate does not depend on HTTP.
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
//! is applied as a whole or not at all.
//!
//! **Completion.** Dropping the future of a write
//! does not cancel it: its outcome is then unknown to the caller, as after a
//! lost connection.
//!
//! **Order.** Ids of pets begin at 1, ascend, and are never used again. Paging
//! by [`PetQuery::after`] returns every pet that was there at the first page exactly
//! once, whatever is added meanwhile. On SQLite ids also ascend in the order in
//! which pets become visible; on PostgreSQL a pet can appear below one that was
//! seen already.
//!
//! **Isolation.** A read sees every write that returned before the read
//! began, in whichever process, and never a part of one. A key that another
//! process created counts at the next look-up. So does one that was revoked by this process, or
//! on SQLite by another one; on PostgreSQL a key that another process revoked is found for up to
//! half a second more.
//!
//! **Orders.** An order and its pet change in one transaction, by the table in [`transitions`], and
//! in no other way. Of several orders for one pet, and of
//! several changes of one order, at the same moment, one is made; the others return
//! the reason. Ids of orders follow the same rules as those of pets, and paging by
//! [`OrderQuery::before`] returns every order that was there at the first page
//! exactly once, and on SQLite none that was placed since. If the status of an order
//! changes meanwhile, the pages of a status may or may not contain it.
//!
//! **Idempotency.** A creation with an [`IdempotencyKey`]
//! ([`Store::create_pet_once`], [`Store::create_order_once`]) happens once,
//! however often it is repeated, by whichever process, for
//! [`IDEMPOTENCY_KEYS_KEPT`]: the key is written in the transaction of the row that
//! it creates. The caller's clock decides the age of a key. If that clock is set
//! back, keys are kept longer, never shorter.
//!
//! **Events.** Each change of a pet or an order writes its events in the same transaction
//! ([`Store::list_events`]). Their positions ascend in the order of the commits, over all
//! processes: an event never appears before a position that was read. Positions are never used again,
//! and a position from another history of the store, as from before it was restored, is recognised
//! ([`CursorLost`]).
//!
//! **Overload.** The queue of writes is bounded, in their number and in the
//! bytes that they hold. If the queue is full, a write is rejected at once with
//! [`StoreError::Overloaded`] and without any effect. API keys share the queue
//! ([`on_behalf_of`]): a single key gets at most three quarters of it, so that it cannot block the
//! writes of the others, and if more writes wait than fit into a batch, the
//! keys take turns. Writes without an API key share the queue like a single key.
//!
//! **Health.** [`Store::check`] fails with [`StoreError::NotWritable`] if no write
//! has succeeded for five seconds although some wait or failed. It ends when a write
//! succeeds. If there is none for two seconds after a failure, the check tries one that
//! changes nothing.
//!
//! # The implementation on SQLite
//!
//! - The file is in WAL mode with `synchronous=FULL`: a commit returns after
//!   its log records were synced. Readers work on a snapshot and never wait
//!   for the writer.
//! - One thread owns the connection that writes. It takes all queued writes,
//!   runs them in one transaction, commits once, and then returns each result
//!   (group commit). A write that arrives alone does not wait, and a write that
//!   fails is rolled back alone.
//! - Reads run on the caller's thread, on one of a few connections: a page costs some 10 µs, less
//!   than passing it to another thread and back.
//! - Each schema version is one numbered file in `src/sqlite/migrations`,
//!   applied in one transaction at opening. A file of a newer version, and one
//!   that is not a pet store's, is rejected and not changed.
//! - A file that is removed or replaced while it is open would lose writes.
//!   So each batch checks, before and after, that the names still belong to the
//!   files that were opened: a write is rejected
//!   until the file is put back, and [`Store::check`] fails. Reads continue to use
//!   the file that was opened.
//! - `sqlite::memory:` is one connection that reads and writes use in turns. A
//!   batch holds it from begin to commit, so that isolation is the same. The data
//!   is in memory only, as long as the store exists.
//!
//! # The implementation on PostgreSQL
//!
//! - The servers hold no state: any number of them share one database, which
//!   [`PostgresUrl`] names. Reads and writes go to the host that accepts writes;
//!   after a failover the next connection finds the new host automatically, even if other
//!   hosts do not respond at all. The host that was used last is tried first.
//! - Creates that arrive together are one statement: one round trip and one
//!   commit. If the database rejects one of them, they are sent again one by one,
//!   pipelined. None of them waits for another server that uses its idempotency key
//!   ([`Creation::InFlight`]).
//! - Placing or changing an order is one statement in its own transaction:
//!   it locks the row of the order, then that of the pet, and holds them until
//!   the commit is durable. It never waits for a row that another transaction keeps locked,
//!   since the writes behind it would wait, too: it changes nothing, and is tried again for five
//!   seconds, each time as a new write.
//! - A statement takes the positions of its events from one row, after all its changes, and keeps that row
//!   locked until its commit is visible. So commits with events follow each other, even those of several servers; batches
//!   compensate for this.
//! - A server with `fsync=off`, or with `synchronous_commit` below `on`, is
//!   rejected at every connection. The server ends a write that waits for another lock, such as that of a table, for a second,
//!   and rolls it back. A commit that waits for its disk or its replica is never cancelled, since it
//!   would become visible, and would report success, while it can still be lost. If it takes too
//!   long, its outcome is unknown, and its connection takes no further write until it is
//!   complete. The outcome of a commit with a warning is unknown, too.
//! - Of writes that arrived together and take longer than 20 ms, each result is returned when it
//!   is there, so that a creation does not wait for a write that waits for a lock.
//! - Writes go to the connections that are open. If none is, they are rejected until one is.
//! - Many callers share each of a few connections that read, and their
//!   statements are pipelined. Migrations run in one transaction under an advisory
//!   lock.
//!
//! Both implementations cache keys that exist, and none that is missing. On SQLite the cache
//! compares the newest commit of the file, whose number all processes share in memory, so that
//! nothing stale is found. On PostgreSQL that would take a round trip, so that a key is looked
//! up again after half a second.
//!
//! # To add a backend
//!
//! Implement [`Store`], give [`DatabaseUrl`] a variant and [`open`] an arm,
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
mod write_health;
mod write_queue;

pub use caller::{caller, on_behalf_of};
pub use error::{
    BackupError, BackupProblem, Cause, OpenError, OpenProblem, Outcome, RestoreError, StoreError,
};
pub use event::{
    CursorLost, EventData, EventPage, EventPosition, EventQuery, EventsAfter, StoredEvent,
};
pub use idempotency::{
    Creation, IDEMPOTENCY_KEYS_KEPT, IdempotencyKey, InvalidIdempotencyKey, Once,
};
pub use key::{
    FoundKey, InvalidKeyId, KeyHash, KeyId, KeyLimits, KeyRate, KeyRecord, KeyScope, NewKey,
    Revocation,
};
pub use migration::{MigrationPlan, MigrationProgress, OnMigration};
pub use order::{NotOrdered, NotUpdated, OrderPage, OrderQuery};
pub use postgres::PostgresUrl;
pub use sqlite::{BackupContents, Restored, ServerMark};
pub use stats::{BATCH_SIZES, PoolStats, WriteStats};
pub use store::*;
pub use url::{DatabaseUrl, InvalidDatabaseUrl};
pub use usage::{CountedOperation, DailyUsage, KeyUse, Usage, UsageDelta, UsageRecord};

use chrono::{DateTime, Utc};
use postgres::PostgresStore;
use sqlite::SqliteStore;
use std::{io, path::Path, sync::Arc};
use tokio::task::spawn_blocking;

/// Opens the store that `url` names: creates it if it does not exist, and upgrades an older one to
/// the current schema.
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

/// Opens a store of the schema of this version. Rejects an older one with
/// [`OpenProblem::TooOld`] and a database without a store with [`OpenProblem::NoStore`], and
/// changes neither.
///
/// # Errors
///
/// As [`open`].
pub async fn open_current(url: &DatabaseUrl) -> Result<Arc<dyn Store>, OpenError> {
    open_as(url, Arc::new(|_| {}), MayChange::Nothing).await
}

/// The changes that are allowed so that a store can be opened.
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

/// The upgrade that [`open`] would make, and about how long it takes. Changes nothing.
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

/// Marks the file of an open store as used by a server, until the mark is dropped, and tells
/// whether other servers use it. A store that is not a file is not marked. Drop the mark after the
/// store was closed.
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

/// The schema version of the store that `url` names; 0 if it does not exist yet. Changes nothing;
/// [`open`] upgrades it to the version that this code needs.
///
/// # Errors
///
/// [`OpenError`]: it cannot be read.
pub async fn schema_version(url: &DatabaseUrl) -> Result<i64, OpenError> {
    let version = match url.clone() {
        DatabaseUrl::SqliteFile(path) => blocking(move || sqlite::schema_version(&path)).await,
        DatabaseUrl::SqliteMemory => Ok(0),
        DatabaseUrl::Postgres(url) => postgres::schema_version(url).await,
    };
    version.map_err(|problem| not_opened(url, problem))
}

/// Copies the store that `url` names to a new file, which is a store of the
/// same schema and has every write that returned before the call. The
/// store may be in use meanwhile, by any number of processes. The file appears
/// under its name when it is complete and synced, and only its owner may read
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

/// Stores when a backup of the store that `url` names was begun, for [`Store::last_backup`]: in a file
/// beside the store, since the store itself can be replaced by a backup.
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

/// Reads a backup as a whole: whether it is a store that this version can use and all its pages
/// are consistent, and what it contains. Changes nothing.
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

/// Replaces the store that `url` names by a copy of a backup. The backup is copied and verified
/// first, and then takes the place of the store at once.
///
/// # Errors
///
/// [`RestoreError`] says what is wrong, such as that a process uses the store. The store is left
/// as it is.
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
