//! Rewrites the document in a form that progenitor understands without losing or misreading a part of it.

use super::names::{Names, known_values, successes};
use openapi_dropshot_contract::model::{Document, Location, ParameterIn, Schema, StatusCode, Type};
use serde_json::{Map, Value};

/// The document as progenitor gets it.
pub(super) fn prepare(document: &Document, names: &Names<'_>) -> Value {
    let mut root = document.root.to_json();
    keep_successes(document, &mut root);
    for schema in all_schemas(document) {
        loosen(schema, false, &mut root);
    }
    for parameter in document
        .operations
        .iter()
        .flat_map(|operation| &operation.parameters)
    {
        if let Some(schema) = &parameter.schema {
            loosen(schema, parameter.location != ParameterIn::Cookie, &mut root);
        }
    }
    for named in names.values().filter(|named| named.inline) {
        if let Some(object) = object_at(&mut root, &named.schema.at) {
            object.insert("title".to_owned(), Value::from(named.name.clone()));
        }
    }
    root
}

/// Removes the error responses: the toolkit reads every error in the same way, also one that differs from those of the
/// document, such as a proxy's. progenitor panics at two types among them, and reads `default` as a success.
fn keep_successes(document: &Document, root: &mut Value) {
    for operation in &document.operations {
        let success_responses = successes(operation);
        let Some(responses) = object_at(root, &operation.at)
            .and_then(|members| members.get_mut("responses"))
            .and_then(Value::as_object_mut)
        else {
            continue;
        };
        let mut successes = Map::new();
        for response in success_responses {
            let key = response.status.value.to_string();
            if let Some(value) = responses.remove(&key) {
                let key = if response.status.value == StatusCode::Default {
                    "2XX".to_owned()
                } else {
                    key
                };
                successes.insert(key, value);
            }
        }
        *responses = successes;
    }
}

/// Removes the bounds of numbers, which setters check: of `minimum: 1` typify would make `NonZeroU64`, another type than
/// that of the same number elsewhere. Opens closed objects, so that a newer service can send more members than this
/// document lists; and turns an open list of values into an enumeration, which the pass keeps open.
fn loosen(schema: &Schema, parameter: bool, root: &mut Value) {
    let Some(object) = object_at(root, &schema.at) else {
        return;
    };
    let kind = schema.types.as_ref().map(|kind| kind.value);
    if matches!(kind, Some(Type::Integer | Type::Number)) {
        for keyword in [
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ] {
            object.remove(keyword);
        }
    }
    if kind == Some(Type::Integer) && needs_unsigned(schema, parameter) {
        let format = if object.get("format").and_then(Value::as_str) == Some("int32") {
            "uint32"
        } else {
            "uint64"
        };
        object.insert("format".to_owned(), Value::from(format));
    }
    if let Some(known) = known_values(schema).filter(|_| !object.contains_key("enum")) {
        object.insert("enum".to_owned(), Value::from(known));
    }
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.remove("additionalProperties");
    }
}

/// A parameter that cannot be negative is unsigned; so is what exceeds `i64`.
fn needs_unsigned(schema: &Schema, parameter: bool) -> bool {
    let is_default_format = schema
        .format
        .as_ref()
        .is_none_or(|format| matches!(format.value.as_str(), "int32" | "int64"));
    let not_negative = schema
        .minimum
        .as_ref()
        .is_some_and(|minimum| minimum.value.as_u64().is_some());
    let beyond = schema.maximum.as_ref().is_some_and(|maximum| {
        maximum.value.as_i64().is_none() && maximum.value.as_u64().is_some()
    });
    is_default_format && not_negative && (parameter || beyond)
}

/// The object that stands at a place.
fn object_at<'v>(root: &'v mut Value, at: &Location) -> Option<&'v mut Map<String, Value>> {
    root.pointer_mut(&at.pointer).and_then(Value::as_object_mut)
}

/// All schemas of the document that stand in components or in an operation,
/// the parts of each included.
fn all_schemas(document: &Document) -> Vec<&Schema> {
    let mut schemas = Vec::new();
    for schema in document.schemas.values() {
        push_with_parts(schema, &mut schemas);
    }
    for operation in &document.operations {
        let bodies = operation.request_body.iter().flat_map(|body| &body.content);
        let responses = operation
            .responses
            .iter()
            .flat_map(|response| &response.content);
        for schema in bodies
            .chain(responses)
            .filter_map(|media| media.schema.as_ref())
        {
            push_with_parts(schema, &mut schemas);
        }
        for schema in operation
            .parameters
            .iter()
            .filter_map(|parameter| parameter.schema.as_ref())
        {
            push_parts(schema, &mut schemas);
        }
    }
    schemas
}

fn push_with_parts<'a>(schema: &'a Schema, schemas: &mut Vec<&'a Schema>) {
    schemas.push(schema);
    push_parts(schema, schemas);
}

fn push_parts<'a>(schema: &'a Schema, schemas: &mut Vec<&'a Schema>) {
    use openapi_dropshot_contract::model::AdditionalProperties;
    let values = match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Some(values.as_ref()),
        _ => None,
    };
    let parts = schema
        .properties
        .values()
        .chain(schema.items.as_deref())
        .chain(values)
        .chain(&schema.all_of)
        .chain(&schema.one_of)
        .chain(&schema.any_of);
    for part in parts {
        push_with_parts(part, schemas);
    }
}
