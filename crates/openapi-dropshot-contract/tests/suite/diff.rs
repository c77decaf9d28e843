//! Tests comparisons of two documents: oasdiff's own cases, if a copy is beside
//! the repository, and edits of a whole contract.

mod breaks;
mod cases;
mod catalogue;
mod clock;
mod directions;
mod edits;
mod operations;
mod outgoing;

use chrono::NaiveDate;
use openapi_dropshot_contract::diff::{Change, Level, Policy, compare};

/// A day before anything in the documents is due.
fn before() -> NaiveDate {
    day("2026-11-21")
}

pub(crate) fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day that exists")
}

/// What changed between two texts.
pub(crate) fn changes(base: &str, revision: &str, policy: &Policy) -> Vec<Change> {
    let read = |name, text| {
        openapi_dropshot_contract::read_draft(name, text)
            .unwrap_or_else(|problems| panic!("{problems}\n{text}"))
            .root
    };
    compare(
        &read("base.yaml", base),
        &read("revision.yaml", revision),
        policy,
    )
}

/// The ids with their levels, as they are easy to compare.
fn found(changes: &[Change]) -> Vec<(Level, &str)> {
    changes
        .iter()
        .map(|change| (change.level, change.id))
        .collect()
}
