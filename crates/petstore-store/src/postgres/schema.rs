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

/// Version `n` is what the first `n` of them make. One that was released is
/// never edited; a change is a further file.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_pets_and_keys.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_idempotency_keys.sql"),
    include_str!("migrations/0004_orders.sql"),
    include_str!("migrations/0005_limits_of_keys.sql"),
    include_str!("migrations/0006_usage_by_day.sql"),
    include_str!("migrations/0007_counting_of_usage.sql"),
    include_str!("migrations/0008_events.sql"),
];

/// The schema version that this code reads and writes.
const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The lock under which one server at a time migrates. It is the transaction's,
/// so it ends with the connection of a server that dies.
const LOCK: i64 = i64::from_be_bytes(*b"petstore");

/// How long the server may take to tell the schema version.
const LOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an attempt waits for a lock. Behind a statement that waits for a table, every request
/// that needs the table waits, too, so this is less than reads may take. It is more than
/// `deadlock_timeout`, after which PostgreSQL ends an autovacuum that is in the way.
const LOCK_TIMEOUT: &str = "1200ms";

/// The pauses between the attempts, in which the requests continue. A read may take 3 seconds, and
/// those that wait use connections, so that the pause is longer than the wait.
const PAUSE: Duration = Duration::from_secs(2);

/// How long the attempts continue. `serve` and `migrate` begin again afterwards, for some minutes.
const ATTEMPTS: Duration = Duration::from_secs(30);

/// What the owner reads while other transactions use the tables.
const WAITING: &str = "waiting for other transactions that use its tables, such as a backup";

/// Brings an empty database, unless it is rejected, or one of an older version, to the present
/// schema. All migrations that are missing are one transaction.
pub(super) async fn bring_up_to_date(
    db: &Client,
    on_migration: OnMigration,
    may_change: MayChange,
) -> Result<(), OpenProblem> {
    // Looked at first without the lock, so that a server whose role may not
    // create tables starts on a database that is ready.
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

/// Tries to migrate until no other transaction uses the tables for a moment.
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

/// Whether another transaction held a lock for too long, or this one would have waited for one that
/// waits for this one.
fn is_about_locks(error: &Error) -> bool {
    let codes = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Makes the missing migrations in one transaction.
async fn attempt(db: &Client, reporter: &Reporter) -> Result<Result<(), OpenProblem>, Error> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SELECT pg_advisory_xact_lock({LOCK})"
    );
    db.batch_execute(&begin).await?;
    // Asked again under the lock: another server may have come first.
    let found = version(db).await?;
    if let Err(rejected) = accept(found) {
        return Ok(Err(rejected));
    }
    if found == 0 {
        let create = "CREATE TABLE petstore_schema (version bigint NOT NULL); INSERT INTO petstore_schema VALUES (0)";
        db.batch_execute(create).await?;
    }
    // The attempt waits for the first lock only, and then it holds no other one: the statement that
    // adds to the usage counters locks the same tables in an order of its own, and neither may wait
    // for a lock of the other one.
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

/// The missing migrations. None of them reads or writes the rows of a table, so their time does not
/// depend on the size of the store.
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

/// The tables, indexes and sequences that a migration makes: their kinds and names.
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

/// The tables of a schema that later migrations use: they change them, or refer to them. All their
/// locks are taken before the first step.
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

/// Whether a database that is not a store has a table or an index with the name of one that a
/// migration makes. To make a store in it would fail.
async fn is_foreign(db: &Client) -> Result<bool, Error> {
    let made = MIGRATIONS.iter().copied().flat_map(made);
    let names: Vec<&str> = made.map(|(_, name)| name).collect();
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = ANY($1) AND pg_table_is_visible(oid))";
    db.query_one(sql, &[&names]).await?.try_get(0)
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

/// Checks that the database responds to queries, is not a replica, and has ids left; returns the fault if there is one.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let sql = format!(
        "SELECT pg_is_in_recovery(), EXISTS (SELECT 1 FROM pets),
            (SELECT is_called AND last_value = {LAST_ID} FROM pet_ids),
            (SELECT is_called AND last_value = {LAST_ID} FROM order_ids)"
    );
    let row = db.query_one(&sql, &[]).await?;
    let faults = [
        (0, Fault::Replica),
        (2, Fault::NoIds("pet_ids")),
        (3, Fault::NoIds("order_ids")),
    ];
    for (column, fault) in faults {
        if row.try_get(column)? {
            return Ok(Some(fault));
        }
    }
    Ok(None)
}

/// The last id that a sequence gives.
const LAST_ID: i64 = i64::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_a_missing_migration_uses_is_locked_before_the_first_one() {
        let used = |found| Vec::from_iter(used_tables(MIGRATIONS, found));
        assert_eq!(used(4), ["pets", "api_keys", "deprecated_calls", "orders"]);
        assert_eq!(used(5), ["pets", "deprecated_calls", "orders"]);
        assert_eq!(used(7), ["pets", "orders"]);
        assert_eq!(used(NEWEST), [""; 0]);
        let further = "-- Pets have a birthday, as api_keys have.\nALTER TABLE pets ADD COLUMN birthday bigint;";
        let migrations = [MIGRATIONS, &[further]].concat();
        assert_eq!(
            used_tables(&migrations, NEWEST).collect::<Vec<_>>(),
            ["pets"]
        );
    }
}
