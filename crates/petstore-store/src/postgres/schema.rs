//! Recognises a database of the pet store, reads its schema version, and
//! migrates it from one version to the next.

use super::{
    error::{Fault, is_temporary, write_failed},
    session::Session,
};
use crate::{
    MayChange, OpenProblem, StoreError,
    migration::{MigrationPlan, OnMigration, Reporter, about},
};
use std::{
    collections::HashSet,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, Error, error::SqlState};

/// The first `n` migrations create schema version `n`. A released migration is
/// never edited; a change is a new file.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_pets_and_keys.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_idempotency_keys.sql"),
    include_str!("migrations/0004_orders.sql"),
    include_str!("migrations/0005_limits_of_keys.sql"),
    include_str!("migrations/0006_usage_by_day.sql"),
    include_str!("migrations/0007_counting_of_usage.sql"),
    include_str!("migrations/0008_events.sql"),
    include_str!("migrations/0009_webhooks.sql"),
];

/// The schema version that this code reads and writes.
const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The advisory lock that a server holds while it migrates. It belongs to the transaction,
/// so it is released when the connection of a server ends.
const LOCK: i64 = i64::from_be_bytes(*b"petstore");

/// How long the query of the schema version may take.
const LOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an attempt waits for a lock. While a statement waits for a lock on a table, every request
/// that needs the table waits behind it, so this is less than reads may take. It is more than
/// `deadlock_timeout`, after which PostgreSQL cancels an autovacuum that holds the lock.
const LOCK_TIMEOUT: &str = "1200ms";

/// The pause between two attempts. Requests continue during the pause. It is longer than the wait,
/// because waiting reads, which may take 3 seconds, use connections.
const PAUSE: Duration = Duration::from_secs(2);

/// How long the attempts continue. `serve` and `migrate` start them again afterwards, for some minutes.
const ATTEMPTS: Duration = Duration::from_secs(30);

/// The progress message while other transactions use the tables.
const WAITING: &str = "waiting for other transactions that use its tables, such as a backup";

/// Upgrades an empty database, or one with an older schema, to the current schema, unless
/// `may_change` forbids it. All missing migrations run in one transaction.
pub(super) async fn bring_up_to_date(
    db: &Client,
    on_migration: OnMigration,
    may_change: MayChange,
) -> Result<(), OpenProblem> {
    // Checks the version without the lock first, so that a server whose role may not
    // create tables can start if the database is ready.
    let found = timeout(LOOK_TIMEOUT, version(db)).await;
    let found =
        found.map_err(|_| OpenProblem::Interrupted(Arc::new(Fault::Deadline(LOOK_TIMEOUT))))?;
    let found = found.map_err(failed)?;
    accept(found)?;
    if found == 0 && may_change != MayChange::Anything {
        return Err(OpenProblem::NoStore);
    }
    if found < NEWEST && may_change == MayChange::Nothing {
        return Err(OpenProblem::TooOld {
            found,
            needed: NEWEST,
        });
    }
    if found < NEWEST {
        // An error drops the connection, and with it the transaction.
        let reporter = Reporter::new(on_migration, found, NEWEST);
        reported(&reporter, migrate(db, &reporter)).await?;
        reporter.end();
    }
    Ok(())
}

/// Waits for a migration, and reports its progress meanwhile.
async fn reported<T>(reporter: &Reporter, migration: impl Future<Output = T>) -> T {
    let mut migration = pin!(migration);
    loop {
        match timeout(reporter.interval(), migration.as_mut()).await {
            Ok(done) => return done,
            Err(_) => reporter.go_on(),
        }
    }
}

/// Tries to migrate repeatedly, until an attempt gets all locks that it needs.
async fn migrate(db: &Client, reporter: &Reporter) -> Result<(), OpenProblem> {
    let begun = Instant::now();
    loop {
        let error = match attempt(db, reporter).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(rejected)) => return Err(rejected),
            Err(error) => error,
        };
        if !is_about_locks(&error) || begun.elapsed() >= ATTEMPTS {
            return Err(failed(error));
        }
        db.batch_execute("ROLLBACK").await.map_err(failed)?;
        reporter.wait(WAITING);
        sleep(PAUSE).await;
    }
}

/// Whether another transaction held a lock for too long, or a deadlock was detected.
fn is_about_locks(error: &Error) -> bool {
    let codes = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Runs the missing migrations in one transaction.
async fn attempt(db: &Client, reporter: &Reporter) -> Result<Result<(), OpenProblem>, Error> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SELECT pg_advisory_xact_lock({LOCK})"
    );
    db.batch_execute(&begin).await?;
    // Reads the version again under the lock: another server may have migrated the database.
    let found = version(db).await?;
    if let Err(rejected) = accept(found) {
        return Ok(Err(rejected));
    }
    if found == 0 {
        let create = "CREATE TABLE petstore_schema (version bigint NOT NULL); INSERT INTO petstore_schema VALUES (0)";
        db.batch_execute(create).await?;
    }
    // The attempt waits only for its first lock, while it holds no other lock. The statement that
    // adds to the usage counters locks the same tables in another order, so waiting for a second lock
    // could deadlock.
    for (number, table) in used_tables(MIGRATIONS, found).enumerate() {
        let or_fail = if number > 0 { "NOWAIT" } else { "" };
        let lock = format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE {or_fail}");
        db.batch_execute(&lock).await?;
    }
    for (number, sql) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
        let set_version = format!("UPDATE petstore_schema SET version = {number}");
        reporter.begin(sql);
        db.batch_execute(sql).await?;
        db.batch_execute(&set_version).await?;
    }
    db.batch_execute("COMMIT").await.map(Ok)
}

/// Returns the missing migrations. No migration reads or writes more than one row of a table, so their duration
/// does not depend on the size of the store.
pub(super) async fn plan(db: &Client) -> Result<MigrationPlan, OpenProblem> {
    let from = version(db).await.map_err(failed)?;
    accept(from)?;
    if from == 0 && is_foreign(db).await.map_err(failed)? {
        return Err(OpenProblem::NotAStore);
    }
    let missing = (1..).zip(MIGRATIONS).filter(|(number, _)| *number > from);
    Ok(MigrationPlan {
        from,
        to: NEWEST,
        steps: missing.map(|(_, sql)| about(sql)).collect(),
        estimate: Duration::ZERO,
    })
}

/// The kinds and names of the tables, indexes and sequences that a migration creates.
fn made(sql: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = sql.lines().filter_map(|line| line.strip_prefix("CREATE "));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "UNIQUE");
        let kind = words.next()?;
        let name = words.next()?;
        ["TABLE", "INDEX", "SEQUENCE"]
            .contains(&kind)
            .then_some((kind, name))
    })
}

/// The existing tables that the missing migrations change or refer to. They are all locked before
/// the first step.
fn used_tables<'sql>(migrations: &[&'sql str], found: i64) -> impl Iterator<Item = &'sql str> {
    let (old, missing) = migrations.split_at(usize::try_from(found).unwrap_or_default());
    let is_code = |line: &&str| !line.starts_with("--");
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let lines = missing.iter().flat_map(|sql| sql.lines()).filter(is_code);
    let words = lines.flat_map(move |line| line.split(move |character| !is_of_name(character)));
    let words: HashSet<&str> = words.collect();
    let tables = old.iter().copied().flat_map(made);
    let tables: Vec<&str> = tables
        .filter(|(kind, name)| *kind == "TABLE" && words.contains(name))
        .map(|(_, name)| name)
        .collect();
    tables.into_iter()
}

/// Whether a database that is not a store has a table, index or sequence with a name that a
/// migration creates. Creating a store in it would fail.
async fn is_foreign(db: &Client) -> Result<bool, Error> {
    let made = MIGRATIONS.iter().copied().flat_map(made);
    let names: Vec<&str> = made.map(|(_, name)| name).collect();
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = ANY($1) AND pg_table_is_visible(oid))";
    db.query_one(sql, &[&names]).await?.try_get(0)
}

/// Returns the schema version, or 0 for a database that is not a store yet.
pub(super) async fn version(db: &Client) -> Result<i64, Error> {
    // `to_regclass` cannot be used: within a transaction, it still reports that there is no
    // table after another server has created it.
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

/// Commits a transaction that changes no data, but needs the same as every other write: the lock
/// on the table, a record in the log, and the confirmation of a replica.
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

/// Checks that the database responds to queries, is not a replica, and has ids left; returns the fault if there is one.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let sql = format!(
        "SELECT pg_is_in_recovery(), EXISTS (SELECT 1 FROM pets),
            (SELECT is_called AND last_value = {LAST_ID} FROM pet_ids),
            (SELECT is_called AND last_value = {LAST_ID} FROM order_ids),
            (SELECT is_called AND last_value = {LAST_ID} FROM webhook_delivery_ids)"
    );
    let row = db.query_one(&sql, &[]).await?;
    let faults = [
        (0, Fault::Replica),
        (2, Fault::NoIds("pet_ids")),
        (3, Fault::NoIds("order_ids")),
        (4, Fault::NoIds("webhook_delivery_ids")),
    ];
    for (column, fault) in faults {
        if row.try_get(column)? {
            return Ok(Some(fault));
        }
    }
    Ok(None)
}

/// The last id of a sequence.
const LAST_ID: i64 = i64::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_missing_migrations_use_are_locked_before_the_first_step() {
        let used = |found| Vec::from_iter(used_tables(MIGRATIONS, found));
        assert_eq!(used(4), ["pets", "api_keys", "deprecated_calls", "orders"]);
        assert_eq!(used(5), ["pets", "deprecated_calls", "orders"]);
        assert_eq!(used(7), ["pets", "orders"]);
        assert_eq!(used(8), ["event_head"]);
        assert_eq!(used(NEWEST), [""; 0]);
        let further = "-- Pets have a birthday, as api_keys have.\nALTER TABLE pets ADD COLUMN birthday bigint;";
        let migrations = [MIGRATIONS, &[further]].concat();
        assert_eq!(
            used_tables(&migrations, NEWEST).collect::<Vec<_>>(),
            ["pets"]
        );
    }
}
