//! Who calls what, as the store keeps it: the ledger of the calls of deprecated
//! operations, and when each key was used last. Which operations are in the
//! ledger, and how often it is written, is left to the service.

use crate::KeyId;
use chrono::{DateTime, Utc};

/// What happened since the last time: to be added to what the store has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls that belong into the ledger.
    pub calls: Vec<UsageDelta>,
    /// Keys that were used, whatever for.
    pub uses: Vec<KeyUse>,
}

impl Usage {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.uses.is_empty()
    }
}

/// Calls of one operation with one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageDelta {
    /// Whose calls.
    pub key: KeyId,
    /// The `operationId`.
    pub operation: String,
    /// How many.
    pub calls: u64,
    /// When the first of them came; kept to the microsecond.
    pub first_seen: DateTime<Utc>,
    /// When the last of them came; kept to the microsecond.
    pub last_seen: DateTime<Utc>,
}

/// A key that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Which key.
    pub key: KeyId,
    /// When, for the last time; kept to the microsecond.
    pub at: DateTime<Utc>,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRecord {
    /// Whose calls.
    pub key: KeyId,
    /// What the owner calls the key.
    pub key_name: String,
    /// The `operationId`.
    pub operation: String,
    /// How many calls there were altogether.
    pub calls: u64,
    /// When the first one came.
    pub first_seen: DateTime<Utc>,
    /// When the last one came.
    pub last_seen: DateTime<Utc>,
}
