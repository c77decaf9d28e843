//! The SQL of creations that happen once. All of it runs in the transaction of
//! a batch, so that a key and its pet are there together or not at all.

use super::pets;
use crate::idempotency::{Creation, OnceOnly, expired_at};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

const FIND: &str = "SELECT pet_id, fingerprint FROM idempotency_keys WHERE key_id = ?1 AND key = ?2 AND created_at > ?3";
/// Replaces a key that is too old and not deleted yet.
const KEEP: &str = "INSERT OR REPLACE INTO idempotency_keys (key_id, key, fingerprint, pet_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
pub(super) const FORGET: &str = "DELETE FROM idempotency_keys WHERE (key_id, key) IN (SELECT key_id, key FROM idempotency_keys WHERE created_at <= ?1 ORDER BY created_at LIMIT ?2)";

/// Adds the pet unless its key was used.
pub(super) fn insert(db: &Connection, asked: &OnceOnly) -> rusqlite::Result<Creation> {
    let (key_id, key) = (asked.once.key_id.as_str(), asked.once.key.as_str());
    let fingerprint = asked.fingerprint.as_bytes();
    let used = db
        .prepare_cached(FIND)?
        .query_row(params![key_id, key, expired_at(asked.once.at)], |row| {
            let same = row.get_ref(1)?.as_blob()? == fingerprint;
            Ok((row.get(0)?, same))
        })
        .optional()?;
    match used {
        Some((id, true)) => Ok(Creation::Repeated(asked.pet(id))),
        Some((_, false)) => Ok(Creation::KeyReused),
        None => {
            let pet = pets::insert(db, &asked.pet)?;
            db.prepare_cached(KEEP)?.execute(params![
                key_id,
                key,
                fingerprint,
                pet.id,
                asked.at()
            ])?;
            Ok(Creation::Added(pet))
        }
    }
}

/// Deletes some of the keys that are too old, and says how many.
pub(super) fn forget(db: &Connection, now: DateTime<Utc>, limit: usize) -> rusqlite::Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.prepare_cached(FORGET)?
        .execute(params![expired_at(now), limit])
}
