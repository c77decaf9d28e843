//! The usage counters of operations, mainly of deprecated operations, and the time at which each key
//! was used last.

use crate::{
    KeyId,
    row::{AnyRow, FromRow, Unreadable, Value},
};
use chrono::{DateTime, NaiveDate, Utc};

/// The usage since the last call, to be added to the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls of the operations that are counted.
    pub calls: Vec<UsageDelta>,
    /// Keys that were used, for any operation.
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
    /// The time of the first call; stored in microseconds.
    pub first_seen: DateTime<Utc>,
    /// The time of the last call; stored in microseconds. All calls are counted on its day, in UTC.
    pub last_seen: DateTime<Utc>,
    /// The `User-Agent` of the last call, if it had one.
    pub user_agent: Option<String>,
}

/// A key that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The id of the key.
    pub key: KeyId,
    /// The time of its last use; stored in microseconds.
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
    /// The total number of calls.
    pub calls: u64,
    /// The time of the first call.
    pub first_seen: DateTime<Utc>,
    /// The time of the last call.
    pub last_seen: DateTime<Utc>,
    /// The `User-Agent` of the last call that had one.
    pub last_user_agent: Option<String>,
}

/// The calls of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyUsage {
    /// The day, in UTC.
    pub day: NaiveDate,
    /// The `operationId`.
    pub operation: String,
    /// The key of the calls.
    pub key: KeyId,
    /// The number of calls on this day.
    pub calls: u64,
}

/// An operation whose calls are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedOperation {
    /// The `operationId`.
    pub operation: String,
    /// The time since which its calls are counted.
    pub since: DateTime<Utc>,
}

impl CountedOperation {
    /// Selects all of them, on both databases.
    pub(crate) const ALL: &str =
        "SELECT operation, since FROM counted_operations ORDER BY operation";
    /// Adds the operation `$1` with the time `$2`, unless it exists, on both databases.
    pub(crate) const ADD: &str =
        "INSERT INTO counted_operations (operation, since) VALUES ($1, $2) ON CONFLICT DO NOTHING";
}

impl FromRow for CountedOperation {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        Ok(CountedOperation {
            operation: row.text(0)?,
            since: row.time(1)?,
        })
    }
}

/// The number of days that are kept. A call deletes the days up to its own day minus this number.
pub(crate) const DAYS_KEPT: i64 = 400;

impl DailyUsage {
    /// Selects the days from `$1` on, on both databases.
    pub(crate) const SINCE: &str = "
        SELECT day, operation, key_id, calls FROM deprecated_calls_by_day JOIN api_keys ON id = key_id
        WHERE day >= $1 ORDER BY operation, key_id, day";
}

impl FromRow for DailyUsage {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let (day, calls) = (row.integer(0)?, row.integer(3)?);
        let date = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
        Ok(DailyUsage {
            day: date.ok_or_else(|| Unreadable::Type(day.to_string(), "a day"))?,
            operation: row.text(1)?,
            key: row.parsed(2)?,
            calls: u64::try_from(calls)
                .map_err(|_| Unreadable::Type(calls.to_string(), "a number of calls"))?,
        })
    }
}

impl UsageRecord {
    /// Selects all usage counters, on both databases.
    pub(crate) const ALL: &str = "
        SELECT key_id, name, operation, calls, first_seen, last_seen, last_user_agent
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
            last_user_agent: row.optional(6, R::text)?,
        })
    }
}

pub(crate) fn stored_day(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}

impl UsageDelta {
    /// The stored form of the day of the calls.
    pub(crate) fn day(&self) -> i64 {
        stored_day(self.last_seen.date_naive())
    }

    /// Returns the stored values of the operation, the key, the calls, the two times, the
    /// `User-Agent` and the day.
    pub(crate) fn values(&self) -> [Value<'_>; 7] {
        [
            self.operation.as_str().into(),
            self.key.as_str().into(),
            i64::try_from(self.calls).unwrap_or(i64::MAX).into(),
            self.first_seen.timestamp_micros().into(),
            self.last_seen.timestamp_micros().into(),
            self.user_agent.as_deref().into(),
            self.day().into(),
        ]
    }
}

impl KeyUse {
    /// Returns the stored values of the key and the time.
    pub(crate) fn values(&self) -> [Value<'_>; 2] {
        [self.key.as_str().into(), self.at.timestamp_micros().into()]
    }
}
