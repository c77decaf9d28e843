//! Recognises a database of the pet store, reads its schema version, and
//! migrates it from one version to the next.

use super::{
    error::{Fault, is_temporary, write_failed},
    session::Session,
};
use crate::{
    Missing, OpenProblem, StoreError,
    migration::{MigrationPlan, OnMigration, Reporter, about},
};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::time::timeout;
use tokio_postgres::{Client, Error, error::SqlState};

/// Version `n` is what the first `n` of them make. One that was released is
/// never edited; a change is a further file.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_pets_and_keys.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_idempotency_keys.sql"),
    include_str!("migrations/0004_orders.sql"),
    include_str!("migrations/0005_limits_of_keys.sql"),
    include_str!("migrations/0006_usage_by_day.sql"),
];

/// The schema version that this code reads and writes.
const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The lock under which one server at a time migrates. It is the transaction's,
/// so it ends with the connection of a server that dies.
const LOCK: i64 = i64::from_be_bytes(*b"petstore");

/// How long the server may take to tell the schema version.
const LOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// Ends the wait for a server that hangs in the middle of a migration.
const LOCK_TIMEOUT: &str = "30s";

/// Brings an empty database, unless it is rejected, or one of an older version, to the present
/// schema. All migrations that are missing are one transaction.
pub(super) async fn bring_up_to_date(
    db: &Client,
    on_migration: OnMigration,
    missing: Missing,
) -> Result<(), OpenProblem> {
    // Looked at first without the lock, so that a server whose role may not
    // create tables starts on a database that is ready.
    let found = timeout(LOOK_TIMEOUT, version(db)).await;
    let found =
        found.map_err(|_| OpenProblem::Interrupted(Arc::new(Fault::Deadline(LOOK_TIMEOUT))))?;
    let found = found.map_err(failed)?;
    accept(found)?;
    if found == 0 && missing == Missing::Reject {
        return Err(OpenProblem::NoStore);
    }
    if found < NEWEST {
        // An error drops the connection, and with it the transaction.
        let reporter = Reporter::new(on_migration, found, NEWEST);
        reported(&reporter, migrate(db, &reporter)).await?;
        reporter.end();
    }
    Ok(())
}

/// Awaits a migration, and reports meanwhile that it runs.
async fn reported<T>(reporter: &Reporter, migration: impl Future<Output = T>) -> T {
    let mut migration = pin!(migration);
    loop {
        match timeout(reporter.interval(), migration.as_mut()).await {
            Ok(done) => return done,
            Err(_) => reporter.go_on(),
        }
    }
}

async fn migrate(db: &Client, reporter: &Reporter) -> Result<(), OpenProblem> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SELECT pg_advisory_xact_lock({LOCK})"
    );
    db.batch_execute(&begin).await.map_err(failed)?;
    // Asked again under the lock: another server may have come first.
    let found = version(db).await.map_err(failed)?;
    accept(found)?;
    if found == 0 {
        let create = "CREATE TABLE petstore_schema (version bigint NOT NULL); INSERT INTO petstore_schema VALUES (0)";
        db.batch_execute(create).await.map_err(failed)?;
    }
    for (number, sql) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
        let set_version = format!("UPDATE petstore_schema SET version = {number}");
        reporter.begin(sql);
        db.batch_execute(sql).await.map_err(failed)?;
        db.batch_execute(&set_version).await.map_err(failed)?;
    }
    db.batch_execute("COMMIT").await.map_err(failed)
}

/// The missing migrations. None of them reads or writes the rows of a table, so their time does not
/// depend on the size of the store.
pub(super) async fn plan(db: &Client) -> Result<MigrationPlan, OpenProblem> {
    let from = version(db).await.map_err(failed)?;
    accept(from)?;
    let missing = (1..).zip(MIGRATIONS).filter(|(number, _)| *number > from);
    Ok(MigrationPlan {
        from,
        to: NEWEST,
        steps: missing.map(|(_, sql)| about(sql)).collect(),
        estimate: Duration::ZERO,
    })
}

/// 0 for a database that is not a store yet.
pub(super) async fn version(db: &Client) -> Result<i64, Error> {
    // Not by `to_regclass`: within a transaction it remembers that there was no
    // table, though another server has made it in the meantime.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'petstore_schema' AND pg_table_is_visible(oid))";
    let exists = db.query_one(exists, &[]).await?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    db.query_one("SELECT version FROM petstore_schema", &[])
        .await?
        .try_get(0)
}

fn accept(found: i64) -> Result<(), OpenProblem> {
    if found > NEWEST {
        return Err(OpenProblem::TooNew {
            found,
            supported: NEWEST,
        });
    }
    Ok(())
}

/// Commits a transaction that changes nothing, but needs what every other write needs: the lock
/// on the table, a record in the log, and a replica that confirms it.
pub(super) async fn probe(db: &Session) -> Result<(), StoreError> {
    let sql = "DELETE FROM pets WHERE false; SELECT pg_logical_emit_message(true, 'petstore', '')";
    let committed = db.client().batch_execute(sql).await;
    committed.map_err(write_failed)
}

/// Converts the error of a statement into the reason why the database is not opened.
pub(super) fn failed(error: Error) -> OpenProblem {
    match error.code() {
        Some(&(SqlState::DUPLICATE_TABLE | SqlState::DUPLICATE_OBJECT)) => OpenProblem::NotAStore,
        _ if is_temporary(&error) => OpenProblem::Interrupted(Arc::new(error)),
        _ => OpenProblem::failed(error),
    }
}

/// Checks that the database responds to queries and is not a replica; returns the fault if it is one.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let row = db
        .query_one(
            "SELECT pg_is_in_recovery(), EXISTS (SELECT 1 FROM pets)",
            &[],
        )
        .await?;
    Ok(row.try_get::<_, bool>(0)?.then_some(Fault::Replica))
}
