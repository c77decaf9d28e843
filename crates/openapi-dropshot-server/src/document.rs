//! Serves the document of the API as YAML and as JSON. Hidden operations, and the paths, components,
//! tags and error codes that only they use, are removed from it.

use bytes::Bytes;
use openapi_dropshot_types::{Contract, Operation};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, iter};

/// The properties of a path item that are operations (OpenAPI 3.2.0, section 4.9).
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];
/// The property of a path item that contains the operations of other methods.
const OTHERS: &str = "additionalOperations";
/// The components that are referred to by name instead of by a reference.
const NAMED: &str = "securitySchemes";

/// The document in both formats.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) yaml: Bytes,
    pub(crate) json: Bytes,
}

impl Document {
    /// Creates the document of a service that serves these operations.
    pub(crate) fn of<C: Contract>(served: &[&Operation]) -> Self {
        if served.len() == C::OPERATIONS.len() {
            return Document {
                yaml: Bytes::from_static(C::DOCUMENT_YAML.as_bytes()),
                json: Bytes::from_static(C::DOCUMENT_JSON.as_bytes()),
            };
        }
        let mut document: Value = serde_json::from_str(C::DOCUMENT_JSON)
            .expect("the generator wrote the document as JSON");
        retain_operations(&mut document, served);
        Document {
            // Every JSON text is also YAML (YAML 1.2, section 1.3).
            yaml: Bytes::from(format!("{document:#}\n")),
            json: Bytes::from(document.to_string()),
        }
    }
}

/// Removes all other operations.
fn retain_operations(document: &mut Value, served: &[&Operation]) {
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        for (path, item) in paths.iter_mut() {
            let Value::Object(item) = item else { continue };
            item.retain(|name, _| {
                !METHODS.contains(&name.as_str()) || is_served(served, name, path)
            });
            if let Some(Value::Object(others)) = item.get_mut(OTHERS) {
                others.retain(|name, _| is_served(served, name, path));
                if others.is_empty() {
                    item.remove(OTHERS);
                }
            }
        }
        paths.retain(|_, item| operations(item).next().is_some());
    }
    drop_unused_components(document);
    drop_unused_tags(document);
    drop_unused_codes(document);
}

/// Returns the headers that contain a key according to the document's security schemes of the type
/// `apiKey`.
pub(crate) fn key_headers(document: &Value) -> impl Iterator<Item = &str> {
    let schemes = document["components"]["securitySchemes"].as_object();
    let schemes = schemes.into_iter().flat_map(Map::values);
    schemes.filter_map(|scheme| {
        let is_header = scheme["type"] == "apiKey" && scheme["in"] == "header";
        scheme["name"].as_str().filter(|_| is_header)
    })
}

/// Returns the header parameters of all operations of the document. A name may occur several times.
pub(crate) fn header_parameters(document: &Value) -> impl Iterator<Item = &str> {
    let paths = document["paths"].as_object().into_iter();
    let items = paths.flat_map(Map::values);
    let holders = items.flat_map(move |item| iter::once(item).chain(operations(item)));
    let parameters = holders.filter_map(|holder| holder["parameters"].as_array());
    parameters.flatten().filter_map(|parameter| {
        let parameter = target(document, parameter)?;
        parameter["name"]
            .as_str()
            .filter(|_| parameter["in"] == "header")
    })
}

/// Returns the response headers of all operations of the document. A name may occur several times.
pub(crate) fn response_headers(document: &Value) -> impl Iterator<Item = &str> {
    let paths = document["paths"].as_object().into_iter();
    let operations = paths.flat_map(Map::values).flat_map(operations);
    let responses = operations.filter_map(|operation| operation["responses"].as_object());
    let responses = responses.flat_map(Map::values);
    let headers =
        responses.filter_map(|response| target(document, response)?["headers"].as_object());
    headers.flat_map(Map::keys).map(String::as_str)
}

/// Returns an object itself, or the object that it refers to.
fn target<'d>(document: &'d Value, object: &'d Value) -> Option<&'d Value> {
    let reference = object["$ref"].as_str();
    match reference.and_then(|reference| reference.strip_prefix('#')) {
        Some(pointer) => document.pointer(pointer),
        None => Some(object),
    }
}

/// Returns the operations of a path item.
fn operations(item: &Value) -> impl Iterator<Item = &Value> {
    let fixed = METHODS.iter().filter_map(|method| item.get(method));
    let others = item[OTHERS].as_object();
    fixed.chain(others.into_iter().flat_map(Map::values))
}

fn is_served(served: &[&Operation], method: &str, path: &str) -> bool {
    served
        .iter()
        .any(|one| one.method.eq_ignore_ascii_case(method) && one.path == path)
}

/// Returns the pointer to the component that contains the target of a pointer, such as
/// `/components/schemas/Item`.
fn whole_component(pointer: &str) -> &str {
    let end = pointer.match_indices('/').nth(3);
    let end = end.filter(|_| pointer.starts_with("/components/"));
    end.map_or(pointer, |(end, _)| &pointer[..end])
}

/// Removes the components that no path refers to, directly or indirectly.
fn drop_unused_components(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut open = vec!["/paths".to_owned()];
    while let Some(pointer) = open.pop() {
        if used.insert(pointer.clone())
            && let Some(target) = document.pointer_mut(&pointer)
        {
            for_each_object(target, &mut |members| {
                // The document is one file, so every reference is a JSON pointer within it.
                let reference = members.get("$ref").and_then(Value::as_str);
                let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
                open.extend(pointer.map(|pointer| whole_component(pointer).to_owned()));
            });
        }
    }
    let Some(Value::Object(components)) = document.get_mut("components") else {
        return;
    };
    for (family, members) in components.iter_mut() {
        if let (true, Value::Object(members)) = (family != NAMED, members) {
            members.retain(|name, _| used.contains(&format!("/components/{family}/{name}")));
        }
    }
    components.retain(|_, members| {
        members
            .as_object()
            .is_none_or(|members| !members.is_empty())
    });
}

fn drop_unused_tags(document: &mut Value) {
    let operations = document["paths"]
        .as_object()
        .into_iter()
        .flat_map(Map::values)
        .filter_map(Value::as_object)
        .flat_map(Map::values);
    let used: BTreeSet<String> = operations
        .filter_map(|operation| operation.get("tags")?.as_array())
        .flatten()
        .filter_map(|tag| tag.as_str().map(str::to_owned))
        .collect();
    if let Some(Value::Array(tags)) = document.get_mut("tags") {
        tags.retain(|tag| tag["name"].as_str().is_some_and(|name| used.contains(name)));
    }
}

/// Removes the error codes that no remaining response can contain.
fn drop_unused_codes(document: &mut Value) {
    let mut used = BTreeSet::new();
    for_each_object(document, &mut |members| {
        let codes = members.get("x-error-codes").and_then(Value::as_array);
        let codes = codes.into_iter().flatten().filter_map(Value::as_str);
        used.extend(codes.map(str::to_owned));
    });
    for_each_object(document, &mut |members| {
        // The object with the catalogue also has the list of its codes.
        if let Some(Value::Object(catalogue)) = members.get_mut("x-error-catalogue") {
            catalogue.retain(|code, _| used.contains(code));
            if let Some(Value::Array(codes)) = members.get_mut("x-extensible-enum") {
                codes.retain(|code| code.as_str().is_some_and(|code| used.contains(code)));
            }
        }
    });
}

/// Calls the function with each object in a value, outer objects first.
fn for_each_object(value: &mut Value, call: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            call(members);
            members
                .values_mut()
                .for_each(|member| for_each_object(member, call));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| for_each_object(item, call)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
