//! Tests comparisons of two documents: the test cases of oasdiff, if a copy is beside the
//! repository, and edits of a whole contract.

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

/// A date before all sunsets in the documents.
fn before() -> NaiveDate {
    day("2026-11-21")
}

pub(crate) fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day that exists")
}

/// Returns the changes between two texts.
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

/// Returns the ids with their levels, which are easy to compare.
fn found(changes: &[Change]) -> Vec<(Level, &str)> {
    changes
        .iter()
        .map(|change| (change.level, change.id))
        .collect()
}
