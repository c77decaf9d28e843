//! Checks a document that has been read: the rules that need more than one object, and the project
//! rules. Each file contains a group of rules.

mod error_codes;
mod lifecycle;
mod operations;
mod project_rules;
mod schemas;
mod security;
mod validate;
mod waiters;
mod walk;

pub use project_rules::missing_statuses;

use crate::model::Document;
use crate::problem::{Problem, Problems};
use crate::rules::Profile;

/// Lints a document. The result includes the warnings of the reader. The problems are in the order
/// of the text.
pub fn lint(document: &Document, profile: Profile) -> Vec<Problem> {
    let mut problems = document.warnings.clone();
    operations::check(document, &mut problems);
    waiters::check(document, &mut problems);
    security::check(document, &mut problems);
    schemas::check(document, &mut problems);
    validate::check(document, profile, &mut problems);
    lifecycle::check(document, profile, &mut problems);
    error_codes::check(document, profile, &mut problems);
    problems.extend(crate::normal::warnings(document));
    if profile == Profile::Strict {
        project_rules::check(document, &mut problems);
    }
    Problems::new(document, problems).into_problems()
}
