//! Serves the document of the API as YAML and as JSON: the contract without the operations
//! that are hidden.

mod hide;

use bytes::Bytes;
use openapi_dropshot_types::{Contract, Operation};
use serde_json::Value;

/// The document in both forms.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) yaml: Bytes,
    pub(crate) json: Bytes,
}

impl Document {
    /// The document of a service that serves these operations.
    pub(crate) fn of<C: Contract>(served: &[&Operation]) -> Self {
        if served.len() == C::OPERATIONS.len() {
            return Document {
                yaml: Bytes::from_static(C::DOCUMENT_YAML.as_bytes()),
                json: Bytes::from_static(C::DOCUMENT_JSON.as_bytes()),
            };
        }
        let mut document: Value = serde_json::from_str(C::DOCUMENT_JSON)
            .expect("the generator wrote the document as JSON");
        hide::all_but(&mut document, served);
        Document {
            // All JSON is YAML (YAML 1.2, section 1.3).
            yaml: Bytes::from(format!("{document:#}\n")),
            json: Bytes::from(document.to_string()),
        }
    }
}

/// The operations of a document: methods, in capitals, and paths.
#[cfg(test)]
fn operations(document: &Value) -> Vec<(String, String)> {
    let mut operations = Vec::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, item) in paths {
        for method in item.as_object().into_iter().flatten().map(|(name, _)| name) {
            if hide::METHODS.contains(&method.as_str()) {
                operations.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    operations.sort();
    operations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

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
    fn the_whole_contract_is_served_as_it_was_written() {
        let document = Document::of::<TestContract>(&all());
        assert_eq!(document.yaml, TestContract::DOCUMENT_YAML);
        let json = read(&document.json);
        assert_eq!(operations(&json), pairs(&all()));
        assert_eq!(json["openapi"], "3.0.3");
    }

    #[test]
    fn a_hidden_operation_is_gone_from_both_forms() {
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
    fn what_only_hidden_operations_need_is_gone_with_them() {
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
}
