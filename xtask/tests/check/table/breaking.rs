//! Mutations that break a client of the newest release.

use super::{Mutation, ROW};
use crate::check::tree::{DOCUMENT, SUMS};

const GATE: Mutation = Mutation {
    gate: "breaking",
    is_generated: true,
    help: "[[accepted]]",
    ..ROW
};

pub(super) const ROWS: &[Mutation] = &[
    Mutation {
        what: "an upper bound of a parameter falls",
        edits: &[(DOCUMENT, "maximum: 100", "maximum: 50")],
        rule: "request-parameter-max-decreased",
        at: (DOCUMENT, "maximum: 50"),
        ..GATE
    },
    Mutation {
        what: "a lower bound of a parameter rises",
        // The changed list belongs to a stable operation.
        edits: &[(
            DOCUMENT,
            "minimum: 1\n        maximum: 100\n",
            "minimum: 5\n        maximum: 100\n",
        )],
        rule: "request-parameter-min-increased",
        at: (DOCUMENT, "minimum: 5"),
        ..GATE
    },
    Mutation {
        what: "a number of a path becomes smaller",
        edits: &[(
            DOCUMENT,
            "Identifier of the pet.\n          schema:\n            type: integer\n            format: int64\n",
            "Identifier of the pet.\n          schema:\n            type: integer # smaller\n            format: int32\n",
        )],
        rule: "request-parameter-type-changed",
        at: (DOCUMENT, "# smaller"),
        ..GATE
    },
    Mutation {
        what: "a parameter becomes required",
        edits: &[(
            DOCUMENT,
            "name: status\n      in: query\n",
            "name: status\n      in: query\n      required: true\n",
        )],
        rule: "request-parameter-became-required",
        at: (DOCUMENT, "name: status"),
        ..GATE
    },
    Mutation {
        what: "a new parameter is required",
        edits: &[(
            DOCUMENT,
            "        - $ref: '#/components/parameters/Limit'\n",
            "        - $ref: '#/components/parameters/Limit'\n        - name: shop\n          in: query\n          required: true\n          description: Which shop.\n          schema:\n            type: string\n          example: north\n",
        )],
        also: &["changelog"],
        rule: "new-required-request-parameter",
        at: (DOCUMENT, "- name: shop"),
        ..GATE
    },
    Mutation {
        what: "a property of a body becomes required",
        edits: &[
            (
                DOCUMENT,
                "        - categoryId\n      properties:",
                "        - categoryId\n        - status\n      properties:",
            ),
            (
                DOCUMENT,
                "                  name: Tom\n                  categoryId: 3\n",
                "                  name: Tom\n                  categoryId: 3\n                  status: sold\n",
            ),
        ],
        rule: "request-property-became-required",
        at: (DOCUMENT, "- name"),
        ..GATE
    },
    Mutation {
        what: "an enum loses a value",
        edits: &[(DOCUMENT, "        - pending\n", "")],
        rule: "request-parameter-enum-value-removed",
        at: (DOCUMENT, "- available"),
        ..GATE
    },
    Mutation {
        what: "a property of an answer becomes optional",
        edits: &[(
            DOCUMENT,
            "          required:\n            - id\n          properties:",
            "          properties:",
        )],
        rule: "response-property-became-optional",
        at: (DOCUMENT, "assigned by the service"),
        ..GATE
    },
    Mutation {
        what: "a number of a body becomes smaller",
        edits: &[(
            DOCUMENT,
            "          description: Identifier of the category the pet belongs to.\n          type: integer\n          format: int64\n",
            "          description: Identifier of the category the pet belongs to.\n          type: integer\n          format: int32\n",
        )],
        rule: "request-property-type-changed",
        at: (DOCUMENT, "type: integer"),
        ..GATE
    },
    Mutation {
        what: "a success has another status",
        edits: &[(DOCUMENT, "        '201':\n", "        '200':\n")],
        rule: "response-success-status-removed",
        at: (DOCUMENT, "operationId: createPet"),
        ..GATE
    },
    Mutation {
        what: "a path has another name",
        edits: &[(DOCUMENT, "  /pets/{petId}:", "  /creatures/{petId}:")],
        also: &["lifecycle", "changelog"],
        rule: "api-path-removed-before-sunset",
        at: ("RELEASED", "operationId: getPet"),
        ..GATE
    },
    Mutation {
        what: "a released document says that it is another version",
        edits: &[("RELEASED", "  version: ", "  version: 9")],
        is_generated: false,
        rule: "released-document",
        at: ("RELEASED", "version: 9"),
        help: "restore the released text",
        ..GATE
    },
    Mutation {
        what: "a word of a released document is edited",
        edits: &[("RELEASED", "summary: ", "summary: Now ")],
        is_generated: false,
        rule: "frozen-document",
        at: ("RELEASED", "openapi: "),
        help: "restore the released text (`git log spec/released/",
        ..GATE
    },
    Mutation {
        what: "a released document has no checksum",
        edits: &[(SUMS, "*", "")],
        is_generated: false,
        rule: "frozen-document",
        at: ("RELEASED", "openapi: "),
        help: "if this is the released text, add to spec/released/SHA256SUMS:\n",
        ..GATE
    },
    Mutation {
        what: "a released document is removed",
        edits: &[(SUMS, "\n", "\n0123  0.1.0.yaml\n")],
        is_generated: false,
        rule: "frozen-document",
        at: (SUMS, "0.1.0.yaml"),
        help: "git restore --source=COMMIT spec/released/0.1.0.yaml",
        ..GATE
    },
    Mutation {
        what: "an entry accepts a break that does not exist",
        edits: &[(
            "spec/accepted-breaks.toml",
            "*",
            "[[accepted]]\nrule = 'request-parameter-removed'\nat = '/paths/~1pets'\nreason = 'meant'\ndate = 2026-11-21\n",
        )],
        is_generated: false,
        rule: "accepted-break",
        at: ("spec/accepted-breaks.toml", "[[accepted]]"),
        help: "remove the entry",
        ..GATE
    },
];
