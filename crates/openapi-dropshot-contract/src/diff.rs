//! Finds the changes between two documents, and whether they break an existing client.
//!
//! Each [`Change`] has the id of a rule, a level, and its place in both documents. Schemas are
//! compared by their meaning, not by their notation: references are followed, `allOf` is merged,
//! and members of `oneOf` and `anyOf` are matched by reference, title and shape. `readOnly`
//! properties are compared only in responses, and `writeOnly` properties only in requests. In
//! webhooks and callbacks the roles are swapped, because the service sends the requests. The rules
//! are declared in [`rules`](mod@crate::rules).

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

/// The place of a change: in the base (the older document), in the revision (the newer one), or in
/// both.
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
    /// The id of the rule. It is the same id as in oasdiff if oasdiff has the rule.
    pub id: &'static str,
    /// How serious the change is: the level of the rule. For operations that are not stable (beta,
    /// experimental), the level is lowered to a warning.
    pub level: Level,
    /// The operation, such as `GET /books/{bookId}`; absent if the part belongs to
    /// the document as a whole.
    pub operation: Option<String>,
    /// What changed, as a phrase that begins with a lower-case letter.
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

/// The date of a comparison, and the minimum periods between a deprecation and its sunset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The date for which the comparison is made. The comparison does not read the clock.
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

/// Compares two documents and returns the changes from `base` to `revision`. The most severe
/// changes are first; changes of the same level are in the order of the documents.
///
/// The arguments are trees ([`crate::Document::root`], or [`crate::Draft::root`] of
/// [`crate::read_draft`]), because documents that lack a required part can be compared as well.
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
