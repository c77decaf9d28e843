//! The SQL of API keys and of their usage.

use super::records::{self, execute};
use crate::{
    CountedOperation, KeyId, NewKey, Revocation, Usage, UsageDelta, key::sql, usage::DAYS_KEPT,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, ErrorCode};

/// The check and the insertion are one statement, so no other write can happen between them.
const INSERT_FIRST: &str =
    "INSERT INTO api_keys (id, name, hash, created_at, expires_at, rate_per_second, scope)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT 1 FROM api_keys)";
const ADD_CALLS: &str = "
    INSERT INTO deprecated_calls (operation, key_id, calls, first_seen, last_seen, last_user_agent)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (operation, key_id) DO UPDATE SET
        calls = calls + excluded.calls,
        last_user_agent = coalesce(excluded.last_user_agent, last_user_agent),
        first_seen = min(first_seen, excluded.first_seen),
        last_seen = max(last_seen, excluded.last_seen)";
const ADD_CALLS_OF_DAY: &str = "
    INSERT INTO deprecated_calls_by_day (operation, key_id, calls, day) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (day, operation, key_id) DO UPDATE SET calls = calls + excluded.calls";
const DELETE_OLD_DAYS: &str = "DELETE FROM deprecated_calls_by_day WHERE day < ?1";
const SET_LAST_USE: &str = "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";

/// Adds a key, and returns whether it was added: `false` means that it already exists.
pub(super) fn insert(db: &Connection, key: &NewKey) -> rusqlite::Result<bool> {
    match execute(db, sql::INSERT, &key.parameters()) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            Ok(false)
        }
        inserted => inserted.map(|_| true),
    }
}

/// Adds a key if it is the first key, and returns whether it was added.
pub(super) fn insert_first(db: &Connection, key: &NewKey) -> rusqlite::Result<bool> {
    execute(db, INSERT_FIRST, &key.parameters()).map(|rows| rows == 1)
}

pub(super) fn revoke(
    db: &Connection,
    id: &KeyId,
    at: DateTime<Utc>,
) -> rusqlite::Result<Revocation> {
    let parameters = [at.timestamp_micros().into(), id.as_str().into()];
    if execute(db, sql::REVOKE, &parameters)? == 1 {
        return Ok(Revocation::Revoked);
    }
    let before = records::first(db, sql::REVOKED_AT, &[id.as_str().into()])?;
    Ok(before.map_or(Revocation::Unknown, Revocation::AlreadyRevoked))
}

/// Adds to the usage counters, and sets when keys were used last.
pub(super) fn add_usage(db: &Connection, usage: &Usage) -> rusqlite::Result<()> {
    for delta in &usage.calls {
        let values = delta.values();
        let [operation, key, calls, _, _, _, day] = values;
        execute(db, ADD_CALLS, &values[..6])?;
        execute(db, ADD_CALLS_OF_DAY, &[operation, key, calls, day])?;
    }
    if let Some(day) = usage.calls.iter().map(UsageDelta::day).max() {
        execute(db, DELETE_OLD_DAYS, &[(day - DAYS_KEPT).into()])?;
    }
    for key_use in &usage.uses {
        execute(db, SET_LAST_USE, &key_use.values())?;
    }
    Ok(())
}

/// Stores the time from which the calls of these operations are counted.
pub(super) fn begin_counting(
    db: &Connection,
    operations: &[String],
    at: DateTime<Utc>,
) -> rusqlite::Result<()> {
    for operation in operations {
        let parameters = [operation.as_str().into(), at.timestamp_micros().into()];
        execute(db, CountedOperation::ADD, &parameters)?;
    }
    Ok(())
}
