//! Reads the usage of operations from the store, for a page of the admin listener and for the
//! command `usage`. Also stores the time from which usage is counted.

use crate::OPERATIONS;
use chrono::{DateTime, NaiveDate, Utc};
use openapi_dropshot_server::usage_report::{CallerUsage, StoredUsage};
use petstore_store::{KeyId, Store, StoreError};
use std::collections::{BTreeMap, HashMap};

/// Stores that the calls of all deprecated operations are counted from `now` on, unless the store
/// already has an earlier time. A server calls this before it serves requests.
///
/// # Errors
///
/// Returns an error if the store cannot be read or written.
pub async fn begin_counting(store: &dyn Store, now: DateTime<Utc>) -> Result<(), StoreError> {
    let counted = store.counted_operations().await?;
    let is_counted = |name: &str| counted.iter().any(|counted| counted.operation == name);
    let deprecated = OPERATIONS
        .iter()
        .filter(|known| known.deprecation.is_some());
    let new = deprecated
        .map(|known| known.name)
        .filter(|name| !is_counted(name));
    let new: Vec<_> = new.map(str::to_owned).collect();
    if new.is_empty() {
        return Ok(());
    }
    store.begin_counting(new, now).await
}

/// Returns the usage of operations that a store has, with the calls by day from the given day on.
///
/// # Errors
///
/// Returns an error if the store cannot be read.
pub async fn stored(store: &dyn Store, since: NaiveDate) -> Result<StoredUsage, StoreError> {
    let mut days: HashMap<(String, KeyId), BTreeMap<_, _>> = HashMap::new();
    for row in store.usage_by_day(since).await? {
        let of_caller = days.entry((row.operation, row.key)).or_default();
        of_caller.insert(row.day, row.calls);
    }
    let callers = store.usage().await?.into_iter().map(|row| {
        let days = days.remove(&(row.operation.clone(), row.key));
        CallerUsage {
            operation: row.operation,
            key: row.key.to_string(),
            name: row.key_name,
            calls: row.calls,
            first_seen: row.first_seen,
            last_seen: row.last_seen,
            last_user_agent: row.last_user_agent,
            days: days.unwrap_or_default(),
        }
    });
    let counted = store.counted_operations().await?.into_iter();
    Ok(StoredUsage {
        since: counted.map(|row| (row.operation, row.since)).collect(),
        callers: callers.collect(),
    })
}
