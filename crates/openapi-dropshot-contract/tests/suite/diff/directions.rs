//! Tests small documents: the effect of a change in requests and in responses, in combined schemas
//! and behind references.

use super::{before, changes, found};
use openapi_dropshot_contract::diff::{Level, Policy};

/// A document that uses this schema in a request and in a response, with these other schemas.
fn document(schema: &str, schemas: &str) -> String {
    format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "T", "version": "1.0.0"}}, "paths": {{
  "/in": {{"post": {{"requestBody": {{"content": {{"application/json": {{"schema": {schema}}}}}}},
    "responses": {{"204": {{"description": "Done."}}}}}}}},
  "/out": {{"get": {{"responses": {{"200": {{"description": "Here.",
    "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}
}}, "components": {{"schemas": {{{schemas}}}}}}}"#
    )
}

/// Returns the ids of the breaking changes, sorted, except changes of the version.
fn breaks(base: &str, revision: &str) -> Vec<String> {
    let changes = changes(base, revision, &Policy::on(before()));
    let mut ids: Vec<String> = (changes.into_iter())
        .filter(|change| change.level == Level::Err)
        .map(|change| change.id.to_owned())
        .collect();
    ids.sort();
    ids
}

fn breaks_of(base: &str, revision: &str) -> Vec<String> {
    breaks(&document(base, ""), &document(revision, ""))
}

#[test]
fn narrowing_a_schema_breaks_requests_and_widening_a_schema_breaks_responses() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            r#"{"type": "string"}"#,
            "{}",
            &["response-body-type-changed"],
        ),
        (
            "{}",
            r#"{"type": "string"}"#,
            &["request-body-type-changed"],
        ),
        (
            r#"{"type": "integer"}"#,
            r#"{"type": "number"}"#,
            &["response-body-type-generalized"],
        ),
        (
            r#"{"type": "number"}"#,
            r#"{"type": "integer"}"#,
            &["request-body-type-changed"],
        ),
        (
            r#"{"type": "integer", "format": "int32"}"#,
            r#"{"type": "integer", "format": "int64"}"#,
            &["response-body-type-changed"],
        ),
        (
            r#"{"type": "string", "format": "date"}"#,
            r#"{"type": "string", "format": "date-time"}"#,
            &["request-body-type-changed", "response-body-type-changed"],
        ),
        (
            r#"{"type": "string", "nullable": true}"#,
            r#"{"type": "string"}"#,
            &["request-body-became-not-nullable"],
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string", "readOnly": true}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer", "readOnly": true}}}"#,
            &["response-property-type-changed"],
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string", "writeOnly": true}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "integer", "writeOnly": true}}}"#,
            &["request-property-type-changed"],
        ),
        (
            r#"{"type": "object", "properties": {}}"#,
            r#"{"type": "object", "required": ["a"], "properties": {"a": {"readOnly": true}}}"#,
            &[],
        ),
        (
            r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}"#,
            r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "writeOnly": true}}}"#,
            &["response-required-property-removed"],
        ),
        (
            r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": true}"#,
            r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": false}"#,
            &["request-body-additional-properties-closed"],
        ),
        (
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            r#"{"type": "object", "additionalProperties": true}"#,
            &["response-body-additional-properties-unrestricted"],
        ),
        (
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            r#"{"type": "object"}"#,
            &["response-body-additional-properties-unrestricted"],
        ),
        (
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            r#"{"type": "object", "additionalProperties": {}}"#,
            &["response-property-type-changed"],
        ),
        (
            r#"{"type": "object", "additionalProperties": true}"#,
            r#"{"type": "object", "additionalProperties": true, "allOf": [{"additionalProperties": false}]}"#,
            &["request-body-additional-properties-closed"],
        ),
        (
            r#"{"type": "number", "maximum": 5}"#,
            r#"{"type": "number", "maximum": 5, "exclusiveMaximum": true}"#,
            &["request-body-exclusive-max-set"],
        ),
        (
            r#"{"type": "string", "enum": ["a"]}"#,
            r#"{"type": "string"}"#,
            &[],
        ),
    ];
    for (base, revision, expected) in table {
        assert_eq!(breaks_of(base, revision), *expected, "{base} to {revision}");
    }
}

#[test]
fn equivalent_schemas_in_another_notation_are_not_breaking_changes() {
    let named = r#""A": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 5}}}"#;
    let inline = r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 5}}}"#;
    let base = document(inline, "");
    let ways = [
        r##"{"$ref": "#/components/schemas/A"}"##,
        r##"{"allOf": [{"$ref": "#/components/schemas/A"}]}"##,
        r##"{"oneOf": [{"$ref": "#/components/schemas/A"}]}"##,
        r#"{"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"maxLength": 5}}}]}"#,
        r##"{"description": "said again", "anyOf": [{"$ref": "#/components/schemas/A"}]}"##,
    ];
    for way in ways {
        let revision = document(way, named);
        assert_eq!(breaks(&base, &revision), Vec::<String>::new(), "to {way}");
        assert_eq!(breaks(&revision, &base), Vec::<String>::new(), "from {way}");
    }
    let list = format!(r#"{{"oneOf": [{inline}, {{"type": "string"}}]}}"#);
    let reference = r##"{"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/A"}]}"##;
    let (list, reference) = (document(&list, ""), document(reference, named));
    assert_eq!(breaks(&list, &reference), Vec::<String>::new());
}

#[test]
fn breaking_changes_of_merged_schemas_are_reported() {
    let base = r#"{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}"#;
    let revision =
        r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}"#;
    assert_eq!(
        breaks_of(base, revision),
        ["request-property-became-required"]
    );
    assert_eq!(
        breaks_of(revision, base),
        ["response-property-became-optional"]
    );
}

#[test]
fn values_must_satisfy_every_occurrence_of_a_keyword_in_the_parts_of_all_of() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            r#"{"type": "string", "enum": ["a", "b"]}"#,
            r#"{"type": "string", "enum": ["a", "b"], "allOf": [{"enum": ["a"]}]}"#,
            &["request-body-enum-value-removed"],
        ),
        (
            r#"{"type": "string", "enum": ["a", "b"], "allOf": [{"enum": ["a"]}]}"#,
            r#"{"type": "string", "enum": ["a"], "allOf": [{"enum": ["a", "b"]}]}"#,
            &[],
        ),
        (
            r#"{"type": "string", "enum": ["a", "b"], "allOf": [{"enum": ["a"]}]}"#,
            r#"{"type": "string", "enum": ["a", "b"]}"#,
            &["response-body-enum-value-added"],
        ),
        (
            r#"{"type": "integer", "multipleOf": 2}"#,
            r#"{"type": "integer", "multipleOf": 2, "allOf": [{"multipleOf": 3}]}"#,
            &["request-body-multiple-of-changed"],
        ),
        (
            r#"{"type": "integer", "multipleOf": 2, "allOf": [{"multipleOf": 3}]}"#,
            r#"{"type": "integer", "multipleOf": 6}"#,
            &[],
        ),
        (
            r#"{"type": "number", "multipleOf": 0.5}"#,
            r#"{"type": "number", "multipleOf": 0.5, "allOf": [{"multipleOf": 0.3}]}"#,
            &[
                "request-body-multiple-of-changed",
                "response-body-multiple-of-changed",
            ],
        ),
        (
            r#"{"type": "string", "pattern": "^a"}"#,
            r#"{"type": "string", "pattern": "^a", "allOf": [{"pattern": "b$"}]}"#,
            &["request-body-pattern-added"],
        ),
        (
            r#"{"type": "string", "pattern": "^a", "allOf": [{"pattern": "b$"}]}"#,
            r#"{"type": "string", "pattern": "b$", "allOf": [{"pattern": "^a"}]}"#,
            &[],
        ),
    ];
    for (base, revision, expected) in table {
        assert_eq!(breaks_of(base, revision), *expected, "{base} to {revision}");
    }
}

#[test]
fn recursive_schemas_are_compared_completely() {
    let tree = |leaf: &str| {
        format!(
            r##""Tree": {{"type": "object", "properties": {{"leaf": {leaf},
               "left": {{"$ref": "#/components/schemas/Tree"}},
               "others": {{"type": "array", "items": {{"$ref": "#/components/schemas/Tree"}}}},
               "either": {{"oneOf": [{{"type": "string"}}, {{"$ref": "#/components/schemas/Tree"}}]}}}}}}"##
        )
    };
    let reference = r##"{"$ref": "#/components/schemas/Tree"}"##;
    let text = document(reference, &tree(r#"{"type": "string"}"#));
    let number = document(reference, &tree(r#"{"type": "number"}"#));
    assert_eq!(breaks(&text, &text), Vec::<String>::new());
    assert_eq!(
        breaks(&text, &number),
        [
            "request-property-type-changed",
            "response-property-type-changed"
        ]
    );
}

#[test]
fn adding_alternatives_that_restrict_values_breaks_requests() {
    let base = r#"{"type": "object", "properties": {"a": {}, "b": {}}}"#;
    let revision = r#"{"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#;
    assert_eq!(
        breaks_of(base, revision),
        ["request-body-any-of-restricted"]
    );
    assert_eq!(breaks_of(revision, base), Vec::<String>::new());
}

#[test]
fn a_change_has_the_place_in_the_base_and_the_place_in_the_revision() {
    let base = document(r#"{"type": "string", "maxLength": 9}"#, "");
    let revision = document(r#"{"type": "string", "maxLength": 5}"#, "");
    let changes = changes(&base, &revision, &Policy::on(before()));
    let first = changes.first().expect("a change");
    assert_eq!(first.id, "request-body-max-length-decreased");
    assert_eq!(first.operation.as_deref(), Some("POST /in"));
    let base = first.at.base.as_ref().expect("a place in the base");
    assert_eq!(
        (base.file.as_ref(), base.line, base.pointer.as_str()),
        (
            "base.yaml",
            2,
            "/paths/~1in/post/requestBody/content/application~1json/schema/maxLength"
        )
    );
    assert!(first.at.revision.is_some());
    assert_eq!(
        first.text,
        "the request body (`application/json`): `maxLength` changed from `9` to `5`"
    );
}

#[test]
fn a_beta_or_experimental_operation_may_change_with_a_warning() {
    let with = |level: &str, kind: &str| {
        format!(
            r#"{{"openapi": "3.0.3", "info": {{"title": "T", "version": "1.0.0"}}, "paths": {{"/out": {{"get": {{
    {level} "responses": {{"200": {{"description": "Here.",
    "content": {{"application/json": {{"schema": {{"type": "{kind}"}}}}}}}}}}}}}}}}}}"#
        )
    };
    for (level, expected) in [
        ("", Level::Err),
        (r#""x-stability-level": "stable","#, Level::Err),
        (r#""x-stability-level": "beta","#, Level::Warn),
        (r#""x-stability-level": "experimental","#, Level::Warn),
    ] {
        let (base, revision) = (with(level, "string"), with(level, "object"));
        let changes = changes(&base, &revision, &Policy::on(before()));
        assert!(
            found(&changes).contains(&(expected, "response-body-type-changed")),
            "{level}: {changes:?}"
        );
    }
}

#[test]
fn a_property_of_a_header_that_became_an_enum_is_reported_by_the_rule_for_headers() {
    let with = |member: &str| {
        format!(
            r#"{{"openapi": "3.0.3", "info": {{"title": "T", "version": "1.0.0"}}, "paths": {{"/out": {{"get": {{
    "parameters": [{{"name": "X-A", "in": "header", "schema": {{"type": "object",
      "properties": {{"a": {member}}}}}}}],
    "responses": {{"204": {{"description": "Done."}}}}}}}}}}}}"#
        )
    };
    let base = with(r#"{"type": "string"}"#);
    let revision = with(r#"{"type": "string", "enum": ["b"]}"#);
    let changes = changes(&base, &revision, &Policy::on(before()));
    let id = (Level::Err, "request-header-property-became-enum");
    assert!(found(&changes).contains(&id), "{changes:?}");
}
