//! The SQL of creations that happen once. All of it runs in the transaction of
//! a batch, so that a key and what was made with it are there together or not
//! at all.

use crate::idempotency::{Creatable, Creation, OnceOnly, expired_at};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

const FIND: &str = "SELECT made_id, created_at, fingerprint FROM idempotency_keys WHERE key_id = ?1 AND key = ?2 AND created_at > ?3";
/// Replaces a key that is too old and not deleted yet.
const KEEP: &str = "INSERT OR REPLACE INTO idempotency_keys (key_id, key, fingerprint, made_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
pub(super) const FORGET: &str = "DELETE FROM idempotency_keys WHERE (key_id, key) IN (SELECT key_id, key FROM idempotency_keys WHERE created_at <= ?1 ORDER BY created_at LIMIT ?2)";

/// Creates what is asked for unless its key was used. `create` gives the id, or
/// refuses.
pub(super) fn create<V: Creatable, R>(
    db: &Connection,
    asked: &OnceOnly<V>,
    create: impl FnOnce(&Connection, &V) -> rusqlite::Result<Result<i64, R>>,
) -> rusqlite::Result<Creation<V::Made, R>> {
    let (key_id, key) = (asked.once.key_id.as_str(), asked.once.key.as_str());
    let fingerprint = asked.fingerprint.as_bytes();
    let used = db
        .prepare_cached(FIND)?
        .query_row(params![key_id, key, expired_at(asked.once.at)], |row| {
            let same = row.get_ref(2)?.as_blob()? == fingerprint;
            Ok((row.get(0)?, row.get(1)?, same))
        })
        .optional()?;
    let made = |id, at| asked.value.made(id, at).map_err(super::orders::unreadable);
    match used {
        Some((id, at, true)) => Ok(Creation::Repeated(made(id, at)?)),
        Some((_, _, false)) => Ok(Creation::KeyReused),
        None => {
            let id = match create(db, &asked.value)? {
                Ok(id) => id,
                Err(refusal) => return Ok(Creation::Refused(refusal)),
            };
            let at = asked.at();
            db.prepare_cached(KEEP)?
                .execute(params![key_id, key, fingerprint, id, at])?;
            Ok(Creation::Added(made(id, at)?))
        }
    }
}

/// Deletes some of the keys that are too old, and says how many.
pub(super) fn forget(db: &Connection, now: DateTime<Utc>, limit: usize) -> rusqlite::Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.prepare_cached(FORGET)?
        .execute(params![expired_at(now), limit])
}
