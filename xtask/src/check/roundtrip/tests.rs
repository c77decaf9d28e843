//! What the gate makes of a generator that is broken on purpose. The mutations
//! of the other gates are in `tests/check/table`; all ways in which a generator
//! can be broken, in `crate::roundtrip`.

use super::{Inputs, judged};
use crate::{check::Gate, roundtrip};
use chrono::NaiveDate;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// One way to break what the generator writes of the contract.
struct Mutation {
    /// What is broken.
    what: &'static str,
    /// The file that is generated, a text in it, and what replaces it.
    change: (&'static str, &'static str, &'static str),
    /// How the gate calls the fault.
    rule: &'static str,
    /// What stands in the line of the document where it is seen.
    at: &'static str,
}

const TABLE: &[Mutation] = &[
    Mutation {
        what: "a bound is not emitted",
        change: (
            "models/parameters.rs",
            "maximum: Some(100.0)",
            "maximum: None",
        ),
        rule: "schema-maximum",
        at: "type: integer",
    },
    Mutation {
        what: "a default is another one",
        change: ("models/parameters.rs", "Limit(20)", "Limit(21)"),
        rule: "parameter-default-lost",
        at: "name: limit",
    },
    Mutation {
        what: "a property has another name",
        change: (
            "models/schemas.rs",
            "rename = \"categoryId\"",
            "rename = \"category\"",
        ),
        rule: "schema-property-lost",
        at: "description: Identifier of the category",
    },
    Mutation {
        what: "a deprecation is lost",
        change: ("api/contract.rs", ",\n        deprecated = true", ""),
        rule: "deprecated",
        at: "operationId: getPet",
    },
    Mutation {
        what: "an error has another status",
        change: ("api/errors.rs", "status: 404", "status: 400"),
        rule: "error-lost",
        at: "operationId: getPet",
    },
];

fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent()
        .expect("xtask stands in the workspace")
        .to_path_buf()
}

#[test]
fn every_mutation_of_the_generator_is_seen_at_its_place_with_what_to_do() {
    let today = NaiveDate::from_ymd_opt(2027, 1, 1).expect("a day");
    let inputs = Inputs::read(&root(), None, today).expect("the contract can be read");
    let document = inputs.document().expect("the contract is a document");
    let changes: Vec<_> = TABLE.iter().map(|mutation| mutation.change).collect();
    let differences = roundtrip::broken_contract(&root(), &inputs.path, &changes)
        .expect("the broken code compiles and runs");
    let gate = Gate {
        name: crate::check::Name::Roundtrip,
        outcome: judged(&inputs, document, differences),
        took: Duration::ZERO,
    };
    assert!(gate.has_failed());
    let lines: Vec<&str> = inputs.text.lines().collect();
    let findings = &gate.outcome.findings;
    let shown: Vec<&str> = findings.iter().map(|found| found.shown.as_str()).collect();
    for Mutation { what, rule, at, .. } in TABLE {
        let seen = findings.iter().any(|found| {
            found.rule == *rule
                && &*found.at.file == "spec/openapi.yaml"
                && lines[found.at.line - 1].contains(at)
        });
        assert!(
            seen,
            "{what} is not seen as {rule} at `{at}`:\n{}",
            shown.join("\n")
        );
    }
    assert!(
        findings
            .iter()
            .all(|found| found.help.contains("mend the generator"))
    );
    let fix = gate.outcome.fix.unwrap_or_default();
    assert!(fix.contains("cargo xtask generate"), "{fix}");
}
