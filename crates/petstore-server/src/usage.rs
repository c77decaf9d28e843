//! Reads the usage of deprecated operations from the store, for the page of the admin listener and
//! for the command `usage`.

use chrono::NaiveDate;
use openapi_dropshot_server::usage_report::{CallerUsage, StoredUsage};
use petstore_store::{KeyId, Store, StoreError};
use std::collections::{BTreeMap, HashMap};

/// The usage of deprecated operations that a store has, with the calls by day from that day on. Calls
/// are counted since the store has its first key.
///
/// # Errors
///
/// The store cannot be read.
pub async fn stored(store: &dyn Store, since: NaiveDate) -> Result<StoredUsage, StoreError> {
    let keys = store.list_keys().await?;
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
    Ok(StoredUsage {
        since: keys.iter().map(|key| key.created_at).min(),
        callers: callers.collect(),
    })
}
