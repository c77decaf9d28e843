//! The SQL of idempotency keys.
//!
//! # Two servers, one key
//!
//! A creation first tries to take an advisory lock for its key, without waiting. If
//! another transaction holds the lock, the creation returns
//! [`Creation::InFlight`](crate::Creation::InFlight), and the other creations of its batch
//! continue. The holder of the lock inserts a row for the key. An existing row keeps
//! its values, but is written again: so a repeated creation also waits until the row
//! is durable, even if the first commit stopped waiting for its replica.

use super::{error, session::Session};
use crate::{
    StoreError,
    idempotency::{Creatable, OnceOnly, expired_at, retention_micros},
    record::stored_limit,
    row::Value,
};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

/// Rows that another transaction is writing are skipped until the next call,
/// so that this statement never waits.
const DELETE_EXPIRED: &str = "
    WITH old AS MATERIALIZED (
        SELECT key_id, key FROM idempotency_keys WHERE created_at <= $1
        ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys AS kept USING old WHERE kept.key_id = old.key_id AND kept.key = old.key";

/// Returns the clause for a key that already has a row, named `old`. If the key is still valid, the
/// row keeps its values. If the key has expired but is not deleted yet, the values are replaced.
pub(super) fn keep() -> String {
    let assignments = ["fingerprint", "made_id", "created_at"].map(|column| {
        let retention = retention_micros();
        format!("{column} = CASE WHEN old.created_at > excluded.created_at - {retention} THEN old.{column} ELSE excluded.{column} END")
    });
    let assignments = assignments.join(", ");
    format!("ON CONFLICT (key_id, key) DO UPDATE SET {assignments}")
}

/// The number of [`key_values`].
pub(super) const KEY_COLUMNS: usize = 6;

/// Returns the first parameters of a statement with a key, `$1` to `$6`: the owner, the key, the
/// fingerprint, the time of the creation, the time up to which keys have expired, and the number of
/// the lock. If two keys happen to have the same lock number, a creation may be reported as in flight
/// although its key is not used.
pub(super) fn key_values<V: Creatable>(creation: &OnceOnly<V>) -> [Value<'_>; KEY_COLUMNS] {
    let (key_id, key) = (creation.once.key_id.as_str(), creation.once.key.as_str());
    let hash = Sha256::new().chain_update(key_id).chain_update("\n");
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hash.chain_update(key).finalize().into();
    [
        key_id.into(),
        key.into(),
        Value::Bytes(&creation.fingerprint),
        creation.at().into(),
        expired_at(creation.once.at).into(),
        i64::from_be_bytes([a, b, c, d, e, f, g, h]).into(),
    ]
}

/// Deletes some of the expired keys, and returns how many.
pub(super) async fn delete_expired(
    db: &Session,
    now: DateTime<Utc>,
    limit: usize,
) -> Result<usize, StoreError> {
    let limit = stored_limit(limit);
    let deleted = db
        .execute(DELETE_EXPIRED, &[&expired_at(now), &limit])
        .await
        .map_err(error::write_failed)?;
    usize::try_from(deleted).map_err(StoreError::unknown)
}
