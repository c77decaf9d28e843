//! Tests that the form in which a document is generated means what the document says: a value
//! is valid by both or by neither, as `jsonschema` decides it.

use super::{OTHERS, SHELF, WORKSHOP, path};
use crate::roundtrip::schemas::Schemas;
use openapi_dropshot_contract::{normalized, read};
use serde_json::Value;
use std::fs;

/// Components whose meaning JSON Schema does not know: members of one direction, and values
/// that a `discriminator` names.
const OTHER_MEANING: [&str; 2] = ["Stock", "Event"];

/// Components whose type is assumed.
const ASSUMED: [&str; 1] = ["Either"];

#[test]
fn the_form_of_the_generator_means_what_the_document_says() {
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
