//! The SQL of API keys and of their usage. Every statement is its own transaction.

use super::{
    error,
    records::{arrays, parameter},
    session::Session,
};
use crate::{
    CountedOperation, KeyId, NewKey, Revocation, StoreError, Usage, UsageDelta, key::sql,
    row::AnyRow as _, usage::DAYS_KEPT,
};
use chrono::{DateTime, Utc};
use tokio_postgres::error::SqlState;

/// Two servers may both find no key, since neither sees the uncommitted row of the
/// other. Then the second server waits for the first at the index `one_first_key`,
/// and adds no key.
const INSERT_FIRST: &str = "
    INSERT INTO api_keys (id, name, hash, created_at, expires_at, rate_per_second, scope, is_first)
    SELECT $1, $2, $3, $4, $5, $6, $7, true WHERE NOT EXISTS (SELECT 1 FROM api_keys)
    ON CONFLICT DO NOTHING";
/// This is one statement, so that everything is in one transaction. Every server locks the
/// rows in the same order, so that two servers cannot deadlock.
const ADD_USAGE: &str = "
    WITH delta AS MATERIALIZED (
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])
            AS delta (operation, key_id, calls, first_seen, last_seen, user_agent, day)
    ), added AS (
        INSERT INTO deprecated_calls (operation, key_id, calls, first_seen, last_seen, last_user_agent)
        SELECT operation, key_id, sum(calls)::bigint, min(first_seen), max(last_seen),
            (array_agg(user_agent ORDER BY last_seen DESC) FILTER (WHERE user_agent IS NOT NULL))[1]
        FROM delta GROUP BY operation, key_id ORDER BY operation, key_id
        ON CONFLICT (operation, key_id) DO UPDATE SET
            calls = deprecated_calls.calls + excluded.calls,
            first_seen = least(deprecated_calls.first_seen, excluded.first_seen),
            last_seen = greatest(deprecated_calls.last_seen, excluded.last_seen),
            last_user_agent = coalesce(excluded.last_user_agent, deprecated_calls.last_user_agent)
    ), by_day AS (
        INSERT INTO deprecated_calls_by_day (day, operation, key_id, calls)
        SELECT day, operation, key_id, sum(calls)::bigint
        FROM delta GROUP BY day, operation, key_id ORDER BY day, operation, key_id
        ON CONFLICT (day, operation, key_id) DO UPDATE SET
            calls = deprecated_calls_by_day.calls + excluded.calls
    ), old AS (
        DELETE FROM deprecated_calls_by_day WHERE day < (SELECT max(day) FROM delta) - $10
    ), used AS (
        SELECT id, at FROM api_keys JOIN unnest($8::text[], $9::bigint[]) AS used (key_id, at) ON id = key_id
        ORDER BY id FOR NO KEY UPDATE OF api_keys
    )
    UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE api_keys.id = used.id";

pub(super) async fn insert(db: &Session, key: &NewKey) -> Result<(), StoreError> {
    let inserted = db
        .execute(sql::INSERT, &key.parameters().each_ref().map(parameter))
        .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
            Err(StoreError::KeyExists)
        }
        Err(error) => Err(error::write_failed(error)),
    }
}

/// Adds a key if it is the first key, and returns whether it was added.
pub(super) async fn insert_first(db: &Session, key: &NewKey) -> Result<bool, StoreError> {
    db.execute(INSERT_FIRST, &key.parameters().each_ref().map(parameter))
        .await
        .map(|rows| rows == 1)
        .map_err(error::write_failed)
}

/// The two statements do not need a common transaction: keys are never deleted and never
/// become valid again.
pub(super) async fn revoke(
    db: &Session,
    id: KeyId,
    at: DateTime<Utc>,
) -> Result<Revocation, StoreError> {
    let revoked = db
        .execute(sql::REVOKE, &[&at.timestamp_micros(), &id.as_str()])
        .await;
    if revoked.map_err(error::write_failed)? == 1 {
        return Ok(Revocation::Revoked);
    }
    let found = db
        .query(sql::REVOKED_AT, &[&id.as_str()])
        .await
        .map_err(error::read_failed)?;
    match found.first() {
        None => Ok(Revocation::Unknown),
        Some(row) => row
            .time(0)
            .map(Revocation::AlreadyRevoked)
            .map_err(StoreError::corrupt),
    }
}

/// Adds to the usage counters, and sets when keys were used last.
pub(super) async fn add_usage(db: &Session, usage: &Usage) -> Result<(), StoreError> {
    let calls = arrays(7, usage.calls.iter().map(UsageDelta::values));
    let uses = arrays(2, usage.uses.iter().map(|key_use| key_use.values()));
    let mut parameters: Vec<_> = calls.iter().chain(&uses).map(parameter).collect();
    parameters.push(&DAYS_KEPT);
    db.execute(ADD_USAGE, &parameters)
        .await
        .map(|_| ())
        .map_err(error::write_failed)
}

/// Stores the time from which the calls of these operations are counted.
pub(super) async fn begin_counting(
    db: &Session,
    operations: &[String],
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    for operation in operations {
        let added = db
            .execute(CountedOperation::ADD, &[operation, &at.timestamp_micros()])
            .await;
        added.map_err(error::write_failed)?;
    }
    Ok(())
}
