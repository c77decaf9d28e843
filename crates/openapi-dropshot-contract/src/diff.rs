//! What changed between two documents, and whether an existing client breaks.
//! Each [`Change`] has a rule id and a level, oasdiff's where oasdiff has the
//! rule, and its place in both documents. Reading is left to `read`, showing
//! and exit codes to whoever asks, and what a list of changes means for a
//! release to `release`.
//!
//! Compared is what schemas mean, not how they are written: references are
//! followed, `allOf` is merged, members of `oneOf` and `anyOf` are matched by
//! reference, title and shape. Of what is `readOnly` only responses count, of
//! what is `writeOnly` only requests.

mod bounds;
mod change;
mod compose;
mod content;
mod context;
mod equality;
mod headers;
mod lifecycle;
mod operations;
mod parameters;
mod properties;
mod responses;
mod rules;
mod schema;
mod security;
mod types;
mod values;
mod view;

pub use change::{Change, Level, Place, Policy};
pub use rules::level;

use crate::model::Node;
use context::Context;

/// Compares two documents: what changed from `base` to `revision`, the gravest
/// first, then in the order of the documents.
///
/// Takes the trees ([`crate::Document::root`], or of [`crate::read_draft`]),
/// because documents that lack something they must have are compared as well.
pub fn compare(base: &Node, revision: &Node, policy: &Policy) -> Vec<Change> {
    let mut context = Context::new(base, revision, policy);
    operations::compare(&mut context);
    security::compare_components(&mut context);
    operations::compare_components(&mut context);
    operations::compare_version(&mut context);
    context.finish()
}
