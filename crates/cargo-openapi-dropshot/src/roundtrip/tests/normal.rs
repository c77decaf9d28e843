//! Tests that the normal form, from which code is generated, has the same meaning as the document:
//! `jsonschema` accepts a value for both or for neither.

use super::{DOCUMENTS, OTHERS, SHELF, WORKSHOP, path};
use crate::roundtrip::{schemas::Schemas, written::Written};
use openapi_dropshot_contract::{normalized, read};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// Components whose meaning JSON Schema does not define: members of one direction, and values of a
/// `discriminator`.
const OTHER_MEANING: [&str; 2] = ["Stock", "Event"];

/// Components whose type is assumed.
const ASSUMED: [&str; 1] = ["Either"];

#[test]
fn the_normal_form_of_a_schema_accepts_the_same_values_as_the_schema() {
    let mut compared = 0;
    for name in [OTHERS, SHELF, WORKSHOP] {
        let text = fs::read_to_string(path(name)).expect("a document of the tests");
        let document = read(name, &text).unwrap_or_else(|problems| panic!("{problems}"));
        let Some(normal) = normalized(&document) else {
            continue;
        };
        assert!(normalized(&normal).is_none(), "{name} changes again");
        assert_eq!(normal.as_written(), document.as_written(), "{name}");
        let [before, after] = [&document, &normal].map(|own| Schemas::new(own.root.to_json()));
        for (component, schema) in &document.schemas {
            let pointer = &schema.at.pointer;
            let [a, b] = [&before, &after].map(|schemas| schemas.at(pointer).expect(pointer));
            for value in a.instances().into_iter().chain(b.instances()) {
                let is_assumed = ASSUMED.contains(&component.as_str()) && !value.is_object();
                if OTHER_MEANING.contains(&component.as_str()) || is_assumed {
                    continue;
                }
                compared += 1;
                let [a, b] = [&a, &b].map(|schema| schema.is_valid(&value));
                assert_eq!(a, b, "{name}: {component}: {value}");
            }
        }
    }
    assert!(compared > 100, "only {compared} values were compared");
    let stock = fs::read_to_string(path(OTHERS)).expect("a document of the tests");
    let document = read(OTHERS, &stock).unwrap_or_else(|problems| panic!("{problems}"));
    let normal = normalized(&document)
        .expect("it has another form")
        .root
        .to_json();
    let required = |name: &str| normal["components"]["schemas"][name]["required"].clone();
    assert_eq!(
        required("Stock"),
        serde_json::json!(["id", "count", "note"])
    );
    assert_eq!(
        required("StockInput"),
        serde_json::json!(["secret", "count", "note"])
    );
    let event: &Value = &normal["components"]["schemas"]["Event"]["oneOf"];
    assert_eq!(event.as_array().map(Vec::len), Some(2), "{event}");
}

/// The documents of the tests, and those of the corpus if it is beside the repository.
fn documents() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = DOCUMENTS.iter().map(|document| path(document)).collect();
    for folder in ["accept", "v30-others", "v31"] {
        let entries = fs::read_dir(path("../../../shared/corpus").join(folder));
        let entries = entries.into_iter().flatten().filter_map(Result::ok);
        files.extend(entries.map(|entry| entry.path()));
    }
    files
}

#[test]
fn the_normal_form_accepts_the_same_values_as_the_text_of_the_document() {
    let (mut compared, mut skipped, mut wrong) = (0, 0, Vec::new());
    for file in documents() {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let name = file.display().to_string();
        let Ok(document) = read(&name, &text) else {
            continue;
        };
        let normal = normalized(&document).unwrap_or(document);
        let Some(written) = Written::of(&normal) else {
            continue;
        };
        let schemas = Schemas::new(normal.root.to_json());
        for schema in normal.schemas.values() {
            let pointer = &schema.at.pointer;
            let Some(before) = written.at(pointer) else {
                skipped += 1;
                continue;
            };
            let after = schemas.at(pointer).expect(pointer);
            for value in before.instances().into_iter().chain(after.instances()) {
                compared += 1;
                let [a, b] = [&before, &after].map(|schema| schema.is_valid(&value));
                if a != b {
                    wrong.push(format!("{name}: {pointer}: {a} {b} {value}"));
                }
            }
        }
    }
    println!("{compared} values compared, {skipped} schemas skipped");
    assert!(compared > 100, "only {compared} values were compared");
    assert!(
        wrong.is_empty(),
        "{}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn values_are_validated_against_the_schemas_as_the_document_writes_them() {
    let table = [
        (
            "3.1.1",
            "{type: object, allOf: [{type: object, properties: {a: {type: string}}}], unevaluatedProperties: false}",
            json!({"b": 1}),
            Some(false),
        ),
        (
            "3.1.1",
            "{type: object, allOf: [{type: object, properties: {a: {type: string}}}], unevaluatedProperties: false}",
            json!({"a": "b"}),
            Some(true),
        ),
        (
            "3.1.1",
            "{type: [string, integer], oneOf: [{type: string, minLength: 3}, {type: integer}]}",
            json!("ab"),
            Some(false),
        ),
        (
            "3.1.1",
            "{type: [integer, 'null'], format: int32}",
            json!(2_147_483_648_i64),
            Some(false),
        ),
        (
            "3.1.1",
            "{type: string, contentEncoding: base64}",
            json!("a"),
            Some(false),
        ),
        (
            "3.1.1",
            "{type: [string, integer], format: uuid}",
            json!("a"),
            Some(false),
        ),
        (
            "3.1.1",
            "{type: [string, integer], format: uuid}",
            json!(9_223_372_036_854_775_807_u64),
            Some(true),
        ),
        // The type is assumed, or sent in one direction, or has names.
        ("3.1.1", "{minLength: 3, nullable: true}", json!(1), None),
        (
            "3.0.3",
            "{allOf: [{minLength: 3}, {type: string}]}",
            json!(1),
            None,
        ),
        (
            "3.0.3",
            "{allOf: [{type: string}, {type: string, maxLength: 1}]}",
            json!("ab"),
            Some(false),
        ),
        (
            "3.0.3",
            "{type: object, readOnly: true, allOf: [{type: object, required: [a]}]}",
            json!({}),
            None,
        ),
    ];
    for (version, schema, value, expected) in table {
        let text = format!(
            "openapi: {version}\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\ncomponents:\n  schemas:\n    Thing: {schema}\n"
        );
        let document = read("api.yaml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        let normal = normalized(&document).unwrap_or(document);
        let place = "/components/schemas/Thing";
        let judge = match Written::of(&normal) {
            Some(written) => written.at(place),
            None => Schemas::new(normal.root.to_json()).at(place).ok(),
        };
        let valid = judge.map(|judge| judge.is_valid(&value));
        assert_eq!(valid, expected, "{schema}: {value}");
    }
}
