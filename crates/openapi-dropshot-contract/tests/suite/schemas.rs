//! Tests the rules about one schema: bounds, enums, patterns, required names.

use crate::support::{assert_clean, assert_fault, assert_warning, with_schemas};

fn schema(members: &str) -> String {
    with_schemas(&format!("    A: {{{members}}}\n"))
}

#[test]
fn bounds_that_no_value_can_meet_are_reported() {
    for (members, message) in [
        (
            "type: integer, minimum: «5, maximum: 4",
            "no number is valid for both `minimum` 5 and `maximum` 4",
        ),
        (
            "type: number, minimum: «5, maximum: 5, exclusiveMaximum: true",
            "no number is valid",
        ),
        (
            "type: string, minLength: «3, maxLength: 2",
            "`minLength` 3 is greater than `maxLength` 2",
        ),
        (
            "type: array, items: {}, minItems: «3, maxItems: 2",
            "`minItems` 3 is greater",
        ),
        (
            "type: object, minProperties: «3, maxProperties: 2",
            "`minProperties` 3 is greater",
        ),
    ] {
        assert_fault(
            &schema(members),
            "crossed-bounds",
            message,
            "swap or correct",
        );
    }
    assert_clean(&schema("type: integer, minimum: 5, maximum: 5"));
}

#[test]
fn repeated_enum_values_are_reported() {
    assert_warning(
        &schema("enum: [a, b, «a]"),
        "duplicate-enum-value",
        "`enum` lists `\"a\"` twice",
        "remove",
    );
    assert_clean(&schema("enum: ['1', 1]"));
}

#[test]
fn an_array_without_items_is_reported() {
    assert_fault(
        &schema("type: «array"),
        "missing-items",
        "an array without `items`",
        "`items: {}`",
    );
}

#[test]
fn an_array_of_openapi_3_1_with_prefix_items_but_without_items_is_accepted() {
    let newer = |text: String| text.replace("openapi: 3.0.3", "openapi: 3.1.0");
    assert_clean(&newer(schema("type: array, prefixItems: [{type: string}]")));
    assert_clean(&newer(schema("type: array")));
}

#[test]
fn patterns_are_regular_expressions_of_ecma_262() {
    assert_fault(
        &schema("type: string, pattern: «'(a'"),
        "pattern",
        "not a regular expression",
        "ECMA-262",
    );
    assert_clean(&schema("type: string, pattern: '^(?=a)[\\w-]+\\.\\/$'"));
}

#[test]
fn keywords_without_effect_get_a_warning() {
    assert_warning(
        &schema("type: integer, minLength: «1"),
        "idle-keyword",
        "`minLength` has no effect on a schema of type `integer`",
        "correct the type",
    );
    for (keyword, value) in [
        ("additionalProperties", "false"),
        ("uniqueItems", "true"),
        ("required", "[a]"),
    ] {
        assert_warning(
            &schema(&format!("type: string, {keyword}: «{value}")),
            "idle-keyword",
            &format!("`{keyword}` has no effect on a schema of type `string`"),
            "correct the type",
        );
    }
    assert_warning(
        &schema("type: string, properties: {a: «{}}"),
        "idle-keyword",
        "`properties` such as `a`",
        "type: object",
    );
}

#[test]
fn a_schema_that_is_read_only_and_write_only_is_reported() {
    assert_fault(
        &schema("type: object, properties: {a: «{readOnly: true, writeOnly: true}}"),
        "read-write-only",
        "nobody could send it",
        "keep one",
    );
}

#[test]
fn required_names_without_a_property_are_reported() {
    let text =
        schema("type: object, required: [nmae«], properties: {name: {}}").replace("nmae«", "«nmae");
    assert_warning(
        &text,
        "unknown-required",
        "`nmae` is required but is not a property",
        "did you mean `name`?",
    );
    assert_clean(&with_schemas(
        "    Base: {type: object, properties: {name: {}}}
    A: {allOf: [{$ref: '#/components/schemas/Base'}, {required: [name]}]}
    B: {required: [name], allOf: [{oneOf: [{$ref: '#/components/schemas/Base'}]}]}
    Mixin: {type: object, required: [anything]}
",
    ));
    assert_fault(
        &schema("type: object, required: [a, «a], properties: {a: {}}"),
        "duplicate-required",
        "`a` is listed twice",
        "remove",
    );
}

#[test]
fn discriminators_without_property_or_schema_are_reported() {
    let text = with_schemas(
        "    Cat: {type: object, required: [kind], properties: {kind: {type: string}}}
    Book: {oneOf: [{$ref: '#/components/schemas/Cat'}], discriminator: {propertyName: kind, mapping: {c: «'#/components/schemas/Cta'}}}
",
    );
    assert_fault(
        &text,
        "discriminator-mapping",
        "`#/components/schemas/Cta` is not a schema",
        "schemas/Cat`?",
    );
    let text = schema("type: object, discriminator: «{propertyName: kind}");
    assert_warning(
        &text,
        "discriminator-property",
        "`kind` is not a property",
        "oneOf",
    );
}

#[test]
fn a_missing_type_that_another_part_of_all_of_provides_gets_no_warning() {
    assert_clean(&with_schemas(
        "    Base: {type: object, properties: {name: {}}}
    Part: {allOf: [{$ref: '#/components/schemas/Base'}, {allOf: [{required: [name]}]}]}
    Case: {type: object, properties: {a: {}, b: {}}, oneOf: [{required: [a]}, {required: [b]}]}
",
    ));
    assert_warning(
        &with_schemas("    A: {allOf: [«{required: [a], properties: {a: {}}}]}\n"),
        "assumed-type",
        "keywords of type `object`",
        "type: object",
    );
    // The values of the property have their own type.
    assert_warning(
        &schema("type: object, properties: {a: «{minLength: 1}}"),
        "assumed-type",
        "keywords of type `string`",
        "type: string",
    );
}

#[test]
fn a_discriminator_without_alternatives_gets_one_warning() {
    assert_warning(
        &schema(
            "type: object, properties: {kind: {type: string}}, discriminator: «{propertyName: kind}",
        ),
        "idle-keyword",
        "`discriminator` has no effect without `oneOf` or `anyOf`",
        "remove it",
    );
}
