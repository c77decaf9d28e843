//! Mutations that break promises about deprecation.

use super::{Mutation, ROW, STALE};
use crate::check::tree::DOCUMENT;

const GATE: Mutation = Mutation {
    gate: "lifecycle",
    ..ROW
};

pub(super) const ROWS: &[Mutation] = &[
    Mutation {
        what: "a deprecated operation has no sunset",
        edits: &[(DOCUMENT, "      x-sunset: 2030-12-05\n", "")],
        also: STALE,
        rule: "incomplete-deprecation",
        at: (DOCUMENT, "deprecated: true"),
        help: "the day of its removal",
        ..GATE
    },
    Mutation {
        what: "a deprecated operation does not say since when",
        edits: &[(DOCUMENT, "      x-deprecated-since: 2026-11-20\n", "")],
        also: STALE,
        rule: "incomplete-deprecation",
        at: (DOCUMENT, "deprecated: true"),
        help: "the day from which it is deprecated",
        ..GATE
    },
    Mutation {
        what: "a deprecated operation has no replacement",
        edits: &[(
            DOCUMENT,
            "      x-replacement:\n        operation: listPets\n        note: use `GET /pets` with a `status` filter\n",
            "",
        )],
        also: STALE,
        rule: "incomplete-deprecation",
        at: (DOCUMENT, "deprecated: true"),
        help: "the id of the operation that replaces it",
        ..GATE
    },
    Mutation {
        what: "a replacement does not exist",
        edits: &[(
            DOCUMENT,
            "        operation: listPets\n",
            "        operation: listPetz\n",
        )],
        also: STALE,
        rule: "unknown-replacement",
        at: (DOCUMENT, "listPetz"),
        help: "`listPets`",
        ..GATE
    },
    Mutation {
        what: "a sunset moves closer",
        edits: &[(DOCUMENT, "x-sunset: 2030-12-05", "x-sunset: 2030-06-05")],
        is_generated: true,
        rule: "api-sunset-moved-closer",
        at: (DOCUMENT, "x-sunset: 2030-06-05"),
        help: "undo the change",
        ..GATE
    },
    Mutation {
        what: "an operation is less stable than before",
        edits: &[(
            DOCUMENT,
            "      operationId: listPets\n",
            "      operationId: listPets\n      x-stability-level: beta\n",
        )],
        is_generated: true,
        rule: "api-stability-decreased",
        at: (DOCUMENT, "x-stability-level: beta"),
        help: "undo the change",
        ..GATE
    },
    Mutation {
        what: "a stable operation goes without having been deprecated",
        edits: &[(DOCUMENT, "    post:\n", "    put:\n")],
        is_generated: true,
        also: &["breaking", "changelog"],
        rule: "api-removed-without-deprecation",
        at: ("RELEASED", "operationId: createPet"),
        help: "undo the change",
        ..GATE
    },
    Mutation {
        what: "a deprecation leaves less than half a year",
        edits: &[
            (
                DOCUMENT,
                "      operationId: createPet\n",
                "      operationId: createPet\n      deprecated: true\n      x-deprecated-since: 2027-01-01\n      x-sunset: 2027-02-01\n      x-replacement:\n        operation: listPets\n        note: add none\n",
            ),
            (
                DOCUMENT,
                "            - conflict\n            - payload_too_large\n",
                "            - conflict\n            - operation_removed\n            - payload_too_large\n",
            ),
        ],
        is_generated: true,
        rule: "api-sunset-date-too-small",
        at: (DOCUMENT, "x-sunset: 2027-02-01"),
        ..GATE
    },
    Mutation {
        what: "an operation has a sunset and is not deprecated",
        edits: &[(DOCUMENT, "      deprecated: true\n", "")],
        also: STALE,
        rule: "not-deprecated",
        at: (DOCUMENT, "x-sunset: 2030-12-05"),
        help: "deprecated: true",
        ..GATE
    },
    Mutation {
        what: "a sunset has come",
        today: "2030-12-05",
        rule: "sunset-passed",
        at: (DOCUMENT, "x-sunset: 2030-12-05"),
        help: "remove `GET /pets/{petId}` from the document",
        ..GATE
    },
];
