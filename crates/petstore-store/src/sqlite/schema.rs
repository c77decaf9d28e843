//! Recognises a database of the pet store by its application id, reads its
//! schema version, and migrates it from one version to the next.

use crate::migration::{MigrationPlan, OnMigration, Reporter, about};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Marks the file as a pet store's (`PRAGMA application_id`, the bytes 68 to
/// 71 of the file): "pets".
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"pets");

/// The first `n` migrations create schema version `n`. A released migration is
/// never edited; a change is a new file.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_pets_and_keys.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_idempotency_keys.sql"),
    include_str!("migrations/0004_orders.sql"),
    include_str!("migrations/0005_pages_from_an_index.sql"),
    include_str!("migrations/0006_limits_of_keys.sql"),
    include_str!("migrations/0007_long_names.sql"),
    include_str!("migrations/0008_usage_by_day.sql"),
    include_str!("migrations/0009_counting_of_usage.sql"),
    include_str!("migrations/0010_events.sql"),
    include_str!("migrations/0011_webhooks.sql"),
];

/// The schema version that this code reads and writes.
pub(super) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// A database without tables and without an application id. It can become a store.
    Empty,
    /// A store of this schema version.
    Store(i64),
    /// Something else.
    Foreign,
}

pub(super) fn identify(db: &Connection) -> rusqlite::Result<Identity> {
    let mark: i32 = db.pragma_query_one(None, "application_id")?;
    let empty = db.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )?;
    Ok(match (mark, empty) {
        (APPLICATION_ID, _) => Identity::Store(version(db)?),
        (0, true) => Identity::Empty,
        _ => Identity::Foreign,
    })
}

/// Sets the application id if the database is empty, and returns what the database was
/// before. If several processes open one new file, only one of them sets the id.
pub(super) fn claim(db: &mut Connection) -> rusqlite::Result<Identity> {
    // The first check does not take the write lock, because an existing store can be opened while
    // others write to it. It uses a transaction, so that all values are from one snapshot.
    let identity = identify(&*db.transaction()?)?;
    if identity != Identity::Empty {
        return Ok(identity);
    }
    let claim = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let identity = identify(&claim)?;
    if identity == Identity::Empty {
        claim.pragma_update(None, "application_id", APPLICATION_ID)?;
        claim.commit()?;
    }
    Ok(identity)
}

/// The number of instructions of SQLite's virtual machine between two calls of the progress
/// handler: less than a millisecond of work.
const INSTRUCTIONS: i32 = 10_000;

/// Applies the missing migrations, each in its own transaction.
pub(super) fn migrate(db: &mut Connection, on_migration: OnMigration) -> rusqlite::Result<()> {
    let found = version(db)?;
    if found >= NEWEST {
        return Ok(());
    }
    let reporter = Arc::new(Reporter::new(on_migration, found, NEWEST));
    apply_missing(db, &reporter)?;
    reporter.end();
    Ok(())
}

/// The number of pets with which the duration of an upgrade is estimated.
const SAMPLE: i64 = 100_000;

/// Returns the missing migrations, and an estimate of their duration.
pub(super) fn plan(db: &Connection) -> rusqlite::Result<MigrationPlan> {
    let from = version(db)?;
    let missing = (1..).zip(MIGRATIONS).filter(|(number, _)| *number > from);
    let missing: Vec<&'static str> = missing.map(|(_, sql)| *sql).collect();
    // These migrations create an index of all pets. The others change only a few pages in every store.
    let indexes = missing.iter().filter(|sql| sql.contains("ON pets ("));
    let estimate = match (from, indexes.count()) {
        (0, _) | (_, 0) => Duration::ZERO,
        (_, indexes) => time_of_an_index(db)?.mul_f64(indexes as f64),
    };
    Ok(MigrationPlan {
        from,
        to: NEWEST,
        steps: missing.into_iter().map(about).collect(),
        estimate,
    })
}

/// Creates an index of some pets in memory, and extrapolates to all pets. The estimate assumes that
/// the disk needs as long as the sorting.
fn time_of_an_index(db: &Connection) -> rusqlite::Result<Duration> {
    let pets: i64 = db.query_row("SELECT coalesce(max(id), 0) FROM pets", [], |row| {
        row.get(0)
    })?;
    let started = Instant::now();
    db.pragma_update(None, "temp_store", "memory")?;
    db.execute_batch(&format!(
        "CREATE TEMP TABLE sample AS SELECT status, id, name, category_id FROM pets LIMIT {SAMPLE};
         CREATE INDEX temp.sample_by_status ON sample (status, id, name, category_id);
         DROP TABLE temp.sample"
    ))?;
    let factor = pets as f64 / pets.clamp(1, SAMPLE) as f64;
    Ok(started.elapsed().mul_f64(2.0 * factor))
}

fn apply_missing(db: &mut Connection, reporter: &Arc<Reporter>) -> rusqlite::Result<()> {
    let running = Arc::clone(reporter);
    let look = move || {
        running.go_on();
        // Do not interrupt the statement.
        false
    };
    db.progress_handler(INSTRUCTIONS, Some(look))?;
    for (number, sql) in (1..).zip(MIGRATIONS) {
        if version(db)? >= number {
            continue;
        }
        reporter.begin(sql);
        let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Reads the version again under the lock: another process may have applied the migration.
        if version(&step)? < number {
            step.execute_batch(sql)?;
            step.pragma_update(None, "user_version", number)?;
            step.commit()?;
        }
    }
    db.progress_handler(0, None::<fn() -> bool>)?;
    Ok(())
}

/// Writes the current schema version again. This changes nothing, but needs the disk like every other
/// write.
pub(super) fn rewrite_version(db: &Connection) -> rusqlite::Result<()> {
    let version = version(db)?;
    db.pragma_update(None, "user_version", version)
}

/// Fails if the database cannot be read.
pub(super) fn check(db: &Connection) -> rusqlite::Result<()> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM pets)")?
        .query_row([], |_| Ok(()))
}

/// Returns a table whose ids are used up, if there is one.
pub(super) fn table_without_ids(db: &Connection) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT name FROM sqlite_sequence WHERE seq = ?1")?
        .query_row([i64::MAX], |row| row.get(0))
        .optional()
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_one(None, "user_version")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_migration_is_reported_while_it_runs() {
        let mut db = Connection::open_in_memory().expect("memory");
        for sql in &MIGRATIONS[..6] {
            db.execute_batch(sql).expect("a migration");
        }
        let pets = "INSERT INTO pets (name, category_id, status)
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
            SELECT 'Rex ' || n, n, 'available' FROM number;
            PRAGMA user_version = 6";
        db.execute_batch(pets).expect("some pets");
        let reports = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reports);
        let count: OnMigration = Arc::new(move |progress| {
            assert_eq!(progress.from, 6, "{progress:?}");
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let reporter = Reporter::new(count, 6, NEWEST).without_pauses();
        apply_missing(&mut db, &Arc::new(reporter)).expect("it is upgraded");
        let before = reports.load(Ordering::Relaxed);
        assert!(before >= 20, "{before}");
        // Later statements on the connection are not reported.
        db.execute_batch("UPDATE pets SET category_id = 1")
            .expect("a write");
        assert_eq!(reports.load(Ordering::Relaxed), before);
    }
}
