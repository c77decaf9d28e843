//! Mutations that make the document invalid.

use super::{Mutation, ROW, STALE};
use crate::check::tree::DOCUMENT;

/// The gates that do not check a document that cannot be read.
const UNREADABLE: &[&str] = &["generated", "lifecycle"];

const GATE: Mutation = Mutation {
    gate: "document",
    ..ROW
};

pub(super) const ROWS: &[Mutation] = &[
    Mutation {
        what: "a reference leads nowhere",
        edits: &[(
            DOCUMENT,
            "$ref: '#/components/schemas/NewPet'",
            "$ref: '#/components/schemas/NewPett'",
        )],
        also: &["generated", "breaking", "lifecycle"],
        rule: "dangling-reference",
        at: (DOCUMENT, "NewPett"),
        help: "NewPet",
        ..GATE
    },
    Mutation {
        what: "a quote is not closed",
        edits: &[(DOCUMENT, "title: Pet Store", "title: 'Pet Store")],
        also: &["generated", "breaking", "lifecycle"],
        rule: "syntax",
        at: (DOCUMENT, "title: 'Pet Store"),
        ..GATE
    },
    Mutation {
        what: "a member occurs twice",
        edits: &[(
            DOCUMENT,
            "      summary: Add a pet\n",
            "      summary: Add a pet\n      summary: Add one\n",
        )],
        also: &["generated", "breaking", "lifecycle"],
        rule: "duplicate-member",
        at: (DOCUMENT, "summary: Add one"),
        ..GATE
    },
    Mutation {
        what: "a member is mistyped",
        edits: &[(
            DOCUMENT,
            "      summary: Add a pet\n",
            "      sumary: Add a pet\n",
        )],
        also: UNREADABLE,
        rule: "unknown-member",
        at: (DOCUMENT, "sumary"),
        help: "`summary`",
        ..GATE
    },
    Mutation {
        what: "the document is of another version of OpenAPI",
        edits: &[(DOCUMENT, "openapi: 3.0.3", "openapi: 4.0.0")],
        also: &["generated", "breaking", "lifecycle"],
        rule: "openapi-version",
        at: (DOCUMENT, "openapi: 4.0.0"),
        help: "3.0.3",
        ..GATE
    },
    Mutation {
        what: "an operation has no summary",
        edits: &[(DOCUMENT, "      summary: List pets\n", "")],
        also: STALE,
        rule: "missing-summary",
        at: (DOCUMENT, "operationId: listPets"),
        ..GATE
    },
    Mutation {
        what: "two operations have one id",
        edits: &[(DOCUMENT, "operationId: createPet", "operationId: listPets")],
        also: STALE,
        rule: "duplicate-operation-id",
        at: (DOCUMENT, "operationId: listPets"),
        ..GATE
    },
    Mutation {
        what: "a default is out of its bounds",
        edits: &[(DOCUMENT, "default: 20", "default: 200")],
        also: STALE,
        rule: "invalid-default",
        at: (DOCUMENT, "default: 200"),
        help: "within the bounds",
        ..GATE
    },
    Mutation {
        what: "a path variable has no parameter",
        edits: &[(DOCUMENT, "  /pets/{petId}:", "  /pets/{id}:")],
        also: &["generated", "breaking"],
        rule: "path-variable",
        at: (DOCUMENT, "/pets/{id}"),
        ..GATE
    },
    Mutation {
        what: "an example is of another type",
        edits: &[(
            DOCUMENT,
            "                status: 415\n",
            "                status: several\n",
        )],
        also: STALE,
        rule: "invalid-example",
        at: (DOCUMENT, "status: several"),
        ..GATE
    },
    Mutation {
        what: "a body has no example",
        edits: &[
            (
                DOCUMENT,
                "            example:\n              name: Rex\n              categoryId: 7\n              status: available\n      responses:",
                "      responses:",
            ),
            (
                DOCUMENT,
                "      example:\n        name: Rex\n        categoryId: 7\n        status: available\n\n    PetToImport:",
                "\n    PetToImport:",
            ),
        ],
        also: STALE,
        rule: "missing-example",
        at: (DOCUMENT, "schema:"),
        help: "`example`",
        ..GATE
    },
    Mutation {
        what: "an error response names a code that the catalogue does not have",
        edits: &[(
            DOCUMENT,
            "            - request_timeout\n",
            "            - request_timout\n",
        )],
        also: STALE,
        rule: "error-codes",
        at: (DOCUMENT, "request_timout"),
        ..GATE
    },
    Mutation {
        what: "an error response lists no codes",
        edits: &[(
            DOCUMENT,
            "          x-error-codes:\n            - not_found\n",
            "",
        )],
        also: STALE,
        rule: "error-codes",
        at: (DOCUMENT, "'404'"),
        help: "x-error-codes",
        ..GATE
    },
    Mutation {
        what: "no operation needs a key",
        edits: &[(DOCUMENT, "security:\n  - apiKey: []\n", "security: []\n")],
        also: &["generated", "breaking"],
        rule: "unsecured-operation",
        at: (DOCUMENT, "operationId: "),
        ..GATE
    },
];
