//! The table of mutations: each breaks something that one gate checks.

mod breaking;
mod changelog;
mod document;
mod generated;
mod lifecycle;

use crate::check::tree::{DOCUMENT, TODAY};

/// One way to break something.
pub(crate) struct Mutation {
    /// What is broken.
    pub(crate) what: &'static str,
    /// File, text and what replaces its first occurrence; `*` is all of the
    /// file, `RELEASED` the newest released document, `VERSION` its version.
    pub(crate) edits: &'static [(&'static str, &'static str, &'static str)],
    /// Whether the code is generated anew afterwards.
    pub(crate) is_generated: bool,
    /// The day on which the gates are run.
    pub(crate) today: &'static str,
    /// The gate that guards it.
    pub(crate) gate: &'static str,
    /// Gates that cannot be green then.
    pub(crate) also: &'static [&'static str],
    /// How the gate calls the fault.
    pub(crate) rule: &'static str,
    /// Where it sees it: a file, and a part of the line.
    pub(crate) at: (&'static str, &'static str),
    /// What it says to do.
    pub(crate) help: &'static str,
}

/// What most rows share.
const ROW: Mutation = Mutation {
    what: "",
    edits: &[],
    is_generated: false,
    today: TODAY,
    gate: "",
    also: &[],
    rule: "",
    at: (DOCUMENT, ""),
    help: "",
};

/// A mutation of the document that leaves the generated code behind.
const STALE: &[&str] = &["generated"];

/// The table, a file a gate. That of the gate `roundtrip` is where the gate
/// is, in `src/check/roundtrip`.
const TABLE: &[&[Mutation]] = &[
    document::ROWS,
    generated::ROWS,
    breaking::ROWS,
    lifecycle::ROWS,
    changelog::ROWS,
];

/// All mutations, by gate.
pub(crate) fn all() -> impl Iterator<Item = &'static Mutation> {
    TABLE.iter().copied().flatten()
}
