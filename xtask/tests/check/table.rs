//! The table of mutations. Each mutation breaks something that one gate checks.

mod breaking;
mod changelog;
mod document;
mod generated;
mod lifecycle;

use crate::check::tree::{DOCUMENT, TODAY};

/// A change that breaks something.
pub(crate) struct Mutation {
    /// What is broken.
    pub(crate) what: &'static str,
    /// The edits: a file, a text, and the replacement for the first occurrence of the text. `*`
    /// stands for the whole file, `RELEASED` for the newest released document, and `VERSION` for
    /// its version.
    pub(crate) edits: &'static [(&'static str, &'static str, &'static str)],
    /// Whether the code is generated again after the edits.
    pub(crate) is_generated: bool,
    /// The day on which the gates are run.
    pub(crate) today: &'static str,
    /// The gate that must report it.
    pub(crate) gate: &'static str,
    /// Other gates that cannot pass in this case.
    pub(crate) also: &'static [&'static str],
    /// The rule with which the gate reports it.
    pub(crate) rule: &'static str,
    /// Where the gate reports it: a file, and a part of the line.
    pub(crate) at: (&'static str, &'static str),
    /// A part of the help.
    pub(crate) help: &'static str,
}

/// The values that most rows share.
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

/// The gates that fail if a mutation of the document makes the generated code stale.
const STALE: &[&str] = &["generated"];

/// The table, with one file per gate. The mutations for the gate `roundtrip` are in
/// `src/roundtrip/tests` of `cargo-openapi-dropshot`.
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
