//! Judges values by the document as it is written, not by the form in which it is generated,
//! where JSON Schema alone says what the document means.

use super::schemas::{Schema, Schemas};
use openapi_dropshot_contract::{Document, model::Node};
use serde_json::Value;
use std::{collections::BTreeSet, rc::Rc};

/// The place of component schemas.
const SCHEMAS: &str = "/components/schemas/";

/// The keywords that imply a type, which the generator assumes where no type is written.
const OF_TYPES: [&str; 17] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

/// The schemas of a document as it is written.
pub(super) struct Written<'d> {
    root: &'d Node,
    schemas: Schemas,
    is_newer: bool,
}

impl<'d> Written<'d> {
    /// Translates the document as it is written; `None` if it is generated as it is written.
    pub(super) fn of(document: &'d Document) -> Option<Self> {
        let root = document.as_written();
        let version = root.get("openapi").and_then(Node::as_str);
        (*root != document.root).then(|| Written {
            root,
            schemas: Schemas::new(root.to_json()),
            is_newer: version.is_some_and(|version| !version.starts_with("3.0.")),
        })
    }

    /// Returns the schema of a component; `None` for another place, and if more than JSON Schema
    /// says what the component means: members of one direction, names of alternatives, types
    /// that are assumed, and dynamic references, which the generator rejects.
    pub(super) fn at(&self, pointer: &str) -> Option<Rc<Schema>> {
        let name = pointer.strip_prefix(SCHEMAS)?;
        let node = self.root.pointer(pointer)?;
        let is_component = !name.contains('/');
        (is_component && self.is_plain(node))
            .then(|| self.schemas.at(pointer).ok())
            .flatten()
    }

    /// Returns whether the judge decides about a value as the generator does: in JSON Schema
    /// 2020-12, unlike draft 4, `1.0` is an integer.
    pub(super) fn decides(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => {
                let is_whole = number.as_f64().is_some_and(|value| value.fract() == 0.0);
                !(self.is_newer && number.is_f64() && is_whole)
            }
            Value::Array(items) => items.iter().all(|item| self.decides(item)),
            Value::Object(members) => members.values().all(|member| self.decides(member)),
            _ => true,
        }
    }

    fn is_plain(&self, node: &'d Node) -> bool {
        let mut open = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if let Some(items) = node.as_array() {
                open.extend(items);
            }
            let Some(members) = node.as_object() else {
                continue;
            };
            if !seen.insert(std::ptr::from_ref(node)) {
                continue;
            }
            let is_set = |name| node.get(name).and_then(Node::as_bool) == Some(true);
            let has_type = ["type", "enum", "const"]
                .iter()
                .any(|keyword| node.get(keyword).is_some());
            if node.get("discriminator").is_some()
                || node.get("$dynamicRef").is_some()
                || is_set("readOnly")
                || is_set("writeOnly")
                || (!has_type && OF_TYPES.iter().any(|keyword| node.get(keyword).is_some()))
            {
                return false;
            }
            if let Some(reference) = node.get("$ref") {
                let target = reference.as_str().and_then(|text| text.strip_prefix('#'));
                match target.and_then(|pointer| self.root.pointer(pointer)) {
                    Some(target) => open.push(target),
                    None => return false,
                }
            }
            let keywords = members.iter().filter(|(name, _)| {
                !["example", "examples", "default", "enum", "const"].contains(&name.as_str())
            });
            open.extend(keywords.map(|(_, member)| &member.value));
        }
        true
    }
}
