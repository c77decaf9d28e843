//! The round trip itself: a generator that is broken on purpose is caught, one
//! that is not is let through, and every accepted difference is needed.

mod broken;

use super::{Outcome, accepted::ACCEPTED, contract, outcomes, report::shown, source::Source};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Documents that use, together, everything that is accepted.
const DOCUMENTS: &[&str] = &[
    "spec/openapi.yaml",
    "crates/openapi-dropshot/tests/golden/ledger.yaml",
    "crates/openapi-dropshot/tests/golden/workshop.yaml",
    SHELF,
];

/// One of each thing that can be broken.
const SHELF: &str = "xtask/src/roundtrip/tests/shelf.yaml";

fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent()
        .expect("xtask stands in the workspace")
        .to_path_buf()
}

fn source(document: &str) -> Source {
    Source::read(&root().join(document)).expect("the document can be read")
}

/// What becomes of the documents, and of the shelf with a broken generator:
/// compiled once, for all tests.
fn tried() -> &'static (Vec<Outcome>, Outcome) {
    static TRIED: OnceLock<(Vec<Outcome>, Outcome)> = OnceLock::new();
    TRIED.get_or_init(|| {
        let mut sources: Vec<Source> = DOCUMENTS.iter().map(|document| source(document)).collect();
        let mut broken = source(SHELF);
        broken::break_all(&mut broken.files);
        sources.push(broken);
        let mut tried = outcomes(&root(), "tests", sources).expect("everything compiles and runs");
        let broken = tried.pop().expect("the broken shelf");
        (tried, broken)
    })
}

#[test]
fn documents_of_this_project_come_through() {
    for outcome in &tried().0 {
        let faults: Vec<String> = outcome.faults().map(shown).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(
            outcome.source.refusals.is_empty(),
            "{}",
            outcome.source.shown()
        );
    }
}

#[test]
fn the_contract_comes_through_and_a_document_that_does_not_is_told_without_printing() {
    let tried = |document: &str| {
        let found = contract(&root(), &root().join(document)).expect("it can be tried");
        found
            .iter()
            .map(|found| (found.rule, found.at.pointer.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(tried("spec/openapi.yaml"), []);
    assert_eq!(
        tried("xtask/tests/roundtrip/refused.yaml"),
        [
            (
                "unsupported-parameter",
                "/paths/~1cookie/get/parameters/0".to_owned()
            ),
            (
                "unsupported-schema",
                "/components/schemas/NoWord/not".to_owned()
            )
        ]
    );
}

#[test]
fn a_generator_that_is_broken_on_purpose_is_caught_in_each_way() {
    let faults: Vec<_> = tried().1.faults().collect();
    let listed: Vec<String> = faults.iter().map(|fault| shown(fault)).collect();
    for broken in broken::WAYS {
        let caught = faults
            .iter()
            .any(|fault| fault.rule == broken.rule && fault.at.pointer == broken.pointer);
        assert!(
            caught,
            "{} is not caught as {} at {}:\n{}",
            broken.what,
            broken.rule,
            broken.pointer,
            listed.join("\n")
        );
    }
}

#[test]
fn every_difference_that_is_accepted_is_needed_and_has_a_reason() {
    let used: BTreeSet<&str> = tried()
        .0
        .iter()
        .flat_map(|outcome| &outcome.differences)
        .map(|difference| difference.rule)
        .collect();
    let idle: Vec<&str> = ACCEPTED
        .iter()
        .map(|accepted| accepted.rule)
        .filter(|rule| !used.contains(rule))
        .collect();
    assert!(
        idle.is_empty(),
        "no document needs {idle:?}: take them out of accepted.rs, or give {SHELF} what needs them"
    );
    for accepted in ACCEPTED {
        assert!(
            accepted.reason.len() > 20,
            "`{}` is accepted without a reason",
            accepted.rule
        );
    }
    let rules: BTreeSet<&str> = ACCEPTED.iter().map(|accepted| accepted.rule).collect();
    assert_eq!(rules.len(), ACCEPTED.len(), "a rule is accepted twice");
}
