//! Rewrites the document in a form that progenitor understands without losing or misreading a part of it.

use super::{
    document::{all_schemas, is_type, known_values, successes},
    names::Names,
};
use openapi_dropshot_contract::model::{Document, Location, Schema, StatusCode, Type};
use serde_json::{Map, Value};

/// The document as progenitor gets it.
pub(super) fn prepare(document: &Document, names: &Names<'_>) -> Value {
    let mut root = document.root.to_json();
    keep_successes(document, &mut root);
    for schema in all_schemas(document) {
        loosen(schema, false, &mut root);
    }
    let operations = document.operations.iter();
    for parameter in operations.flat_map(|operation| &operation.parameters) {
        if let Some(schema) = &parameter.schema {
            loosen(schema, true, &mut root);
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
        let Some(Value::Object(responses)) =
            object_at(root, &operation.at).and_then(|members| members.get_mut("responses"))
        else {
            continue;
        };
        let kept = successes(operation).into_iter().filter_map(|response| {
            let status = response.status.value;
            let key = match status {
                StatusCode::Default => "2XX".to_owned(),
                _ => status.to_string(),
            };
            Some((key, responses.remove(&status.to_string())?))
        });
        *responses = kept.collect();
    }
}

/// Removes the bounds of numbers, which setters check: of `minimum: 1` typify would make `NonZeroU64`, another type than
/// that of the same number elsewhere. Opens closed objects, so that a newer service can send more members than this
/// document lists; and turns an open list of values into an enumeration, which the pass keeps open.
fn loosen(schema: &Schema, is_parameter: bool, root: &mut Value) {
    let Some(object) = object_at(root, &schema.at) else {
        return;
    };
    if is_type(schema, Type::Integer) || is_type(schema, Type::Number) {
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
    if is_type(schema, Type::Integer)
        && let Some(format) = unsigned_format(schema, is_parameter)
    {
        object.insert("format".to_owned(), Value::from(format));
    }
    if let Some(known) = known_values(schema).filter(|_| !object.contains_key("enum")) {
        object.insert("enum".to_owned(), Value::from(known));
    }
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.remove("additionalProperties");
    }
}

/// Returns the unsigned format of a parameter that cannot be negative, or of a number that may exceed `i64`.
fn unsigned_format(schema: &Schema, is_parameter: bool) -> Option<&'static str> {
    let format = match schema.format.as_ref().map(|format| format.value.as_str()) {
        Some("int32") => "uint32",
        None | Some("int64") => "uint64",
        Some(_) => return None,
    };
    let not_negative = (schema.minimum.as_ref()).is_some_and(|minimum| minimum.value.is_u64());
    let beyond = (schema.maximum.as_ref())
        .is_some_and(|maximum| maximum.value.is_u64() && !maximum.value.is_i64());
    (not_negative && (is_parameter || beyond)).then_some(format)
}

/// The object that stands at a place.
fn object_at<'v>(root: &'v mut Value, at: &Location) -> Option<&'v mut Map<String, Value>> {
    root.pointer_mut(&at.pointer).and_then(Value::as_object_mut)
}
