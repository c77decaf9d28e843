//! Mutations after which the generated code does not match the document.

use super::{Mutation, ROW};
use crate::check::tree::DOCUMENT;

const MODELS: &str = "crates/petstore-models/src/generated/parameters.rs";
const SCHEMAS: &str = "crates/petstore-models/src/generated/schemas.rs";
const OPERATIONS: &str = "crates/petstore-api/src/generated/operations.rs";
const ERRORS: &str = "crates/petstore-api/src/generated/errors.rs";
const CLIENT: &str = "crates/petstore-client/src/generated/client.rs";

const GATE: Mutation = Mutation {
    gate: "generated",
    rule: "stale-code",
    help: "cargo xtask generate",
    ..ROW
};

pub(super) const ROWS: &[Mutation] = &[
    Mutation {
        what: "a bound is widened by hand",
        edits: &[(MODELS, "json!(100.0)", "json!(1000.0)")],
        at: (MODELS, "json!(1000.0)"),
        ..GATE
    },
    Mutation {
        what: "a property is renamed by hand",
        edits: &[(SCHEMAS, "rename = \"categoryId\"", "rename = \"category\"")],
        at: (SCHEMAS, "rename = \"category\""),
        ..GATE
    },
    Mutation {
        what: "a sunset is moved by hand",
        edits: &[(OPERATIONS, "sunset: 1922659200", "sunset: 1954195200")],
        at: (OPERATIONS, "1954195200"),
        ..GATE
    },
    Mutation {
        what: "the warning of a deprecated method is taken out by hand",
        edits: &[(
            CLIENT,
            "    #[deprecated(",
            "    #[allow(deprecated)]\n    #[deprecated(",
        )],
        at: (CLIENT, "#[allow(deprecated)]"),
        ..GATE
    },
    Mutation {
        what: "an error answers another status by hand",
        edits: &[(ERRORS, "401", "403")],
        at: (ERRORS, "403"),
        ..GATE
    },
    Mutation {
        what: "a generated file is empty",
        edits: &[(SCHEMAS, "*", "")],
        at: (SCHEMAS, ""),
        ..GATE
    },
    Mutation {
        what: "a hand-written file is among the generated ones",
        edits: &[(
            "crates/petstore-api/src/generated/extra.rs",
            "*",
            "pub struct Extra;\n",
        )],
        at: (
            "crates/petstore-api/src/generated/extra.rs",
            "pub struct Extra",
        ),
        help: "or move the file",
        ..GATE
    },
    Mutation {
        what: "a description changed, and nothing was generated",
        edits: &[(DOCUMENT, "The pet's name.", "How the pet is called.")],
        at: (SCHEMAS, "The pet's name."),
        ..GATE
    },
];
