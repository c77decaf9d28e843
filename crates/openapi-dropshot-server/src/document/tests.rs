//! Tests the document without hidden operations.

use super::*;
use crate::test_contract::TestContract;

/// Returns the operations of a document: their methods, in capitals, and their paths.
fn operations(document: &Value) -> Vec<(String, String)> {
    let mut operations = Vec::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, item) in paths {
        for method in item.as_object().into_iter().flatten().map(|(name, _)| name) {
            if METHODS.contains(&method.as_str()) {
                operations.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    operations.sort();
    operations
}

fn all() -> Vec<&'static Operation> {
    TestContract::OPERATIONS.iter().collect()
}

fn read(document: &Bytes) -> Value {
    serde_json::from_slice(document).expect("JSON")
}

fn pairs(served: &[&Operation]) -> Vec<(String, String)> {
    let pair = |one: &&Operation| (one.method.to_owned(), one.path.to_owned());
    let mut pairs: Vec<_> = served.iter().map(pair).collect();
    pairs.sort();
    pairs
}

#[test]
fn without_hidden_operations_the_contract_is_served_unchanged() {
    let document = Document::of::<TestContract>(&all());
    assert_eq!(document.yaml, TestContract::DOCUMENT_YAML);
    let json = read(&document.json);
    assert_eq!(operations(&json), pairs(&all()));
    assert_eq!(json["openapi"], "3.0.3");
}

#[test]
fn a_hidden_operation_is_missing_in_the_yaml_and_in_the_json_document() {
    for hidden in all() {
        let served: Vec<&Operation> = all().into_iter().filter(|one| *one != hidden).collect();
        let document = Document::of::<TestContract>(&served);
        for form in [&document.yaml, &document.json] {
            assert_eq!(operations(&read(form)), pairs(&served));
            let text = String::from_utf8_lossy(form);
            let id = format!("\"operationId\":\"{}\"", hidden.name);
            assert!(!text.replace(' ', "").contains(&id), "{}", hidden.name);
        }
    }
}

#[test]
fn components_that_only_hidden_operations_use_are_removed() {
    let all = read(&Document::of::<TestContract>(&all()).json);
    let none = read(&Document::of::<TestContract>(&[]).json);
    assert!(all["components"]["schemas"]["Item"].is_object());
    assert_eq!(none["components"]["schemas"], Value::Null, "{none}");
    assert_eq!(none["paths"], serde_json::json!({}));
    assert_eq!(
        none["components"]["securitySchemes"],
        all["components"]["securitySchemes"]
    );
}

#[test]
fn served_operations_of_openapi_3_2_keep_the_components_that_they_refer_to() {
    let copy = Operation {
        method: "COPY",
        ..TestContract::OPERATIONS[0]
    };
    let query = Operation {
        method: "QUERY",
        path: "/words",
        ..copy
    };
    let response = |schema: &str| serde_json::json!({"responses": {"200": {"content": {"application/json": {"schema": {"$ref": schema}}}}}});
    let mut document = serde_json::json!({
        "paths": {
            "/items": {
                "get": response("#/components/schemas/Hidden"),
                "additionalOperations": {
                    "COPY": response("#/components/schemas/Item/properties/size"),
                    "LOCK": response("#/components/schemas/Hidden"),
                },
            },
            "/words": {"query": response("#/components/schemas/Word")},
            "/locks": {"additionalOperations": {"LOCK": response("#/components/schemas/Hidden")}},
        },
        "components": {"schemas": {
            "Item": {"properties": {"size": {"type": "integer"}}},
            "Word": {"type": "string"},
            "Hidden": {"type": "string"},
        }},
    });
    retain_operations(&mut document, &[&copy, &query]);
    let names = |pointer: &str| {
        let members = document.pointer(pointer).and_then(Value::as_object);
        let mut names: Vec<_> = members.into_iter().flat_map(Map::keys).collect();
        names.sort();
        names
    };
    assert_eq!(names("/paths"), ["/items", "/words"]);
    assert_eq!(names("/paths/~1items"), ["additionalOperations"]);
    assert_eq!(names("/paths/~1items/additionalOperations"), ["COPY"]);
    assert_eq!(names("/components/schemas"), ["Item", "Word"]);
}
