//! The document that the service serves of itself, as YAML and as JSON: the
//! contract, without the operations that are hidden. Where it is served is left
//! to the door.

mod hide;
mod yaml;

use crate::api::{OPERATIONS, Operation};
use bytes::Bytes;

/// The contract, as it was written.
const CONTRACT: &str = include_str!("../../../../spec/openapi.yaml");

/// The document in both forms.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) yaml: Bytes,
    pub(crate) json: Bytes,
}

impl Document {
    /// The document of a service that serves these operations.
    pub(crate) fn of(served: &[Operation]) -> Self {
        let mut document =
            yaml::read(CONTRACT).expect("the contract is part of the binary, and tests read it");
        let yaml = if served.len() == OPERATIONS.len() {
            Bytes::from_static(CONTRACT.as_bytes())
        } else {
            hide::all_but(&mut document, served);
            // All JSON is YAML (YAML 1.2, section 1.3).
            Bytes::from(format!("{document:#}\n"))
        };
        let json = Bytes::from(document.to_string());
        Document { yaml, json }
    }
}

/// The operations of a document: methods, in capitals, and paths.
#[cfg(test)]
fn operations(document: &serde_json::Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, item) in paths {
        for method in item.as_object().into_iter().flatten().map(|(name, _)| name) {
            if hide::METHODS.contains(&method.as_str()) {
                found.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn read(document: &Bytes) -> Value {
        serde_json::from_slice(document).expect("JSON")
    }

    fn pairs(served: &[Operation]) -> Vec<(String, String)> {
        let pair = |one: &Operation| (one.method.to_owned(), one.path.to_owned());
        let mut pairs: Vec<_> = served.iter().map(pair).collect();
        pairs.sort();
        pairs
    }

    #[test]
    fn the_whole_contract_is_served_as_it_was_written() {
        let document = Document::of(OPERATIONS);
        assert_eq!(document.yaml, CONTRACT);
        let json = read(&document.json);
        assert_eq!(operations(&json), pairs(OPERATIONS));
        assert_eq!(json["openapi"], "3.0.3");
    }

    #[test]
    fn a_hidden_operation_is_gone_from_both_forms() {
        for hidden in OPERATIONS {
            let served: Vec<Operation> = OPERATIONS
                .iter()
                .filter(|one| one.index != hidden.index)
                .copied()
                .collect();
            let document = Document::of(&served);
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
        let all = read(&Document::of(OPERATIONS).json);
        let none = read(&Document::of(&[]).json);
        assert!(all["components"]["schemas"]["Pet"].is_object());
        assert_eq!(none["components"]["schemas"], Value::Null, "{none}");
        assert_eq!(none["paths"], serde_json::json!({}));
        assert_eq!(
            none["components"]["securitySchemes"],
            all["components"]["securitySchemes"]
        );
    }
}
