//! Ways in which a generator could be broken. Each is a change of a generated file, with the
//! difference that the round trip must report.

use openapi_dropshot::File;

pub(super) struct Way {
    /// What is broken.
    pub(super) description: &'static str,
    /// The generated file, the correct text in it, and the text that a broken generator would
    /// write.
    change: (&'static str, &'static str, &'static str),
    /// The same change for the text of the probe, which is generated from the same facts as the
    /// generated files.
    in_probe: &'static [(&'static str, &'static str)],
    /// The rule of the difference.
    pub(super) rule: &'static str,
    /// The place of the difference.
    pub(super) pointer: &'static str,
}

const SCHEMAS: &str = "models/schemas.rs";
const PARAMETERS: &str = "models/parameters.rs";
const CONTRACT: &str = "api/contract.rs";

/// Ways to break the code of the shelf. Each is reported at a different place.
pub(super) const WAYS: &[Way] = &[
    Way {
        description: "a bound that is not checked",
        change: (
            SCHEMAS,
            "value >= 1 && value <= 10",
            "value >= 1 && value <= 11",
        ),
        in_probe: &[],
        rule: "value-accepted",
        pointer: "/components/schemas/Level",
    },
    Way {
        description: "a bound that is not emitted",
        change: (SCHEMAS, "(\"maximum\", json!(10.0)),", ""),
        in_probe: &[],
        rule: "schema-maximum",
        pointer: "/components/schemas/Level",
    },
    Way {
        description: "members that are not counted",
        change: (
            SCHEMAS,
            "check_count(members, Some(1)",
            "check_count(members, Some(0)",
        ),
        in_probe: &[],
        rule: "value-accepted",
        pointer: "/components/schemas/Book/properties/span",
    },
    Way {
        description: "a wrong rename",
        change: (
            SCHEMAS,
            "rename = \"page-count\"",
            "rename = \"page_count\"",
        ),
        in_probe: &[],
        rule: "schema-property-lost",
        pointer: "/components/schemas/Book/properties/page-count",
    },
    Way {
        description: "a `null` too many in the type",
        change: (
            SCHEMAS,
            "        deserialize_with = \"openapi_dropshot_types::members::present\",\n        skip_serializing_if = \"Option::is_none\"\n    )]\n    #[schemars(with = \"String\", description = \"\")]\n    pub hint",
            "        skip_serializing_if = \"Option::is_none\"\n    )]\n    #[schemars(with = \"String\", description = \"\")]\n    pub hint",
        ),
        in_probe: &[],
        rule: "value-accepted",
        pointer: "/components/schemas/Fault",
    },
    Way {
        description: "a `null` too many in the schema",
        change: (
            SCHEMAS,
            "with = \"BookCode\"",
            "with = \"Option<BookCode>\"",
        ),
        in_probe: &[],
        rule: "schema-nullable",
        pointer: "/components/schemas/Book/properties/code",
    },
    Way {
        description: "a lost value of an enum",
        change: (
            SCHEMAS,
            "&[Kind::Novel, Kind::Poem, Kind::Play]",
            "&[Kind::Novel, Kind::Poem]",
        ),
        in_probe: &[],
        rule: "value-refused",
        pointer: "/components/schemas/Kind",
    },
    Way {
        description: "another value of an enum",
        change: (SCHEMAS, "Kind::Poem => \"poem\"", "Kind::Poem => \"poems\""),
        in_probe: &[],
        rule: "schema-enum",
        pointer: "/components/schemas/Kind",
    },
    Way {
        description: "a wrong status",
        change: (
            CONTRACT,
            "HttpResponseAccepted<models::Book>",
            "HttpResponseOk<models::Book>",
        ),
        in_probe: &[(
            "HttpResponseAccepted<models::Book>",
            "HttpResponseOk<models::Book>",
        )],
        rule: "status-lost",
        pointer: "/paths/~1books/post/responses/202",
    },
    Way {
        description: "a lost deprecation",
        change: (CONTRACT, ",\n        deprecated = true", ""),
        in_probe: &[],
        rule: "deprecated",
        pointer: "/paths/~1books~1{id}/delete",
    },
    Way {
        description: "a wrong format",
        change: (SCHEMAS, "with = \"Date\"", "with = \"String\""),
        in_probe: &[],
        rule: "schema-format",
        pointer: "/components/schemas/Book/properties/bought",
    },
    Way {
        description: "an optional member that was required",
        change: (
            SCHEMAS,
            "    pub title: String",
            "    #[serde(default)]\n    pub title: String",
        ),
        in_probe: &[],
        rule: "schema-required",
        pointer: "/components/schemas/Book/properties/title",
    },
    Way {
        description: "another default of a parameter",
        change: (PARAMETERS, "ListBooksLimit(20)", "ListBooksLimit(21)"),
        in_probe: &[],
        rule: "parameter-default-lost",
        pointer: "/paths/~1books/get/parameters/0",
    },
    Way {
        description: "another default of a member",
        change: (SCHEMAS, "-> i64 {\n    20\n", "-> i64 {\n    21\n"),
        in_probe: &[],
        rule: "schema-default",
        pointer: "/components/schemas/Book/properties/size/properties/width",
    },
    Way {
        description: "a closed object that is open",
        change: (SCHEMAS, ", deny_unknown_fields", ""),
        in_probe: &[],
        rule: "schema-additional-properties",
        pointer: "/components/schemas/Shelf",
    },
    Way {
        description: "a pattern that is not checked",
        change: (
            SCHEMAS,
            "Pattern::new(\"^[A-Z]{3}$\"",
            "Pattern::new(\"^[A-Z]{2}$\"",
        ),
        in_probe: &[],
        rule: "value-refused",
        pointer: "/components/schemas/Book",
    },
    Way {
        description: "an operation that lets everybody in",
        change: (
            "api/operations.rs",
            "security: Security {\n            is_open: false,\n            alternatives: &[\n                &[\n                    \
             RequiredScheme {\n                        scheme: &SECURITY_SCHEMES[0],\n                        \
             scopes: &[],\n                    },\n                ],\n            ],\n        },\n        request_body: Some",
            "security: Security::NONE,\n        request_body: Some",
        ),
        in_probe: &[],
        rule: "security-open",
        pointer: "/paths/~1books/post",
    },
    Way {
        description: "a wrong status of an error",
        change: ("api/errors.rs", "with_body(404", "with_body(400"),
        in_probe: &[],
        rule: "error-lost",
        pointer: "/paths/~1books/get",
    },
    Way {
        description: "an error without its headers",
        change: (
            "api/errors.rs",
            "with_body(500, &()).with_headers(headers)",
            "with_body(500, &()).with_headers(&())",
        ),
        in_probe: &[],
        rule: "error-lost",
        pointer: "/paths/~1books~1{id}/delete",
    },
    Way {
        description: "a wrong name of a header",
        change: (PARAMETERS, "rename = \"X-Total\"", "rename = \"X-Sum\""),
        in_probe: &[],
        rule: "header-lost",
        pointer: "/paths/~1books/get/responses/200/headers/X-Total",
    },
    Way {
        description: "another tag",
        change: (CONTRACT, "tags = [\"books\"]", "tags = [\"book\"]"),
        in_probe: &[],
        rule: "tags",
        pointer: "/paths/~1books/get",
    },
    Way {
        description: "a body that may no longer be absent",
        change: (
            CONTRACT,
            "OptionalBody<TypedBody<models::Reader>>",
            "TypedBody<models::Reader>",
        ),
        in_probe: &[
            (
                "OptionalBody<TypedBody<models::Reader>>",
                "TypedBody<models::Reader>",
            ),
            (".map(TypedBody::into_inner)", ""),
        ],
        rule: "body-absent",
        pointer: "/paths/~1readers/post/requestBody",
    },
    Way {
        description: "a lost `writeOnly`",
        change: (
            SCHEMAS,
            "openapi_dropshot_types::shapes::WriteOnly<String>",
            "String",
        ),
        in_probe: &[],
        rule: "schema-write-only",
        pointer: "/components/schemas/Person/properties/word",
    },
    Way {
        description: "a discriminator with another name",
        change: (SCHEMAS, "\"School\" => {", "\"school\" => {"),
        in_probe: &[],
        rule: "value-refused",
        pointer: "/components/schemas/Reader",
    },
    Way {
        description: "other words",
        change: (CONTRACT, "/// List ", "/// Burn "),
        in_probe: &[],
        rule: "summary",
        pointer: "/paths/~1books/get",
    },
];

/// A way to break the code of a document with a catalogue of error codes.
pub(super) const CATALOGUE: &[Way] = &[Way {
    description: "a wrong status of a catalogue entry",
    change: ("api/errors.rs", "status: 404", "status: 400"),
    in_probe: &[],
    rule: "error-lost",
    pointer: "/paths/~1accounts~1{number}~1entries/get",
}];

/// Breaks the generated files in all of these ways at once.
pub(super) fn break_all(files: &mut [File], ways: &[Way]) {
    let mut missing = Vec::new();
    for way in ways {
        let in_probe = way
            .in_probe
            .iter()
            .map(|(old, new)| ("probe.rs", *old, *new));
        for (path, old, new) in in_probe.chain([way.change]) {
            match files.iter_mut().find(|file| file.path == path) {
                Some(file) if file.text.contains(old) => {
                    file.text = file.text.replacen(old, new, 1);
                }
                _ => missing.push(format!("{}: {path} has no `{old}`", way.description)),
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
