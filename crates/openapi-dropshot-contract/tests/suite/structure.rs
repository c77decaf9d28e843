//! Tests members of objects: unknown, missing, of the wrong type, mutually
//! exclusive.

use crate::support::{
    assert_clean, assert_fault, assert_warning, problems, readable, with_operation, with_paths,
    with_schemas,
};
use openapi_dropshot_contract::Profile;

#[test]
fn other_openapi_versions_are_rejected_with_a_remedy() {
    let document = |version: &str| format!("openapi: «{version}\ninfo: {{}}\npaths: {{}}\n");
    assert_fault(
        &document("3.3.0"),
        "openapi-version",
        "`\"3.3.0\"` is not supported",
        "write `openapi: 3.0.3`",
    );
    assert_fault(
        &document("2.0"),
        "openapi-version",
        "is not supported",
        "as a string of three numbers",
    );
    assert_fault(
        &document("'3.0'"),
        "openapi-version",
        "is not supported",
        "write `openapi: 3.0.3`",
    );
    assert_fault(
        "swagger: «'2.0'\n",
        "openapi-version",
        "a Swagger `\"2.0\"` document",
        "convert",
    );
    assert_fault(
        "«info: {}\n",
        "openapi-version",
        "lacks `openapi`",
        "openapi: 3.0.3",
    );
    assert_fault(
        "«hello\n",
        "openapi-version",
        "expected an OpenAPI document, found a string",
        "openapi: 3.0.3",
    );
}

#[test]
fn an_unknown_member_is_rejected_if_a_known_name_is_similar_and_else_gets_a_warning() {
    let text = with_operation("      «sumary: List\n");
    assert_fault(
        &text,
        "unknown-member",
        "an operation has no member `sumary`",
        "did you mean `summary`?",
    );
    let text = with_operation("      «colour: red\n");
    assert_warning(
        &text,
        "unknown-member",
        "no member `colour`: it is ignored",
        "begin its name with `x-`",
    );
    assert_clean(&with_operation("      x-colour: red\n"));
}

#[test]
fn keywords_of_other_versions_are_rejected_with_the_equivalent_in_openapi_3_0() {
    for (keyword, help) in [
        ("«const: a", "an `enum` of one value"),
        ("«patternProperties: {}", "`additionalProperties`"),
        ("«if: {}", "`oneOf`"),
        ("«prefixItems: []", "`items`"),
        ("«$defs: {}", "`components.schemas`"),
    ] {
        assert_fault(
            &with_schemas(&format!("    A: {{{keyword}}}\n")),
            "unknown-member",
            "a schema has no member",
            help,
        );
    }
}

#[test]
fn members_without_a_meaning_are_ignored_with_a_warning() {
    for schema in [
        "{type: string, «examples: [a]}",
        "{type: string, «$comment: a}",
        "{type: object, «display_order: {type: integer}}",
        "{type: object, properties: {a: {type: boolean, required: «true}}}",
    ] {
        let text = with_schemas(&format!("    A: {schema}\n"));
        let rule = match schema.contains("required") {
            true => "wrong-type",
            false => "unknown-member",
        };
        assert_warning(&text, rule, "it is ignored", "");
        let document = readable(&text.replace('«', ""));
        let schema = document.root.pointer("/components/schemas/A");
        let schema = schema.expect("it is there").to_json().to_string();
        for name in ["examples", "$comment", "display_order", "required"] {
            assert!(!schema.contains(name), "{schema}");
        }
        assert_ne!(document.as_written(), &document.root);
    }
    // In 3.1 these are only annotations, although earlier drafts gave them a meaning.
    let text = with_schemas("    A: {type: array, items: {}, «additionalItems: false}\n");
    assert_warning(&text.replace("3.0.3", "3.1.0"), "unknown-member", "", "");
}

#[test]
fn a_missing_member_is_reported_at_the_object_that_lacks_the_member() {
    let text = "openapi: 3.0.3\ninfo: «{title: T}\npaths: {}\n";
    // Without the version, the document still has the same meaning.
    assert_warning(
        text,
        "missing-member",
        "`info` lacks `version`",
        "add `version`",
    );
    assert_fault(
        "«openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\n",
        "missing-member",
        "lacks `paths`",
        "add `paths`",
    );
    let text =
        with_paths("  /a:\n    get:\n      responses:\n        '200':\n          «content: {}\n");
    // Without the text, the document still has the same meaning.
    assert_warning(
        &text,
        "missing-member",
        "a response lacks `description`",
        "add `description`",
    );
}

#[test]
fn a_member_of_the_wrong_type_is_reported_with_the_required_type() {
    for (schema, message, help) in [
        (
            "type: «[string, 'null']",
            "`type` must be a string, found an array",
            "nullable: true",
        ),
        (
            "minLength: «'1'",
            "`minLength` must be an integer from 0, found `\"1\"`",
            "without quotes",
        ),
        ("minLength: «-1", "an integer from 0, found `-1`", "sign"),
        (
            "maximum: «many",
            "`maximum` must be a number",
            "without quotes",
        ),
        (
            "minimum: 0, exclusiveMinimum: «5",
            "`true` or `false` in OpenAPI 3.0",
            "`minimum: 5` and `exclusiveMinimum: true`",
        ),
        (
            "nullable: «'yes'",
            "`nullable` must be `true` or `false`",
            "without quotes",
        ),
        (
            "required: «5",
            "`required` must be an array, found `5`",
            "write it as a list",
        ),
        (
            "properties: «[a]",
            "`properties` must be an object, found an array",
            "below it",
        ),
        (
            "description: «[a]",
            "`description` must be a string, found an array",
            "write a text",
        ),
        (
            "format: «5",
            "`format` must be a string, found `5`",
            "put it in quotes",
        ),
        (
            "items: «[{}]",
            "a schema must be an object, found an array",
            "below it",
        ),
        ("multipleOf: «0", "greater than 0", "positive"),
    ] {
        assert_fault(
            &with_schemas(&format!("    A: {{{schema}}}\n")),
            "wrong-type",
            message,
            help,
        );
    }
    let text = "openapi: 3.0.3\ninfo: {title: T, version: «1.0}\npaths: {}\n";
    assert_warning(
        text,
        "wrong-type",
        "`version` must be a string, found `1.0`",
        "put it in quotes",
    );
    let text = with_schemas("    A: {type: string, description: «null}\n");
    let message = "`description` must be a string, found `null`";
    assert_warning(&text, "wrong-type", message, "write a text");
}

#[test]
fn an_unknown_type_is_rejected_with_a_suggestion() {
    for (word, help) in [
        ("'null'", "nullable: true"),
        ("file", "format: binary"),
        ("int", "format: int32"),
        ("date", "this word as `format`"),
        ("text", "write `string`"),
    ] {
        assert_fault(
            &with_schemas(&format!("    A: {{type: «{word}}}\n")),
            "schema-type",
            "is not a type",
            help,
        );
    }
}

#[test]
fn empty_enums_and_compositions_are_rejected() {
    assert_fault(
        &with_schemas("    A: {enum: «[]}\n"),
        "empty-enum",
        "no value would be valid",
        "list the values",
    );
    assert_fault(
        &with_schemas("    A: {oneOf: «[]}\n"),
        "empty-composition",
        "`oneOf` is empty",
        "at least one",
    );
}

#[test]
fn all_problems_are_reported_in_one_run() {
    let text = "openapi: 3.0.3\ninfo: {titel: T}\npaths:\n  a:\n    get: {responses: {abc: {}}}\n";
    let rules: Vec<_> = problems(text, Profile::General)
        .iter()
        .map(|problem| problem.rule)
        .collect();
    assert_eq!(
        rules,
        [
            "missing-member",
            "missing-member",
            "unknown-member",
            "path-form",
            "status-code",
            "missing-member"
        ],
    );
}
