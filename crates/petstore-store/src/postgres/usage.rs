//! The SQL of the usage counters, and of the time at which a key was used last.

use super::{
    error::{self, Unreadable},
    keys::time_of,
    records::text_of,
    session::Session,
};
use crate::{KeyUse, StoreError, Usage, UsageDelta, UsageRecord};
use tokio_postgres::{Client, Error, Row};

/// One statement, so that all of it is one transaction. Rows are taken in the
/// same order by every server, so that two of them cannot wait for each other.
const ADD: &str = "
    WITH added AS (
        INSERT INTO deprecated_calls (operation, key_id, calls, first_seen, last_seen)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
            AS delta (operation, key_id, calls, first_seen, last_seen)
        ORDER BY operation, key_id
        ON CONFLICT (operation, key_id) DO UPDATE SET
            calls = deprecated_calls.calls + excluded.calls,
            first_seen = least(deprecated_calls.first_seen, excluded.first_seen),
            last_seen = greatest(deprecated_calls.last_seen, excluded.last_seen)
    ), used AS (
        SELECT id, at FROM api_keys JOIN unnest($6::text[], $7::bigint[]) AS used (key_id, at) ON id = key_id
        ORDER BY id FOR NO KEY UPDATE OF api_keys
    )
    UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE api_keys.id = used.id";
const ALL: &str = "
    SELECT key_id, name, operation, calls, first_seen, last_seen
    FROM deprecated_calls JOIN api_keys ON id = key_id ORDER BY operation, last_seen DESC, key_id";

pub(super) async fn add(db: &Session, usage: &Usage) -> Result<(), StoreError> {
    let calls = |of: fn(&UsageDelta) -> i64| usage.calls.iter().map(of).collect::<Vec<i64>>();
    let operations: Vec<&str> = usage.calls.iter().map(|delta| &*delta.operation).collect();
    let keys: Vec<&str> = usage.calls.iter().map(|delta| delta.key.as_str()).collect();
    let counts = calls(|delta| i64::try_from(delta.calls).unwrap_or(i64::MAX));
    let firsts = calls(|delta| delta.first_seen.timestamp_micros());
    let lasts = calls(|delta| delta.last_seen.timestamp_micros());
    let used: Vec<&str> = usage.uses.iter().map(|used| used.key.as_str()).collect();
    let micros = |KeyUse { at, .. }: &KeyUse| at.timestamp_micros();
    let times: Vec<i64> = usage.uses.iter().map(micros).collect();
    db.client()
        .execute(
            ADD,
            &[&operations, &keys, &counts, &firsts, &lasts, &used, &times],
        )
        .await
        .map(|_| ())
        .map_err(error::write_failed)
}

pub(super) async fn all(db: &Client) -> Result<Vec<Row>, Error> {
    db.query(ALL, &[]).await
}

pub(super) fn record_of(row: &Row) -> Result<UsageRecord, StoreError> {
    let key: &str = row.try_get(0).map_err(error::unreadable)?;
    let calls: i64 = row.try_get(3).map_err(error::unreadable)?;
    Ok(UsageRecord {
        key: key.parse().map_err(error::unreadable)?,
        key_name: text_of(row, 1)?,
        operation: row.try_get(2).map_err(error::unreadable)?,
        calls: u64::try_from(calls).map_err(|_| error::unreadable(Unreadable::Count(calls)))?,
        first_seen: time_of(row.try_get(4).map_err(error::unreadable)?)?,
        last_seen: time_of(row.try_get(5).map_err(error::unreadable)?)?,
    })
}
