//! Finds references to component schemas in a document that is plain JSON.

use super::unescape_pointer_token;
use crate::reached::reached;
use serde_json::{Map, Value};

/// The prefix of references to component schemas.
pub const SCHEMAS: &str = "#/components/schemas/";

/// The names of the component schemas to which a part of a document refers directly.
pub fn referenced_names(part: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![part];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                open.extend(members.values());
                let reference = members.get("$ref").and_then(Value::as_str);
                let pointer = reference.and_then(|text| text.strip_prefix(SCHEMAS));
                let token = pointer.and_then(|pointer| pointer.split('/').next());
                names.extend(token.map(unescape_pointer_token));
            }
            _ => {}
        }
    }
    names
}

/// Returns those of these component schemas to which parts of a document refer, directly or
/// indirectly.
pub fn referenced_schemas<'v>(
    parts: impl IntoIterator<Item = &'v Value>,
    schemas: &Map<String, Value>,
) -> Map<String, Value> {
    let names = parts.into_iter().flat_map(referenced_names);
    let next = |name: &String| schemas.get(name).into_iter().flat_map(referenced_names);
    let names = reached(names, next).into_iter();
    let found = names.filter_map(|name| schemas.get_key_value(&name));
    found
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

#[cfg(test)]
mod tests;
