//! Rules for a document that has been read: what single objects cannot show
//! because it takes several of them, and what our own documents must have
//! beyond the specification of OpenAPI. One file a group of rules.

mod errors;
mod house;
mod instances;
mod lifecycle;
mod operations;
mod parameters;
mod paths;
mod required;
mod schemas;
mod security;
mod validate;
mod walk;

use crate::model::Document;
use crate::problem::{Problem, Problems};

/// Which rules a document is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// What any document must keep to make sense.
    General,
    /// That, and our house rules: an operation has an id, a summary and a
    /// security requirement; a body has an example; a deprecated operation says
    /// since when, until when and what replaces it; an error response lists
    /// its codes.
    House,
}

/// Lints a document. The warnings of the reader are among the problems, which
/// are in the order of the text.
pub fn lint(document: &Document, profile: Profile) -> Vec<Problem> {
    let mut problems = document.warnings.clone();
    operations::check(document, &mut problems);
    paths::check(document, &mut problems);
    parameters::check(document, &mut problems);
    security::check(document, &mut problems);
    schemas::check(document, &mut problems);
    required::check(document, &mut problems);
    instances::check(document, profile, &mut problems);
    lifecycle::check(document, profile, &mut problems);
    errors::check(document, profile, &mut problems);
    if profile == Profile::House {
        house::check(document, &mut problems);
    }
    Problems::new(&document.text, problems).into_problems()
}
