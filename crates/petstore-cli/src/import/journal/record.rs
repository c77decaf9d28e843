//! The format of the lines of a journal. After a change, journals of older
//! versions must still be readable, or [`VERSION`] must be raised.

use crate::import::input::Fingerprint;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The form of a journal.
pub(super) const VERSION: u32 = 1;

/// The first line: what the journal belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::import) struct Header {
    #[serde(rename = "petstore-import")]
    pub(super) version: u32,
    /// The prefix of all its idempotency keys.
    pub(super) run: Uuid,
    pub(super) url: String,
    pub(super) format: String,
    pub(super) input: Fingerprint,
    pub(super) begun: DateTime<Utc>,
}

/// Every other line: what became of some lines of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::import) enum Entry {
    /// They may be sent from now on, the last included.
    Sending {
        from: u64,
        to: u64,
        at: DateTime<Utc>,
        /// The API key with which they are sent; idempotency keys belong to it.
        key: String,
    },
    /// They were not sent after all.
    Unsent { from: u64, to: u64 },
    /// It was added as a pet with this id.
    Added { line: u64, id: i64 },
    /// It was rejected and cannot be added.
    Refused { line: u64, reason: String },
    /// The caller chose `--unknown skip`.
    Skipped { line: u64 },
}
