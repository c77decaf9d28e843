//! The SQL of API keys.

use super::error;
use crate::{KeyHash, KeyId, KeyRecord, NewKey, Revocation, StoreError};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, Error, ErrorCode, OptionalExtension, Row, params};

const INSERT: &str = "INSERT INTO api_keys (id, name, hash, created_at) VALUES (?1, ?2, ?3, ?4)";
/// One statement, so that look and insert cannot be parted.
const INSERT_FIRST: &str = "INSERT INTO api_keys (id, name, hash, created_at)
    SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM api_keys)";
const ALL: &str =
    "SELECT id, name, created_at, last_used_at, revoked_at FROM api_keys ORDER BY created_at, id";
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM api_keys)";
const FIND: &str = "SELECT id, hash FROM api_keys WHERE hash = ?1 AND revoked_at IS NULL";
const REVOKE: &str = "UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
const REVOKED_AT: &str = "SELECT revoked_at FROM api_keys WHERE id = ?1";

pub(super) fn insert(db: &Connection, key: &NewKey) -> rusqlite::Result<()> {
    insert_by(db, INSERT, key).map(|_| ())
}

/// Whether the key was the first and is in the store now.
pub(super) fn insert_first(db: &Connection, key: &NewKey) -> rusqlite::Result<bool> {
    insert_by(db, INSERT_FIRST, key).map(|rows| rows == 1)
}

fn insert_by(db: &Connection, sql: &str, key: &NewKey) -> rusqlite::Result<usize> {
    let NewKey {
        id,
        name,
        hash,
        created_at,
    } = key;
    db.prepare_cached(sql)?.execute(params![
        id.as_str(),
        name,
        hash.as_bytes(),
        created_at.timestamp_micros()
    ])
}

/// A violated constraint of [`insert`] means that the key is there already.
pub(super) fn exists(error: Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::KeyExists,
        _ => error::failed(error),
    }
}

pub(super) fn all(db: &Connection) -> rusqlite::Result<Vec<KeyRecord>> {
    db.prepare_cached(ALL)?.query_map([], record_of)?.collect()
}

pub(super) fn any(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached(ANY)?.query_row([], |row| row.get(0))
}

/// The index finds the one candidate; how long that takes tells something of a
/// hash at most, and no hash leads back to a key. Whether the candidate counts
/// is decided in constant time.
pub(super) fn find(db: &Connection, hash: &KeyHash) -> rusqlite::Result<Option<KeyId>> {
    let candidate = db
        .prepare_cached(FIND)?
        .query_row([hash.as_bytes()], |row| {
            Ok((id_of(row, 0)?, KeyHash::new(row.get(1)?)))
        })
        .optional()?;
    Ok(candidate
        .filter(|(_, stored)| stored == hash)
        .map(|(id, _)| id))
}

pub(super) fn revoke(
    db: &Connection,
    id: &KeyId,
    at: DateTime<Utc>,
) -> rusqlite::Result<Revocation> {
    let revoked = db
        .prepare_cached(REVOKE)?
        .execute(params![id.as_str(), at.timestamp_micros()])?;
    if revoked == 1 {
        return Ok(Revocation::Revoked);
    }
    let before = db
        .prepare_cached(REVOKED_AT)?
        .query_row([id.as_str()], |row| time_of(row, 0))
        .optional()?;
    Ok(before.map_or(Revocation::Unknown, Revocation::AlreadyRevoked))
}

fn record_of(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        id: id_of(row, 0)?,
        name: row.get(1)?,
        created_at: time_of(row, 2)?,
        last_used_at: any_time_of(row, 3)?,
        revoked_at: any_time_of(row, 4)?,
    })
}

pub(super) fn id_of(row: &Row<'_>, column: usize) -> rusqlite::Result<KeyId> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|error| unreadable_text(column, error))
}

pub(super) fn time_of(row: &Row<'_>, column: usize) -> rusqlite::Result<DateTime<Utc>> {
    let micros = row.get(column)?;
    DateTime::from_timestamp_micros(micros).ok_or(Error::IntegralValueOutOfRange(column, micros))
}

fn any_time_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    match row.get::<_, Option<i64>>(column)? {
        None => Ok(None),
        Some(_) => time_of(row, column).map(Some),
    }
}

pub(super) fn unreadable_text(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
