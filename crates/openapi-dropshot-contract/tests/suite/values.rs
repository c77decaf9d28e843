//! Tests defaults, enum values and examples against their schemas.

use crate::support::{
    assert_clean, assert_fault, assert_strict_fault, assert_warning, with_operation, with_schemas,
};

fn schema(members: &str) -> String {
    with_schemas(&format!("    A: {{{members}}}\n"))
}

#[test]
fn a_default_that_the_schema_does_not_allow_is_reported() {
    for (members, message) in [
        (
            "type: integer, minimum: 1, maximum: 100, default: «0",
            "0 is less than the minimum 1",
        ),
        (
            "type: integer, minimum: 1, maximum: 100, default: «101",
            "101 is greater than the maximum 100",
        ),
        (
            "type: number, minimum: 0, exclusiveMinimum: true, default: «0",
            "not greater than the exclusive minimum 0",
        ),
        (
            "type: number, maximum: 1, exclusiveMaximum: true, default: «1.0",
            "not less than the exclusive maximum 1",
        ),
        (
            "type: integer, multipleOf: 5, default: «7",
            "7 is not a multiple of 5",
        ),
        (
            "type: integer, default: «'20'",
            "expected an integer, found `\"20\"`",
        ),
        (
            "type: integer, default: «1.5",
            "expected an integer, found `1.5`",
        ),
        (
            "type: integer, format: int32, default: «2147483648",
            "does not fit `int32`",
        ),
        (
            "type: integer, format: int64, default: «9223372036854775808",
            "does not fit `int64`",
        ),
        ("type: boolean, default: «'true'", "expected a boolean"),
        ("type: string, default: «5", "expected a string, found `5`"),
        (
            "type: string, default: «null",
            "expected a string, found `null`",
        ),
        (
            "type: string, enum: [a, b], default: «c",
            "`\"c\"` is not in `enum`",
        ),
        (
            "type: string, minLength: 2, default: «é",
            "it has 1 characters, fewer than 2",
        ),
        (
            "type: string, maxLength: 1, default: «ab",
            "it has 2 characters, more than 1",
        ),
        (
            "type: string, pattern: '^[a-z]+$', default: «A1",
            "does not match the pattern",
        ),
        (
            "type: string, format: date, default: «2026-02-30",
            "is not a valid `date`",
        ),
        (
            "type: string, format: date-time, default: «'2026-02-03'",
            "is not a valid `date-time`",
        ),
        (
            "type: string, format: uuid, default: «abc",
            "is not a valid `uuid`",
        ),
        (
            "type: string, format: ipv4, default: «1.2.3",
            "is not a valid `ipv4`",
        ),
        (
            "type: array, items: {type: integer}, default: [1, «a]",
            "expected an integer, found `\"a\"`",
        ),
        (
            "type: array, items: {}, maxItems: 1, default: «[1, 2]",
            "it has 2 elements, more than 1",
        ),
        (
            "type: array, items: {}, uniqueItems: true, default: [1, «1]",
            "is repeated",
        ),
        (
            "type: object, required: [a], properties: {a: {}}, default: «{}",
            "the required property `a` is missing",
        ),
        (
            "type: object, additionalProperties: false, default: {«b: 1}",
            "the property `b` is not allowed",
        ),
        (
            "type: object, additionalProperties: {type: string}, default: {b: «1}",
            "expected a string",
        ),
        (
            "type: object, minProperties: 1, default: «{}",
            "it has 0 properties, fewer than 1",
        ),
        (
            "oneOf: [{type: string}, {type: integer}], default: «true",
            "expected a string",
        ),
        (
            "oneOf: [{type: number}, {type: integer}], default: «1",
            "valid for 2 of the schemas in `oneOf`",
        ),
        (
            "anyOf: [{type: string}, {type: integer}], default: «true",
            "expected a string",
        ),
        ("not: {type: string}, default: «a", "`not` excludes it"),
    ] {
        assert_fault(&schema(members), "invalid-default", message, "");
    }
}

#[test]
fn each_element_of_a_default_is_checked_against_the_schema_in_prefix_items() {
    let newer = |members: &str| schema(members).replace("openapi: 3.0.3", "openapi: 3.1.0");
    let two = "type: array, prefixItems: [{type: string}, {type: integer}]";
    for (members, message) in [
        (
            format!("{two}, default: [a, «b]"),
            "expected an integer, found `\"b\"`",
        ),
        (
            format!("{two}, unevaluatedItems: false, default: [a, 1, «2]"),
            "`unevaluatedItems` allows only the 2 elements that `prefixItems` describes",
        ),
        (
            format!("{two}, items: false, default: [a, 1, «2]"),
            "`items` allows only the 2 elements that `prefixItems` describes",
        ),
        (
            format!("{two}, items: {{type: boolean}}, default: [a, 1, «2]"),
            "expected a boolean, found `2`",
        ),
        (
            "type: array, prefixItems: [{type: integer}, {type: integer}], unevaluatedItems: false, default: «[1, 2, 3]".to_owned(),
            "it has 3 elements, more than 2",
        ),
    ] {
        assert_fault(&newer(&members), "invalid-default", message, "");
    }
    for members in [
        format!("{two}, default: [a, 1, 2]"),
        format!("{two}, unevaluatedItems: false, default: [a]"),
        format!("{two}, items: {{type: boolean}}, default: [a, 1, true]"),
    ] {
        assert_clean(&newer(&members));
    }
}

#[test]
fn a_valid_default_is_accepted() {
    for members in [
        "type: integer, minimum: 1, maximum: 100, default: 20",
        "type: integer, format: int64, default: 9223372036854775807",
        "type: integer, default: 1.0",
        "type: number, multipleOf: 0.1, default: 0.3",
        "type: string, nullable: true, default: null",
        "type: string, nullable: true, enum: [a, null], default: null",
        "type: string, minLength: 1, maxLength: 1, default: 😀",
        "type: string, format: date-time, default: '2026-02-03T04:05:06.7Z'",
        "type: string, format: nobody-knows, default: a",
        "type: string, pattern: '(?=a)a', default: b",
        "nullable: true, allOf: [{type: string}], default: null",
        "anyOf: [{type: number}, {type: integer}], default: 1",
    ] {
        assert_clean(&schema(members));
    }
}

#[test]
fn a_default_is_checked_through_references_and_compositions() {
    let text = with_schemas(
        "    Base: {type: object, required: [name], properties: {name: {$ref: '#/components/schemas/Name'}}}
    Name: {type: string, maxLength: 3}
    A: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {id: {type: integer}}}], default: {name: «Long, id: 1}}
",
    );
    assert_fault(
        &text,
        "invalid-default",
        "it has 4 characters, more than 3",
        "raise the bound",
    );
}

#[test]
fn enum_values_that_the_schema_excludes_are_reported() {
    assert_fault(
        &schema("type: integer, enum: [1, «'2']"),
        "invalid-enum-value",
        "expected an integer",
        "type",
    );
    assert_fault(
        &schema("type: string, maxLength: 2, enum: [ab, «abc]"),
        "invalid-enum-value",
        "more than 2",
        "",
    );
}

#[test]
fn an_invalid_example_is_a_warning_and_under_the_project_rules_an_error() {
    let example = schema("type: integer, example: «ten");
    assert_warning(
        &example,
        "invalid-example",
        "expected an integer, found `\"ten\"`",
        "type of the schema",
    );
    assert_strict_fault(&example, "invalid-example", "expected an integer", "type");
}

#[test]
fn examples_beside_a_schema_are_checked() {
    let text = with_operation(
        "      parameters: [{name: q, in: query, schema: {type: integer, minimum: 1}, example: «0}]\n",
    );
    assert_warning(
        &text,
        "invalid-example",
        "less than the minimum",
        "within the bounds",
    );
    let text = with_operation(
        "      parameters: [{name: q, in: query, schema: {type: integer}, examples: {good: {value: 1}, bad: {value: «a}}}]\n",
    );
    assert_warning(&text, "invalid-example", "expected an integer", "");
}

#[test]
fn read_only_properties_may_be_absent_from_requests() {
    let schema =
        "{type: object, required: [id], properties: {id: {type: integer, readOnly: true}}}";
    assert_clean(&with_schemas(&format!("    A: {schema}\n")).replace(
        "paths: {}",
        &format!("paths:\n  /a:\n    post:\n      requestBody: {{content: {{a/b: {{schema: {schema}, example: {{}}}}}}}}\n      responses: {{'201': {{description: Made.}}}}\n"),
    ));
    assert_warning(
        &crate::support::with_paths(&format!(
            "  /a:\n    get:\n      responses: {{'200': {{description: Fine., content: {{a/b: {{schema: {schema}, example: «{{}}}}}}}}}}\n"
        )),
        "invalid-example",
        "the required property `id` is missing",
        "add it",
    );
}

#[test]
fn the_check_of_a_default_against_too_many_combinations_of_alternatives_stops_quickly() {
    let mut schemas = String::from("    A0: {type: string}\n");
    for level in 1..60 {
        let inner = format!("{{$ref: '#/components/schemas/A{}'}}", level - 1);
        schemas.push_str(&format!(
            "    A{level}: {{anyOf: [{inner}, {inner}], default: 5}}\n"
        ));
    }
    openapi_dropshot_contract::lint(
        &crate::support::readable(&with_schemas(&schemas)),
        openapi_dropshot_contract::Profile::General,
    );
}
