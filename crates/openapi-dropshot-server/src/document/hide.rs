//! Removes operations from a document, with the paths, components and tags that
//! nothing else needs.

use openapi_dropshot_types::Operation;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The members of a path that are operations (OpenAPI 3.0.3, section 4.7.9).
pub(super) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];
/// Components that are found by name, without a reference.
const NAMED: &str = "securitySchemes";

/// Leaves these operations.
pub(super) fn all_but(document: &mut Value, served: &[&Operation]) {
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        for (path, item) in paths.iter_mut() {
            let Value::Object(item) = item else { continue };
            item.retain(|name, _| {
                !METHODS.contains(&name.as_str()) || is_served(served, name, path)
            });
        }
        paths.retain(|_, item| METHODS.iter().any(|method| item.get(method).is_some()));
    }
    drop_unused_components(document);
    drop_unused_tags(document);
    drop_unused_codes(document);
}

fn is_served(served: &[&Operation], method: &str, path: &str) -> bool {
    served
        .iter()
        .any(|one| one.method.eq_ignore_ascii_case(method) && one.path == path)
}

/// Leaves the components to which some way leads from the paths.
fn drop_unused_components(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut open = Vec::new();
    collect_references(&document["paths"], &mut open);
    while let Some(reference) = open.pop() {
        if let Some(target) = document.pointer(&reference) {
            let mut further = Vec::new();
            collect_references(target, &mut further);
            open.extend(further.into_iter().filter(|next| !used.contains(next)));
        }
        used.insert(reference);
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

/// The JSON pointers of all `$ref`s in a value; the contract is one file.
fn collect_references(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                references.extend(reference.strip_prefix('#').map(str::to_owned));
            }
            members
                .values()
                .for_each(|member| collect_references(member, references));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, references)),
        _ => {}
    }
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

/// Leaves the error codes that some response can carry.
fn drop_unused_codes(document: &mut Value) {
    let mut used = BTreeSet::new();
    collect_codes(document, &mut used);
    retain_codes(document, &used);
}

fn collect_codes(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let codes = members.get("x-error-codes").and_then(Value::as_array);
            let codes = codes.into_iter().flatten().filter_map(Value::as_str);
            used.extend(codes.map(str::to_owned));
            members
                .values()
                .for_each(|member| collect_codes(member, used));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_codes(item, used)),
        _ => {}
    }
}

/// A catalogue stands beside the list of its codes.
fn retain_codes(value: &mut Value, used: &BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::Object(catalogue)) = members.get_mut("x-error-catalogue") {
                catalogue.retain(|code, _| used.contains(code));
                if let Some(Value::Array(codes)) = members.get_mut("x-extensible-enum") {
                    codes.retain(|code| code.as_str().is_some_and(|code| used.contains(code)));
                }
            }
            members
                .values_mut()
                .for_each(|member| retain_codes(member, used));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| retain_codes(item, used)),
        _ => {}
    }
}
