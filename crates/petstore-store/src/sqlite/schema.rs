//! Recognises a database of the pet store by its application id, reads its
//! schema version, and migrates it from one version to the next.

use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as a pet store's (`PRAGMA application_id`, the bytes 68 to
/// 71 of the file): "pets".
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"pets");

/// Version `n` is what the first `n` of them make. One that was released is
/// never edited; a change is a further file.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_pets_and_keys.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_idempotency_keys.sql"),
    include_str!("migrations/0004_orders.sql"),
    include_str!("migrations/0005_pages_from_an_index.sql"),
];

/// The schema version that this code reads and writes.
pub(super) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// Without tables and without a mark: free to be made a store.
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

/// Marks the database if it is empty, and says what it was. Of several
/// processes that open one new file, one marks it.
pub(super) fn claim(db: &mut Connection) -> rusqlite::Result<Identity> {
    // First without the lock for writing: a store that stands is opened while
    // others write to it. In a transaction, so that all is of one moment.
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

/// Applies the migrations that are missing, each in a transaction of its own.
pub(super) fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    for (number, sql) in (1..).zip(MIGRATIONS) {
        if version(db)? >= number {
            continue;
        }
        let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again under the lock: another process may have come first.
        if version(&step)? < number {
            step.execute_batch(sql)?;
            step.pragma_update(None, "user_version", number)?;
            step.commit()?;
        }
    }
    Ok(())
}

/// Writes the schema version as it is, which changes nothing, but needs the disk as every other
/// write does.
pub(super) fn rewrite_version(db: &Connection) -> rusqlite::Result<()> {
    let version = version(db)?;
    db.pragma_update(None, "user_version", version)
}

/// Fails if the database cannot be read.
pub(super) fn check(db: &Connection) -> rusqlite::Result<()> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM pets)")?
        .query_row([], |_| Ok(()))
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_one(None, "user_version")
}
