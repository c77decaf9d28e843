//! Rewrites the document in a form that progenitor understands without losing or misreading a part of it.

use super::{
    document::{all_schemas, essence, is_type, known_values, successes, with_parts},
    names::{Names, folded},
    statuses::{Sent, bodies_in_place, sent, type_name, typed_successes},
};
use openapi_dropshot_contract::model::{
    Document, Location, Schema, StatusCode, Type, escape_pointer_token,
};
use serde_json::{Map, Value, json};

/// The document as progenitor gets it.
pub(super) fn prepare(document: &Document, names: &Names<'_>) -> Value {
    let mut root = document.root.to_json();
    let in_place = bodies_in_place(document);
    let inside = in_place
        .iter()
        .flat_map(|(_, schema)| with_parts(vec![*schema]));
    for schema in all_schemas(document).into_iter().chain(inside) {
        loosen(document, schema, false, &mut root);
    }
    let operations = document.operations.iter();
    for parameter in operations.flat_map(|operation| &operation.parameters) {
        if let Some(schema) = &parameter.schema {
            loosen(document, schema, true, &mut root);
        }
    }
    for named in names.values().filter(|named| named.inline) {
        if let Some(object) = object_at(&mut root, &named.schema.at) {
            object.insert("title".to_owned(), Value::from(named.name.clone()));
        }
    }
    lower(document, &mut root);
    add_components(&in_place, names, &mut root);
    remove_callbacks(document, &mut root);
    describe_json(document, &mut root);
    keep_successes(document, &mut root);
    send_one_media_type(document, &mut root);
    split_nullable(document, &mut root);
    root
}

/// Writes the schemas as those of OpenAPI 3.0, the only version that progenitor reads.
fn lower(document: &Document, root: &mut Value) {
    root["openapi"] = Value::from("3.0.4");
    let mut schemas = Vec::new();
    document.each_schema(&mut |node| schemas.push(node));
    // The inner ones first, so that the places of the outer ones stay the same.
    for node in schemas.into_iter().rev() {
        let Some(object) = object_at(root, &node.at) else {
            continue;
        };
        // No type depends on a bound.
        for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
            object.remove(keyword);
        }
        let first = |list: Option<Value>| list?.as_array()?.first().cloned();
        if let Some(example) = first(object.remove("examples")) {
            object.insert("example".to_owned(), example);
        }
        let only_type = first(object.get("type").cloned());
        let mut is_nullable = only_type.is_some();
        object.extend(only_type.map(|only| ("type".to_owned(), only)));
        if !std::ptr::eq(node, node.without_null())
            && let Some(Value::Object(members)) = first(object.remove("anyOf"))
        {
            is_nullable = true;
            for (name, member) in members {
                object.entry(name).or_insert(member);
            }
        }
        if is_nullable {
            object.insert("nullable".to_owned(), Value::Bool(true));
        }
    }
}

/// Splits each component that is made of others and may be `null` in two, because typify would give the value and the
/// choice between it and `null` the same name. `Inner` is what it adds to the names of other such components.
fn split_nullable(document: &Document, root: &mut Value) {
    for (name, schema) in &document.schemas {
        let parts = schema.one_of.iter().chain(&schema.any_of);
        let is_made_of_others = parts.count() > 0 || schema.all_of.len() > 1;
        let inner = format!("{name}Inner");
        let mut names = document.schemas.keys();
        if !(schema.nullable && is_made_of_others)
            || names.any(|name| folded(name) == folded(&inner))
        {
            continue;
        }
        if let Some(object) = object_at(root, &schema.at) {
            let mut value = std::mem::take(object);
            value.remove("nullable");
            let reference = format!("#/components/schemas/{}", escape_pointer_token(&inner));
            object.insert("nullable".to_owned(), Value::Bool(true));
            object.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            root["components"]["schemas"][inner] = Value::Object(value);
        }
    }
}

/// Makes components of the bodies for which progenitor would make no type.
fn add_components(bodies: &[(String, &Schema)], names: &Names<'_>, root: &mut Value) {
    for (_, schema) in bodies {
        let body = root.pointer(&schema.at.pointer).cloned();
        if let (Some(name), Some(mut body)) = (type_name(schema, names), body) {
            if let Some(members) = body.as_object_mut() {
                members.remove("title");
            }
            let name = component_name(name);
            root["components"]["schemas"][name] = body;
        }
    }
}

/// The name of the component that is made of a body with this name: without spaces.
pub(super) fn component_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect()
}

/// Removes the callbacks, of which progenitor makes nothing. It cannot read references to them.
fn remove_callbacks(document: &Document, root: &mut Value) {
    for operation in &document.operations {
        if let Some(members) = object_at(root, &operation.at) {
            members.remove("callbacks");
        }
    }
    if let Some(Value::Object(components)) = root.get_mut("components") {
        components.remove("callbacks");
    }
}

/// Adds the schema of any value to JSON without a schema.
fn describe_json(document: &Document, root: &mut Value) {
    let responses = document.operations.iter().flat_map(successes);
    for media in responses.flat_map(|response| &response.content) {
        if essence(media) == "application/json"
            && media.schema.is_none()
            && let Some(described) = object_at(root, &media.at)
        {
            described.insert("schema".to_owned(), json!({}));
        }
    }
}

/// Keeps the media type of each request body that the client sends, in the form that progenitor has a type for.
fn send_one_media_type(document: &Document, root: &mut Value) {
    for body in document
        .operations
        .iter()
        .filter_map(|operation| operation.request_body.as_ref())
    {
        let Some((media, how)) = sent(&body.content) else {
            continue;
        };
        let Some(Value::Object(content)) =
            object_at(root, &body.at).and_then(|members| members.get_mut("content"))
        else {
            continue;
        };
        // The body of a component was met before.
        let Some(mut described) = content.remove(&media.name.value) else {
            continue;
        };
        match how {
            Sent::Json | Sent::Form if media.schema.is_some() => {}
            Sent::Json | Sent::Form => described["schema"] = json!({}),
            Sent::Text => described["schema"] = json!({"type": "string"}),
            Sent::Bytes => described["schema"] = json!({"type": "string", "format": "binary"}),
        }
        *content = Map::from_iter([(how.for_progenitor().to_owned(), described)]);
    }
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
        *responses = if typed_successes(operation).is_empty() {
            kept.collect()
        } else {
            // Their types are components.
            Map::from_iter([("204".to_owned(), json!({"description": ""}))])
        };
    }
}

/// Removes the bounds of numbers, which setters check: of `minimum: 1` typify would make `NonZeroU64`, another type than
/// that of the same number elsewhere. Opens closed objects, so that a newer service can send more members than this
/// document lists; and turns an open list of values into an enumeration, which the pass keeps open.
fn loosen(document: &Document, schema: &Schema, is_parameter: bool, root: &mut Value) {
    let node = document.node(schema);
    let Some(object) = node.and_then(|node| object_at(root, &node.at)) else {
        return;
    };
    if is_type(schema, Type::Integer) || is_type(schema, Type::Number) {
        for keyword in ["minimum", "maximum", "multipleOf"] {
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
    // Of alternatives that are not known to exclude each other, typify makes an object with the members of all.
    if object.contains_key("discriminator")
        && !object.contains_key("oneOf")
        && let Some(alternatives) = object.remove("anyOf")
    {
        object.insert("oneOf".to_owned(), alternatives);
    }
}

/// Returns the unsigned format of a parameter that cannot be negative, or of a number that may exceed `i64`.
fn unsigned_format(schema: &Schema, is_parameter: bool) -> Option<&'static str> {
    let format = match schema.format.as_ref().map(|format| format.value.as_str()) {
        Some("int32") => "uint32",
        None | Some("int64") => "uint64",
        Some(_) => return None,
    };
    let not_negative = (schema.lower_bound()).is_some_and(|(minimum, _)| minimum.value.is_u64());
    let beyond = (schema.upper_bound())
        .is_some_and(|(maximum, _)| maximum.value.is_u64() && !maximum.value.is_i64());
    (not_negative && (is_parameter || beyond)).then_some(format)
}

/// The object that stands at a place.
fn object_at<'v>(root: &'v mut Value, at: &Location) -> Option<&'v mut Map<String, Value>> {
    root.pointer_mut(&at.pointer).and_then(Value::as_object_mut)
}
