//! The SQL of creations with an idempotency key. It runs in the transaction of a
//! batch, so a key and the row that was created with it are stored together
//! or not at all.

use super::records::{execute, prepared, unreadable};
use crate::{
    idempotency::{Creatable, Creation, OnceOnly, expired_at},
    record::stored_limit,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

const FIND: &str = "SELECT made_id, created_at, fingerprint FROM idempotency_keys WHERE key_id = ?1 AND key = ?2 AND created_at > ?3";
/// Also replaces a key that has expired and is not deleted yet.
const SAVE: &str = "INSERT OR REPLACE INTO idempotency_keys (key_id, key, fingerprint, made_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
pub(super) const DELETE_EXPIRED: &str = "DELETE FROM idempotency_keys WHERE (key_id, key) IN (SELECT key_id, key FROM idempotency_keys WHERE created_at <= ?1 ORDER BY created_at LIMIT ?2)";

/// Creates a row, unless its key was used. `insert` returns the id of the row, or the
/// reason why the row is rejected.
pub(super) fn create<V: Creatable, R>(
    db: &Connection,
    create: &OnceOnly<V>,
    insert: impl FnOnce(&Connection, &V) -> rusqlite::Result<Result<i64, R>>,
) -> rusqlite::Result<Creation<V::Created, R>> {
    let (key_id, key) = (create.once.key_id.as_str(), create.once.key.as_str());
    let fingerprint = &create.fingerprint;
    let used = prepared(db, FIND)?
        .query_row(params![key_id, key, expired_at(create.once.at)], |row| {
            let same = row.get_ref(2)?.as_blob()? == fingerprint;
            Ok((row.get(0)?, row.get(1)?, same))
        })
        .optional()?;
    let created = |id, at| create.value.created(id, at).map_err(unreadable);
    match used {
        Some((id, at, true)) => Ok(Creation::Repeated(created(id, at)?)),
        Some((_, _, false)) => Ok(Creation::KeyReused),
        None => {
            let id = match insert(db, &create.value)? {
                Ok(id) => id,
                Err(rejection) => return Ok(Creation::Refused(rejection)),
            };
            let at = create.at();
            prepared(db, SAVE)?.execute(params![key_id, key, fingerprint, id, at])?;
            Ok(Creation::Added(created(id, at)?))
        }
    }
}

/// Deletes some of the expired keys, and returns how many.
pub(super) fn delete_expired(
    db: &Connection,
    now: DateTime<Utc>,
    limit: usize,
) -> rusqlite::Result<usize> {
    let limit = stored_limit(limit).into();
    execute(db, DELETE_EXPIRED, &[expired_at(now).into(), limit])
}
