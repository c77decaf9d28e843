//! The SQL of the usage counters, and of the time at which a key was used last.

use super::keys::{id_of, time_of};
use crate::{KeyUse, Usage, UsageDelta, UsageRecord};
use rusqlite::{Connection, Error, params};

const ADD: &str = "
    INSERT INTO deprecated_calls (operation, key_id, calls, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (operation, key_id) DO UPDATE SET
        calls = calls + excluded.calls,
        first_seen = min(first_seen, excluded.first_seen),
        last_seen = max(last_seen, excluded.last_seen)";
const USED: &str = "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";
const ALL: &str = "
    SELECT key_id, name, operation, calls, first_seen, last_seen
    FROM deprecated_calls JOIN api_keys ON id = key_id ORDER BY operation, last_seen DESC, key_id";

pub(super) fn add(db: &Connection, usage: &Usage) -> rusqlite::Result<()> {
    let mut add = db.prepare_cached(ADD)?;
    for delta in &usage.calls {
        let UsageDelta {
            key,
            operation,
            calls,
            first_seen,
            last_seen,
        } = delta;
        add.execute(params![
            operation,
            key.as_str(),
            i64::try_from(*calls).unwrap_or(i64::MAX),
            first_seen.timestamp_micros(),
            last_seen.timestamp_micros()
        ])?;
    }
    let mut used = db.prepare_cached(USED)?;
    for KeyUse { key, at } in &usage.uses {
        used.execute(params![key.as_str(), at.timestamp_micros()])?;
    }
    Ok(())
}

pub(super) fn all(db: &Connection) -> rusqlite::Result<Vec<UsageRecord>> {
    let mut all = db.prepare_cached(ALL)?;
    let records = all.query_map([], |row| {
        let calls: i64 = row.get(3)?;
        Ok(UsageRecord {
            key: id_of(row, 0)?,
            key_name: row.get(1)?,
            operation: row.get(2)?,
            calls: u64::try_from(calls).map_err(|_| Error::IntegralValueOutOfRange(3, calls))?,
            first_seen: time_of(row, 4)?,
            last_seen: time_of(row, 5)?,
        })
    })?;
    records.collect()
}
