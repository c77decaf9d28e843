//! The usage counters of deprecated operations, and the time at which each key was
//! used last.

use crate::KeyId;
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
