//! The result of a comparison, and the policy that it applies.

use crate::location::Location;
use crate::rules::Level;
use chrono::NaiveDate;

/// Where a change is: in the base, in the revision, or in both.
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
    /// The id of the rule, oasdiff's where oasdiff has the rule.
    pub id: &'static str,
    /// How much the change matters: the level of the rule, lowered to a warning
    /// for operations that are not stable (beta, experimental).
    pub level: Level,
    /// The operation, such as `GET /books/{bookId}`; absent for what belongs to
    /// the document as a whole.
    pub operation: Option<String>,
    /// What changed, as a lower-case fragment.
    pub text: String,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
    /// Where.
    pub at: Place,
}

/// The day and the periods that a comparison applies to deprecations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The day on which the comparison is made. The comparison reads no clock.
    pub today: NaiveDate,
    /// The least number of days between the deprecation of a beta operation and
    /// its sunset; with 0, no sunset is required.
    pub deprecation_days_beta: u32,
    /// The same for a stable operation.
    pub deprecation_days_stable: u32,
}

impl Policy {
    /// A policy that requires no sunset.
    pub fn on(today: NaiveDate) -> Self {
        Policy {
            today,
            deprecation_days_beta: 0,
            deprecation_days_stable: 0,
        }
    }
}
