//! The usage counters of deprecated operations, and the time at which each key was
//! used last.

use crate::{
    KeyId,
    row::{AnyRow, FromRow, Unreadable, Value},
};
use chrono::{DateTime, Utc};

/// The usage since the last call, to be added to the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls of deprecated operations.
    pub calls: Vec<UsageDelta>,
    /// Keys that were used, whatever for.
    pub uses: Vec<KeyUse>,
}

impl Usage {
    /// Whether there is no usage to add.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.uses.is_empty()
    }
}

/// Calls of one operation with one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageDelta {
    /// The key of the calls.
    pub key: KeyId,
    /// The `operationId`.
    pub operation: String,
    /// The number of calls.
    pub calls: u64,
    /// The time of the first call; kept to the microsecond.
    pub first_seen: DateTime<Utc>,
    /// The time of the last call; kept to the microsecond.
    pub last_seen: DateTime<Utc>,
}

/// A key that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The id of the key.
    pub key: KeyId,
    /// When, for the last time; kept to the microsecond.
    pub at: DateTime<Utc>,
}

/// A usage counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRecord {
    /// The key of the calls.
    pub key: KeyId,
    /// The name of the key.
    pub key_name: String,
    /// The `operationId`.
    pub operation: String,
    /// How many calls there were altogether.
    pub calls: u64,
    /// The time of the first call.
    pub first_seen: DateTime<Utc>,
    /// The time of the last call.
    pub last_seen: DateTime<Utc>,
}

impl UsageRecord {
    /// Selects all usage counters, on both databases.
    pub(crate) const ALL: &str = "
        SELECT key_id, name, operation, calls, first_seen, last_seen
        FROM deprecated_calls JOIN api_keys ON id = key_id ORDER BY operation, last_seen DESC, key_id";
}

impl FromRow for UsageRecord {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let calls = row.integer(3)?;
        Ok(UsageRecord {
            key: row.parsed(0)?,
            key_name: row.text(1)?,
            operation: row.text(2)?,
            calls: u64::try_from(calls)
                .map_err(|_| Unreadable::Type(calls.to_string(), "a number of calls"))?,
            first_seen: row.time(4)?,
            last_seen: row.time(5)?,
        })
    }
}

impl UsageDelta {
    /// Returns the operation, the key, the calls and the two times, as they are stored.
    pub(crate) fn values(&self) -> [Value<'_>; 5] {
        [
            self.operation.as_str().into(),
            self.key.as_str().into(),
            i64::try_from(self.calls).unwrap_or(i64::MAX).into(),
            self.first_seen.timestamp_micros().into(),
            self.last_seen.timestamp_micros().into(),
        ]
    }
}

impl KeyUse {
    /// Returns the key and the time, as they are stored.
    pub(crate) fn values(&self) -> [Value<'_>; 2] {
        [self.key.as_str().into(), self.at.timestamp_micros().into()]
    }
}
