//! Tests that the client generator rejects the parts of a document that it does
//! not support, with their places.

use super::{OPERATION, SCHEMA, document, file, generated, with_body, with_parameter};

#[test]
fn unsupported_parts_are_rejected_at_their_place() {
    let cases = [
        (
            "missing-operation-id",
            document("{responses: {'204': {description: Done.}}}", SCHEMA),
        ),
        (
            "client-name-reserved",
            document(
                "{operationId: execute, responses: {'204': {description: Done.}}}",
                SCHEMA,
            ),
        ),
        (
            "client-name-reserved",
            document(
                "{operationId: error, responses: {'204': {description: Done.}}}",
                SCHEMA,
            ),
        ),
        (
            "client-name-reserved",
            with_parameter("{name: send, in: query, schema: {type: string}}"),
        ),
        (
            "client-path",
            with_parameter("{name: id, in: path, required: true, schema: {type: string}}"),
        ),
        (
            "client-unsupported",
            document(OPERATION, SCHEMA).replace("/things:", "'/things/{id}':"),
        ),
        // typify would merge them until the stack overflows.
        (
            "client-unsupported",
            document(
                OPERATION,
                "{allOf: [{type: object, properties: {a: {$ref: '#/components/schemas/Node'}}}, \
                 {type: object, properties: {a: {type: object, properties: {next: {type: object, properties: {name: {type: string, minLength: 2}}}}}}}]}",
            ) + "    Node: {type: object, properties: {name: {type: string}, next: {anyOf: [{$ref: '#/components/schemas/Node'}, {type: string}]}}}\n",
        ),
        (
            "client-header",
            with_parameter("{name: 'a b', in: header, schema: {type: string}}"),
        ),
        (
            "client-style",
            with_parameter("{name: a, in: cookie, style: simple, schema: {type: string}}"),
        ),
        (
            "client-style",
            with_parameter(
                "{name: a, in: header, schema: {type: object, properties: {b: {type: string}}}}",
            ),
        ),
        (
            "client-parameter-content",
            with_parameter("{name: a, in: query, content: {text/plain: {schema: {type: string}}}}"),
        ),
        (
            "client-name-clash",
            with_parameter(
                "{name: a-b, in: query, schema: {type: string}}, {name: a_b, in: query, schema: {type: string}}",
            ),
        ),
        (
            "client-request-media-types",
            with_body("{required: true, content: {multipart/mixed: {schema: {type: object}}}}"),
        ),
        (
            "client-websocket",
            document(
                "{operationId: putThing, x-dropshot-websocket: {}, responses: {'204': {description: Done.}}}",
                SCHEMA,
            ),
        ),
        (
            "client-name-clash",
            document(
                OPERATION,
                "{type: object, properties: {part_theme: {type: string, default: a}}}\n    \
                 ThingPart: {type: object, properties: {theme: {type: string, default: b}}}",
            ),
        ),
        (
            "client-deprecated-variant",
            document(
                OPERATION,
                "{oneOf: [{type: object, properties: {old: {type: string, deprecated: true}}}, {type: string}]}",
            ),
        ),
        (
            "unsupported-discriminator",
            document(
                OPERATION,
                "{oneOf: [{type: object, properties: {a: {type: string}}}], discriminator: {propertyName: a}}",
            ),
        ),
        (
            "client-unsupported",
            document(OPERATION, "{not: {type: object}}"),
        ),
        (
            "client-unsupported",
            document(
                OPERATION,
                "{type: object, properties: {parts: {type: array, items: {allOf: [{type: object, properties: {a: {type: string}}}, {$ref: '#/components/schemas/Thing'}]}}}}",
            ),
        ),
    ];
    for (rule, text) in cases {
        let problems = generated(&text).expect_err(rule);
        let problem = problems.iter().find(|problem| problem.rule == rule);
        let problem =
            problem.unwrap_or_else(|| panic!("{rule} is not among {problems:#?}\n{text}"));
        assert!(
            problem.at.line > 1 && !problem.at.pointer.is_empty(),
            "{problem:?}"
        );
        assert!(
            !problem.help.is_empty() && !problem.message.contains('\n'),
            "{problem:?}"
        );
    }
}

#[test]
fn two_inline_schemas_with_the_same_name_are_not_merged() {
    let schema =
        "{type: object, properties: {part: {type: object, properties: {a: {type: string}}}}}";
    let text = document(OPERATION, schema)
        + "    ThingPart: {type: object, properties: {b: {type: string}}}\n";
    let types = file(&text, "types.rs");
    let types = types.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "pub part: ::std::option::Option<ThingPart2>",
        "pub struct ThingPart2 {",
        "pub struct ThingPart {",
    ] {
        assert!(types.contains(part), "{part}: {types}");
    }
}

#[test]
fn a_schema_that_progenitor_does_not_support_is_reported_at_the_place_of_the_schema() {
    let text = document(OPERATION, SCHEMA) + "    Other: {not: {type: object}}\n";
    let problems = generated(&text).expect_err("typify does not know it");
    let pointers: Vec<&str> = problems
        .iter()
        .map(|problem| problem.at.pointer.as_str())
        .collect();
    assert_eq!(pointers, ["/components/schemas/Other"]);
}
