//! Finds what changed between two documents, and whether an existing client breaks.
//!
//! Each [`Change`] has the id of a rule, a level, and its place in both documents.
//! Schemas are compared by meaning: references are followed, `allOf` is merged,
//! members of `oneOf` and `anyOf` are matched by reference, title and shape.
//! `readOnly` properties count in responses only, `writeOnly` ones in requests.
//! The rules are declared in [`crate::rules`].

mod bounds;
mod change;
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
mod types;
mod values;
mod view;

pub use crate::rules::Level;
pub use change::{Change, Place, Policy};

use crate::model::Node;
use context::Context;

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
