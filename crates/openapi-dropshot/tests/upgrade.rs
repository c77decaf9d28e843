//! Tests that a document of OpenAPI 3.0 and its upgrade to 3.1 give the same code.

use openapi_dropshot::{File, Options, generate_service};
use openapi_dropshot_contract::Document;
use serde_json::{Map, Value, json};
use std::{fs, path::Path};
use test_support::documents;

/// Upgrades a document as tools do: `null` becomes one of the types, exclusive bounds become numbers, and schemas get
/// `examples`.
fn upgraded(root: &Value) -> Value {
    let mut root = root.clone();
    root["openapi"] = json!("3.1.1");
    upgrade(&mut root, false);
    root
}

/// Upgrades a value. `is_map` tells whether the names of its members have no meaning.
fn upgrade(value: &mut Value, is_map: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| upgrade(item, false)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let has_values = ["default", "enum", "example", "examples"].contains(&&**name);
                if is_map || !(has_values || name.starts_with("x-")) {
                    let maps = ["properties", "schemas", "responses", "headers", "content"];
                    upgrade(member, !is_map && maps.contains(&&**name));
                }
            }
            if !is_map {
                schema(members);
            }
        }
        _ => {}
    }
}

fn schema(members: &mut Map<String, Value>) {
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        match members.remove(exclusive) {
            Some(Value::Bool(true)) => {
                let value = members.remove(bound).unwrap_or_default();
                members.insert(exclusive.to_owned(), value);
            }
            Some(Value::Bool(false)) | None => {}
            Some(other) => panic!("{exclusive}: {other}"),
        }
    }
    let is_schema = ["type", "allOf", "oneOf", "anyOf", "enum"]
        .iter()
        .any(|keyword| members.contains_key(*keyword));
    if is_schema && let Some(example) = members.remove("example") {
        members.insert("examples".to_owned(), json!([example]));
    }
    if members.remove("nullable") != Some(json!(true)) {
        return;
    }
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(kind) = members.remove("type") {
        members.insert("type".to_owned(), json!([kind, "null"]));
    } else if let Some(Value::Array(parts)) = members.get_mut("oneOf") {
        parts.push(nothing);
    } else if let Some(Value::Array(parts)) = members.get_mut("anyOf") {
        parts.push(nothing);
    } else if let Some(parts) = members.remove("allOf") {
        let part = match parts.as_array().map(Vec::as_slice) {
            Some([only]) => only.clone(),
            _ => json!({ "allOf": parts }),
        };
        members.insert("anyOf".to_owned(), json!([part, nothing]));
    }
}

fn read(root: &Value) -> Document {
    openapi_dropshot_contract::read("document.json", &root.to_string())
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn generated(document: &Document) -> Option<Vec<File>> {
    let options = Options {
        command: "test".to_owned(),
        source: "document".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let mut files = generate_service(document, &options).ok()?.files;
    // The document itself is served as it is written.
    files.retain(|file| file.path.ends_with(".rs"));
    // In OpenAPI 3.1, `1.0` is an integer.
    let fractions = "    const INTEGERS_HAVE_FRACTIONS: bool = true;\n\n";
    for file in &mut files {
        file.text = file.text.replace(fractions, "");
    }
    Some(files)
}

/// Checks one document. If the generator rejects it, it must reject both versions.
fn check(name: &str, text: &str) {
    let written = openapi_dropshot_contract::read(name, text);
    let mut root = written
        .unwrap_or_else(|problems| panic!("{problems}"))
        .as_written()
        .to_json();
    if let Some(Value::Object(schemas)) = root.pointer_mut("/components/schemas") {
        // No operation needs this schema. Because its other alternative is `{}`, the added alternative `null` is never the
        // only match.
        schemas.remove("ObjWithOptionArray");
    }
    let [older, newer] = [root.clone(), upgraded(&root)].map(|root| generated(&read(&root)));
    assert_eq!(older.is_some(), newer.is_some(), "{name}");
    for (older, newer) in older.into_iter().flatten().zip(newer.into_iter().flatten()) {
        let line = older
            .text
            .lines()
            .zip(newer.text.lines())
            .find(|(older, newer)| older != newer);
        assert!(
            older == newer,
            "{name}: {} differs first at {line:?}",
            older.path
        );
    }
}

#[test]
fn a_document_upgraded_to_openapi_3_1_gives_the_same_code() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "tests/golden/harbour.yaml",
        "tests/golden/ledger.yaml",
        "tests/golden/workshop.yaml",
    ] {
        let text = fs::read_to_string(own.join(name)).expect("a document of the tests");
        check(name, &text);
    }
}

#[test]
fn the_contract_of_the_repository_upgraded_to_openapi_3_1_gives_the_same_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/openapi.yaml");
    let text = fs::read_to_string(path).expect("the contract is there");
    check("spec/openapi.yaml", &text);
}

#[test]
fn documents_of_real_services_upgraded_to_openapi_3_1_give_the_same_code() {
    for folder in ["corpus/accept", "corpus/v30-others"] {
        for (name, text) in documents(folder) {
            check(&name, &text);
        }
    }
}
