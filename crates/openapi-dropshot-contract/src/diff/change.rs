//! What a comparison finds, and the policy that it is held against.

use crate::model::Location;
use chrono::NaiveDate;
use std::fmt;

/// How much a change matters, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// An existing client can break.
    Err,
    /// An existing client may break; nobody can tell from the documents.
    Warn,
    /// Worth knowing; no client breaks.
    Info,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Err => "ERR",
            Level::Warn => "WARN",
            Level::Info => "INFO",
        })
    }
}

/// Where a change shows: in the base, in the revision, or in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// In the older document; absent for what was added.
    pub base: Option<Location>,
    /// In the newer document; absent for what was removed.
    pub revision: Option<Location>,
}

/// One change from the base to the revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The rule, by oasdiff's id where oasdiff has it.
    pub id: String,
    /// How much it matters here: the level of the rule, lowered to a warning
    /// where the operation never promised to stay (beta, experimental).
    pub level: Level,
    /// The operation, such as `GET /books/{bookId}`; absent for what belongs to
    /// the document as a whole.
    pub operation: Option<String>,
    /// What changed, as a lower-case fragment.
    pub text: String,
    /// Where.
    pub at: Place,
}

/// What a comparison is held against besides the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The day on which the comparison is made. The comparison reads no clock.
    pub today: NaiveDate,
    /// How many days lie at least between the deprecation of a beta operation
    /// and its sunset; 0 asks for no sunset at all.
    pub deprecation_days_beta: u32,
    /// The same for a stable operation.
    pub deprecation_days_stable: u32,
}

impl Policy {
    /// Deprecation asks for no sunset.
    pub fn on(today: NaiveDate) -> Self {
        Policy {
            today,
            deprecation_days_beta: 0,
            deprecation_days_stable: 0,
        }
    }
}
