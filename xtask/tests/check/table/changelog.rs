//! Mutations that leave a change without a changelog entry, or that make versions differ.

use super::{Mutation, ROW};
use crate::check::tree::{CHANGELOG, DOCUMENT};

const MANIFEST: &str = "Cargo.toml";

const GATE: Mutation = Mutation {
    gate: "changelog",
    at: (CHANGELOG, ""),
    ..ROW
};

pub(super) const ROWS: &[Mutation] = &[
    Mutation {
        what: "the document changed, and the changelog has no entry",
        edits: &[
            (DOCUMENT, "maximum: 100", "maximum: 200"),
            (
                CHANGELOG,
                "*",
                "# Changelog\n\n## Unreleased\n\n## VERSION - 2026-11-20\n",
            ),
        ],
        is_generated: true,
        rule: "changelog-entry",
        at: (CHANGELOG, "## Unreleased"),
        help: "next release",
        ..GATE
    },
    Mutation {
        what: "an operation changed, and the changelog names another one",
        edits: &[
            (
                DOCUMENT,
                "        - $ref: '#/components/parameters/Limit'\n",
                "        - $ref: '#/components/parameters/Limit'\n        - name: shop\n          in: query\n          description: Which shop.\n          schema:\n            type: string\n          example: north\n",
            ),
            (CHANGELOG, "- `GET /pets`\n", ""),
        ],
        is_generated: true,
        rule: "changelog-entry",
        at: (CHANGELOG, "## Unreleased"),
        help: "`GET /pets`",
        ..GATE
    },
    Mutation {
        what: "there is no place for what is not released",
        edits: &[(CHANGELOG, "## Unreleased", "## Soon")],
        rule: "changelog-form",
        at: (CHANGELOG, "## Soon"),
        help: "## Unreleased",
        ..GATE
    },
    Mutation {
        what: "a release has no day",
        edits: &[(CHANGELOG, " - 2026-11-20", "")],
        also: &[],
        rule: "changelog-form",
        at: (CHANGELOG, "## 1"),
        help: "version and day",
        ..GATE
    },
    Mutation {
        what: "an older release is on top",
        edits: &[(
            CHANGELOG,
            "### Changed",
            "### Changed\n\n- Something.\n\n## 0.9.0 - 2026-11-01\n\n### Added",
        )],
        rule: "changelog-form",
        at: (CHANGELOG, "## "),
        help: "the newest one first",
        ..GATE
    },
    Mutation {
        what: "a group has a name of its own",
        edits: &[(CHANGELOG, "### Changed", "### Improved")],
        rule: "changelog-form",
        at: (CHANGELOG, "### Improved"),
        help: "Added, Changed",
        ..GATE
    },
    Mutation {
        what: "a release has no section",
        edits: &[(CHANGELOG, "## VERSION - 2026-11-20", "")],
        rule: "release-without-section",
        at: (CHANGELOG, "# Changelog"),
        help: "add `## ",
        ..GATE
    },
    Mutation {
        what: "a section was made by hand",
        edits: &[(
            CHANGELOG,
            "## Unreleased\n",
            "## Unreleased\n\n## 99.0.0 - 2026-12-01\n",
        )],
        rule: "section-without-release",
        at: (CHANGELOG, "## 99.0.0"),
        help: "cargo xtask release 99.0.0",
        ..GATE
    },
    Mutation {
        what: "the document moves its version alone",
        edits: &[(DOCUMENT, "  version: VERSION", "  version: 99.0.0")],
        is_generated: true,
        rule: "version",
        at: (DOCUMENT, "version: 99.0.0"),
        help: "cargo xtask release",
        ..GATE
    },
    Mutation {
        what: "the workspace moves its version alone",
        edits: &[(
            MANIFEST,
            "\nversion = \"VERSION\"",
            "\nversion = \"99.0.0\"",
        )],
        rule: "version",
        at: (MANIFEST, "version = \"99.0.0\""),
        help: "cargo xtask release",
        ..GATE
    },
    Mutation {
        what: "a crate is used in another version",
        edits: &[(
            MANIFEST,
            "crates/petstore-models\", version = \"VERSION\"",
            "crates/petstore-models\", version = \"99.0.0\"",
        )],
        rule: "version",
        at: (MANIFEST, "petstore-models"),
        help: "cargo xtask release",
        ..GATE
    },
];
