//! Tests that unsupported schemas are rejected.

use super::{assert_rejected, problems, schema};

#[test]
fn schemas_without_an_equivalent_type_are_rejected() {
    assert_rejected(&[
        (
            schema(
                "      minLength: 1\n      oneOf:\n        - type: string\n        - type: integer\n",
            ),
            "meaningless-keyword 26:18 `minLength` has no effect on alternatives",
        ),
        (
            schema(
                "      discriminator: {propertyName: a, mapping: {b: Nobody}}\n      oneOf:\n        - $ref: '#/components/schemas/Other'\n",
            ),
            "unsupported-discriminator … write the name of a component",
        ),
        (
            schema("      type: string\n      not:\n        type: integer\n"),
            "unsupported-schema",
        ),
        (
            schema(
                "      type: object\n      properties:\n        id: {type: integer, readOnly: true, writeOnly: true}\n",
            ),
            "read-write-only 28:13 a schema cannot be `readOnly` and `writeOnly` … keep one of them",
        ),
        (
            schema("      type: integer\n      minimum: 5\n      maximum: 4\n"),
            "empty-range … between 5 and 4",
        ),
        (
            schema("      type: integer\n      format: uint8\n      minimum: 256\n"),
            "empty-range",
        ),
        (
            schema("      type: integer\n      multipleOf: 0.5\n"),
            "unsupported-multiple-of … write an integer, or `type: number`",
        ),
        (
            schema("      type: string\n      minLength: 3\n      maxLength: 2\n"),
            "crossed-bounds 27:18 `minLength` 3 is greater than `maxLength` 2",
        ),
        (
            schema("      type: string\n      pattern: '['\n"),
            "pattern 27:16 `pattern` is not a regular expression … ECMA-262",
        ),
        (
            schema("      type: string\n      enum: [a, null]\n"),
            "enum-null … in OpenAPI 3.1 write `type: [string, 'null']`",
        ),
        (
            schema("      type: integer\n      enum: [1.5]\n"),
            "unsupported-enum",
        ),
        (
            schema("      type: integer\n      format: int8\n      enum: [1, 200]\n"),
            "enum-outside-type … `200` is not a value of i8",
        ),
    ]);
}

#[test]
fn keywords_of_openapi_3_1_without_a_rust_type_are_rejected_at_the_place_of_the_keyword() {
    let object = "      type: object\n      properties: {a: {type: string}, b: {type: string}}\n";
    for (before, keyword) in [
        (object, "if: {required: [a]}"),
        (object, "dependentRequired: {a: [b]}"),
        (object, "dependentSchemas: {a: {required: [b]}}"),
        (object, "patternProperties: {'^x': {type: integer}}"),
        (object, "propertyNames: {maxLength: 3}"),
        (
            "      type: array\n      items: {type: string}\n",
            "contains: {const: a}",
        ),
        (
            "      type: array\n      prefixItems: [{type: string}, {type: integer}]\n",
            "items: {type: string}",
        ),
        ("      type: array\n", "items: {$dynamicRef: '#a'}"),
        (
            "      type: object\n      allOf: [{$ref: '#/components/schemas/Other'}]\n      properties: {b: {type: string}}\n",
            "unevaluatedProperties: false",
        ),
        (
            "      $ref: '#/components/schemas/Other'\n",
            "unevaluatedProperties: false",
        ),
        (
            "      oneOf: [{$ref: '#/components/schemas/Other'}]\n",
            "unevaluatedProperties: false",
        ),
        (
            "      type: array\n      prefixItems: [{type: string}]\n",
            "unevaluatedItems: {type: integer}",
        ),
        (
            "      anyOf: [{type: array, items: {type: string}}, {type: integer}]\n",
            "unevaluatedItems: false",
        ),
    ] {
        let text = schema(&format!("{before}      {keyword}\n"))
            .replace("openapi: 3.0.3", "openapi: 3.1.1");
        let start = text.find(&format!("      {keyword}")).expect("it is there");
        let line = text[..start].matches('\n').count() + 1;
        let found = problems(&text);
        let [problem] = found.as_slice() else {
            panic!("{keyword}: {found:?}");
        };
        assert!(
            problem.starts_with(&format!("unsupported-schema {line}:")),
            "{problem}"
        );
        assert!(problem.contains("write"), "{problem}");
    }
}

#[test]
fn one_of_enum_or_const_that_contradicts_another_keyword_is_rejected() {
    for (yaml, expected) in [
        (
            "      type: [string, integer]\n      oneOf: [{minLength: 3}, {minimum: 10}]\n",
            "unsupported-schema 26:13 `type`",
        ),
        (
            "      enum: [a, b]\n      const: c\n",
            "meaningless-keyword 26:13 `enum`",
        ),
        (
            "      type: string\n      enum: [a, b]\n      const: c\n",
            "unsupported-all-of",
        ),
    ] {
        let text = schema(yaml).replace("openapi: 3.0.3", "openapi: 3.1.1");
        assert_rejected(&[(text, expected)]);
    }
}

#[test]
fn an_integer_range_that_contains_no_allowed_multiple_is_rejected() {
    assert_rejected(&[(
        schema("      type: integer\n      minimum: 1\n      maximum: 4\n      multipleOf: 5\n"),
        "empty-range … no multiple of 5 is between 1 and 4",
    )]);
}

#[test]
fn defaults_that_their_schemas_do_not_allow_are_rejected() {
    let property = |yaml: &str| {
        schema(&format!(
            "      type: object\n      properties:\n        a:\n{yaml}"
        ))
    };
    assert_rejected(&[
        (
            property("          type: integer\n          default: 1.5\n"),
            "invalid-default 30:20 this default is not valid for its own schema: expected an integer",
        ),
        (
            property("          type: integer\n          format: int8\n          default: 200\n"),
            "invalid-default 31:20 the default `200` is not a value of an integer (i8) … write a value that the schema allows",
        ),
        (
            property("          type: integer\n          maximum: 5\n          default: 6\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          enum: [a]\n          default: b\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          default: null\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          pattern: ^a$\n          default: b\n"),
            "invalid-default",
        ),
        (
            property("          type: object\n          default: {a: 1}\n"),
            "invalid-default … this default is not an object that",
        ),
        (
            property(
                "          type: array\n          minItems: 1\n          items: {type: string}\n          default: []\n",
            ),
            "invalid-default",
        ),
    ]);
}

#[test]
fn a_default_may_be_any_text_of_its_format() {
    let moment = "      type: object\n      properties:\n        a:\n          type: string\n          \
        format: date-time\n          default: '2026-11-20T00:00:00.5+05:30'\n";
    assert_eq!(problems(&schema(moment)), Vec::<String>::new());
}

#[test]
fn parts_of_all_of_that_contradict_each_other_are_rejected() {
    let parts = |yaml: &str| {
        schema(&format!(
            "      allOf:\n        - $ref: '#/components/schemas/Other'\n{yaml}"
        ))
    };
    assert_rejected(&[
        (
            parts("        - type: string\n"),
            "unsupported-all-of … `allOf` can only combine objects",
        ),
        (
            parts(
                "        - type: object\n          properties:\n            a:\n              type: integer\n",
            ),
            "all-of-conflict 31:15 two parts of `allOf` define `a` differently",
        ),
        (
            parts(
                "        - type: object\n          additionalProperties: false\n          properties:\n            b:\n              type: integer\n",
            ),
            "unsupported-all-of … also applies to the properties of the other parts",
        ),
    ]);
}

#[test]
fn schemas_that_are_nested_too_deeply_are_rejected_and_recursive_schemas_are_supported() {
    let deep = format!(
        "      type: array\n      items: {}{{}}{}\n",
        "{type: array, items: ".repeat(70),
        "}".repeat(70)
    );
    assert_rejected(&[(schema(&deep), "too-deep … give the inner parts names")]);
    let through = "      type: object
      properties:
        broader:
          type: array
          items:
            allOf:
              - type: object
                properties: {id: {type: string}}
              - $ref: '#/components/schemas/Thing'
";
    assert_eq!(problems(&schema(through)), Vec::<String>::new());
}

#[test]
fn schemas_of_other_teams_are_supported() {
    for yaml in [
        // Keywords without an effect, and keywords that imply the type.
        "      type: integer\n      readOnly: true\n",
        "      minimum: 1\n",
        "      properties:\n        a: {}\n",
        "      type: string\n      minimum: 1\n",
        "      type: integer\n      pattern: a\n",
        "      type: integer\n      exclusiveMinimum: true\n",
        "      type: object\n      format: int32\n",
        "      type: array\n      items:\n        type: string\n        default: a\n",
        "      allOf:\n        - properties: {a: {type: string}}\n        - properties: {b: {type: string}}\n",
        // Required members that are not described.
        "      type: object\n      properties:\n        a:\n          type: string\n      required: [b]\n",
        "      allOf:\n        - $ref: '#/components/schemas/Other'\n        - type: object\n          required: [c]\n",
        // Values.
        "      type: string\n      enum: [null]\n",
        "      type: string\n      nullable: true\n      enum: [null]\n",
        "      type: boolean\n      enum: [true, false]\n",
        "      enum: [a, 1]\n",
        "      type: string\n      format: uuid\n      minLength: 36\n      pattern: '^[0-9a-f-]*$'\n",
        "      type: object\n      properties:\n        a: {not: {}}\n",
        "      type: array\n      items: {not: {}}\n",
        "      type: object\n      additionalProperties: {not: {}}\n",
        "      oneOf:\n        - not: {}\n        - type: string\n",
        // Alternatives and `allOf`.
        "      type: object\n      properties:\n        a: {type: string}\n        b: {type: string}\n      anyOf:\n        - required: [a]\n        - required: [b]\n",
        "      allOf:\n        - oneOf:\n            - {type: object, required: [b], properties: {b: {type: string}}}\n            - {type: object, required: [c], properties: {c: {type: string}}}\n        - $ref: '#/components/schemas/Other'\n",
        "      type: object\n      required: [kind]\n      properties: {kind: {type: string}}\n      discriminator: {propertyName: kind}\n      oneOf:\n        - $ref: '#/components/schemas/Other'\n",
        "      discriminator: {propertyName: a}\n      oneOf:\n        - type: object\n          properties: {a: {type: string}}\n",
        "      type: object\n      discriminator: {propertyName: a}\n      properties: {a: {type: string}}\n",
        "      allOf:\n        - type: string\n          maxLength: 5\n        - type: string\n          minLength: 2\n          maxLength: 9\n",
        "      allOf:\n        - $ref: '#/components/schemas/Other'\n        - type: object\n          properties:\n            a: {type: string, enum: [b]}\n",
    ] {
        assert_eq!(problems(&schema(yaml)), Vec::<String>::new(), "{yaml}");
    }
}

#[test]
fn a_reference_to_a_part_of_a_schema_is_supported() {
    let inner = "      type: object
      properties:
        first: {$ref: '#/components/schemas/Other/properties/a'}
        list: {type: array, items: {type: object, properties: {b: {type: integer}}}}
        second: {$ref: '#/components/schemas/Thing/properties/list/items'}
";
    assert_eq!(problems(&schema(inner)), Vec::<String>::new());
}
