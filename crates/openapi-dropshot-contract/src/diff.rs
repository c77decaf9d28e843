//! Finds what changed between two documents, and whether an existing client breaks.
//!
//! Each [`Change`] has the id of a rule, a level, and its place in both documents.
//! Schemas are compared by meaning: references are followed, `allOf` is merged,
//! members of `oneOf` and `anyOf` are matched by reference, title and shape.
//! `readOnly` properties count in responses only, `writeOnly` ones in requests.
//! The rules are declared in [`crate::rules`].

mod bounds;
mod compose;
mod content;
mod context;
mod equality;
mod lifecycle;
mod operations;
mod parameters;
mod properties;
mod responses;
mod schema;
mod scope;
mod security;
mod values;
mod view;

use crate::model::{Location, Node};
pub use crate::rules::Level;
use chrono::NaiveDate;
use context::Context;

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

/// The level of the rule with this id; `None` if there is no such rule.
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
    security::compare_components(&mut context);
    operations::compare_components(&mut context);
    operations::compare_version(&mut context);
    context.finish()
}
