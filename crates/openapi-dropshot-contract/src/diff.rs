//! Finds what changed between two documents, and whether an existing client breaks.
//!
//! Each [`Change`] has the id of a rule, a level, and its place in both documents.
//! Schemas are compared by meaning: references are followed, `allOf` is merged,
//! members of `oneOf` and `anyOf` are matched by reference, title and shape.
//! `readOnly` properties count in responses only, `writeOnly` ones in requests.
//! In webhooks and callbacks the roles are swapped: the service sends the requests.
//! The rules are declared in [`rules`](mod@crate::rules).

mod bounds;
mod compose;
mod content;
mod context;
mod equality;
mod json_schema;
mod lifecycle;
mod operations;
mod outgoing;
mod parameters;
mod patterns;
mod properties;
mod responses;
mod schema;
mod scope;
mod security;
mod serialization;
mod values;
mod view;

use crate::model::{Location, Node};
use crate::problem::Problem;
pub use crate::rules::Level;
use crate::rules::Severity;
use chrono::NaiveDate;
use context::Context;

/// The place of a change: in the base, in the revision, or in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The place in the older document; absent if the part was added.
    pub base: Option<Location>,
    /// The place in the newer document; absent if the part was removed.
    pub revision: Option<Location>,
}

/// One change from the base to the revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The id of the rule. It is the id in oasdiff, if oasdiff has the rule.
    pub id: &'static str,
    /// How much the change matters: the level of the rule, lowered to a warning
    /// for operations that are not stable (beta, experimental).
    pub level: Level,
    /// The operation, such as `GET /books/{bookId}`; absent if the part belongs to
    /// the document as a whole.
    pub operation: Option<String>,
    /// What changed, as a phrase that begins with a small letter.
    pub text: String,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
    /// The place of the change.
    pub at: Place,
}

impl Change {
    /// Makes a problem of this change.
    pub fn problem(
        &self,
        severity: Severity,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem::new(self.id, severity, at, message.into(), help.into())
    }
}

/// The day of a comparison, and the periods that it requires before a sunset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The day on which the comparison is made. The comparison reads no clock.
    pub today: NaiveDate,
    /// The minimum number of days between the deprecation of a beta operation and its
    /// sunset; if it is 0, no sunset is required.
    pub deprecation_days_beta: u32,
    /// The minimum number of days for a stable operation.
    pub deprecation_days_stable: u32,
}

impl Policy {
    /// Makes a policy that requires no sunset.
    pub fn on(today: NaiveDate) -> Self {
        Policy {
            today,
            deprecation_days_beta: 0,
            deprecation_days_stable: 0,
        }
    }
}

/// The level of the rule with this id; `None` if the rule does not exist.
pub fn level(id: &str) -> Option<Level> {
    crate::rules::change(id).map(|rule| rule.level)
}

/// Compares two documents: what changed from `base` to `revision`, the most
/// severe changes first, then in the order of the documents.
///
/// It takes the trees ([`crate::Document::root`], or of [`crate::read_draft`]),
/// because documents that lack a required part are compared as well.
pub fn compare(base: &Node, revision: &Node, policy: &Policy) -> Vec<Change> {
    let mut context = Context::new(base, revision, policy);
    operations::compare(&mut context);
    outgoing::compare_webhooks(&mut context);
    security::compare_components(&mut context);
    operations::compare_components(&mut context);
    operations::compare_servers(&mut context);
    operations::compare_version(&mut context);
    context.finish()
}
