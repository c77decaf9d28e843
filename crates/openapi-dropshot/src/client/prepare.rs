//! Writes the document for progenitor: the schemas and the signatures of the operations, in a form that progenitor understands
//! without losing or misreading a part.

use super::{
    document::{all_schemas, alternatives, is_type, known_values, with_parts},
    names::{Names, bodies_in_place, folded, other_names, type_name},
    plan::{Call, Plan, Sent},
    preconditions::has_values_of_one_name,
};
use openapi_dropshot_contract::model::{
    Document, Location, Method, Operation, ParameterIn, Schema, Type, escape_pointer_token,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The input for progenitor.
pub(super) struct Prepared<'a> {
    /// The schemas of components, and the schemas of bodies for which progenitor would not make a type.
    pub(super) schemas: Map<String, Value>,
    /// The operations, each with the facts that decide its signature.
    pub(super) operations: Vec<(&'a Operation, Value)>,
    /// The original names of renamed properties, by their new names.
    pub(super) properties: BTreeMap<String, String>,
}

/// Returns a document with these schemas and operations in OpenAPI 3.0, the only version that progenitor reads.
pub(super) fn document<'o>(
    schemas: Map<String, Value>,
    operations: impl IntoIterator<Item = &'o (&'o Operation, Value)>,
) -> Value {
    let mut paths = Map::new();
    for (operation, signature) in operations {
        let path = operation.path.value.clone();
        // Only the parameters and bodies matter here. OpenAPI 3.0 does not have QUERY and other unusual methods, so another method
        // is used.
        let (path, key) = match operation.method {
            method @ (Method::Query | Method::Other(_)) => {
                (format!("/~{method}{path}"), "post".to_owned())
            }
            method => (path, method.as_str().to_ascii_lowercase()),
        };
        let path = paths.entry(path);
        path.or_insert_with(|| json!({}))[key] = signature.clone();
    }
    let mut document =
        json!({"openapi": "3.0.4", "info": {"title": "", "version": ""}, "components": {}});
    document["paths"] = Value::Object(paths);
    document["components"]["schemas"] = Value::Object(schemas);
    document
}

/// Prepares the schemas and operations of a document.
pub(super) fn prepare<'a>(plan: &Plan<'a>, names: &Names<'_>) -> Prepared<'a> {
    let document = plan.document;
    let mut root = document.root.to_json();
    let in_place = bodies_in_place(plan);
    let inside = with_parts(in_place.iter().map(|(_, schema)| *schema).collect());
    let mut exclusive = BTreeSet::new();
    for schema in all_schemas(document).into_iter().chain(inside) {
        loosen(document, schema, false, &mut root);
        exclusive.extend(excludes_alternatives(document, schema));
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
    lower(document, &exclusive, &mut root);
    let properties = other_names(document);
    // The inner properties come first, so that the places of the outer ones do not change.
    for (place, (name, other)) in properties.iter().rev() {
        rename_property(&mut root, place, name, other);
    }
    let properties = properties.into_values();
    let properties = properties
        .map(|(name, other)| (other, name.to_owned()))
        .collect();
    let calls = plan.calls.iter();
    let operations = calls.map(|call| (call.operation, signature(call, &root)));
    let operations = operations.collect();
    let mut schemas = match root.pointer_mut("/components/schemas").map(Value::take) {
        Some(Value::Object(schemas)) => schemas,
        _ => Map::new(),
    };
    for (_, schema) in &in_place {
        if let Some(name) = type_name(schema, names)
            && let Some(Value::Object(mut body)) = root.pointer(&schema.at.pointer).cloned()
        {
            body.remove("title");
            schemas.insert(component_name(name), Value::Object(body));
        }
    }
    split_nullable(document, &mut schemas);
    Prepared {
        schemas,
        operations,
        properties,
    }
}

/// Gives the property at a place another name.
fn rename_property(root: &mut Value, place: &str, name: &str, other: &str) {
    let schema = place.rsplit_once("/properties/").map(|(schema, _)| schema);
    let schema = schema.and_then(|schema| root.pointer_mut(schema)?.as_object_mut());
    let Some(schema) = schema else {
        return;
    };
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let all = std::mem::take(properties).into_iter();
        let renamed = all.map(|(own, value)| match own == name {
            true => (other.to_owned(), value),
            false => (own, value),
        });
        *properties = renamed.collect();
    }
    let required = schema.get_mut("required").and_then(Value::as_array_mut);
    for own in required.into_iter().flatten().filter(|own| *own == name) {
        *own = Value::from(other);
    }
}

/// Writes a signature for progenitor: the parameters, the media type of the body that the client sends, and the body of a success.
/// The toolkit itself reads errors and successes with different bodies; the types of these bodies are components.
fn signature(call: &Call<'_>, root: &Value) -> Value {
    let written = |schema: Option<&Schema>| {
        let written = schema.and_then(|schema| root.pointer(&schema.at.pointer));
        written.cloned().unwrap_or_else(|| json!({}))
    };
    let parameters = call.operation.parameters.iter().map(|parameter| {
        let place = match parameter.location {
            // progenitor does not support cookies, and a query parameter has the same type.
            ParameterIn::Cookie => ParameterIn::Query,
            other => other,
        };
        json!({
            "name": parameter.name.value,
            "in": place.as_str(),
            "required": parameter.required,
            // progenitor does not support objects in a query, but supports lists of them.
            "schema": match parameter.json() {
                Some(media) => json!({"type": "array", "items": written(media.schema.as_ref())}),
                None => written(parameter.schema.as_ref()),
            },
        })
    });
    let parameters: Vec<Value> = parameters.collect();
    let mut signature = json!({"operationId": call.id, "parameters": parameters, "responses": {}});
    if let Some((body, media, how)) = call.body {
        let schema = match how {
            Sent::Json | Sent::Form => written(media.schema.as_ref()),
            Sent::Lines => written(media.items()),
            Sent::Text => json!({"type": "string"}),
            Sent::Parts | Sent::Bytes => json!({"type": "string", "format": "binary"}),
        };
        let content =
            Map::from_iter([(how.for_progenitor().to_owned(), json!({"schema": schema}))]);
        signature["requestBody"] = json!({"required": body.required, "content": content});
    }
    if let Some(success) = call.successes.first()
        && call.typed_successes.is_empty()
    {
        let items = call.items().map(|(_, schema)| schema);
        let content = match success.content.iter().find(|media| media.is_json()) {
            _ if !call.has_bodies() => json!({}),
            Some(json) => json!({"application/json": {"schema": written(json.schema.as_ref())}}),
            // A stream is described by the type of its items.
            None if items.is_some() => json!({"application/json": {"schema": written(items)}}),
            None if success.content.is_empty() => json!({}),
            None => json!({"application/octet-stream": {}}),
        };
        signature["responses"]["2XX"] = json!({"description": "", "content": content});
    }
    signature
}

/// Converts the schemas to OpenAPI 3.0, and `anyOf` at the places in `exclusive` to `oneOf`.
fn lower(document: &Document, exclusive: &BTreeSet<&str>, root: &mut Value) {
    let mut schemas = Vec::new();
    document.each_schema(&mut |node| schemas.push(node));
    // The inner schemas come first, so that the places of the outer ones do not change.
    for node in schemas.into_iter().rev() {
        let Some(object) = object_at(root, &node.at) else {
            continue;
        };
        if exclusive.contains(node.at.pointer.as_str())
            && let Some(alternatives) = object.remove("anyOf")
        {
            object.insert("oneOf".to_owned(), alternatives);
        }
        // The bounds do not affect the types.
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

/// Splits each component that is composed of other schemas and allows `null` into two components, because typify would otherwise
/// give the value and the choice between the value and `null` the same name. `Inner` is appended to the names of the new
/// components.
fn split_nullable(document: &Document, schemas: &mut Map<String, Value>) {
    for (name, schema) in &document.schemas {
        if schema.nullable
            && let Some(Value::Object(own)) = schemas.get_mut(name)
        {
            // Typify would name the value by its title, which may be the name of the choice.
            own.remove("title");
        }
        let parts = schema.one_of.iter().chain(&schema.any_of);
        let is_made_of_others = parts.count() > 0 || schema.all_of.len() > 1;
        let inner = format!("{name}Inner");
        let mut names = document.schemas.keys();
        if !(schema.nullable && is_made_of_others)
            || names.any(|name| folded(name) == folded(&inner))
        {
            continue;
        }
        let reference = format!("#/components/schemas/{}", escape_pointer_token(&inner));
        let choice = json!({ "nullable": true, "allOf": [{ "$ref": reference }] });
        if let Some(Value::Object(mut value)) = schemas.insert(name.clone(), choice) {
            value.remove("nullable");
            schemas.insert(inner, Value::Object(value));
        }
    }
}

/// Returns the name of the component for the body with this name: the name without spaces.
pub(super) fn component_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect()
}

/// Removes the bounds of numbers, which setters check. For `minimum: 1`, typify would use `NonZeroU64`, although the same kind of
/// number has another type elsewhere. Opens closed objects, so that a newer service can send more members than this document
/// lists. Converts an open list of values to an enumeration, which the pass keeps open.
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
    // The service checks how many values a parameter has. Typify would make an array from a fixed number, and a set from
    // `uniqueItems`.
    if is_parameter && is_type(schema, Type::Array) {
        for keyword in ["minItems", "maxItems", "uniqueItems"] {
            object.remove(keyword);
        }
    }
    if is_type(schema, Type::Integer)
        && let Some(format) = unsigned_format(schema, is_parameter)
    {
        object.insert("format".to_owned(), Value::from(format));
    }
    // Typify supports only enumerations of strings in which each value has its own name. Any other value is a string, number or
    // boolean.
    let has_names = !is_type(schema, Type::Number) && !is_type(schema, Type::Boolean);
    if !has_names || has_values_of_one_name(schema) {
        object.remove("enum");
    }
    if let Some(known) = known_values(schema).filter(|_| !object.contains_key("enum")) {
        object.insert("enum".to_owned(), Value::from(known));
    }
    // The service checks which members exclude each other, the names of other members, and elements with their own types.
    object.remove("propertyNames");
    object.remove("prefixItems");
    if is_type(schema, Type::Object) {
        object.remove("not");
    }
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.remove("additionalProperties");
    }
}

/// Returns the place of a schema whose `anyOf` typify must read as `oneOf`: not all alternatives are objects, or they have a
/// discriminator. If alternatives are not known to exclude each other, typify makes an object with the members of all of them.
fn excludes_alternatives<'d>(document: &'d Document, schema: &Schema) -> Option<&'d str> {
    let is_object = is_type(schema, Type::Object) || !schema.properties.is_empty();
    let mut alternatives = schema.any_of.iter();
    let may_be_other = !is_object
        && !alternatives.all(|own| is_always_object(document, own, &mut BTreeSet::new()));
    let node = document.node(schema)?;
    let is_exclusive = may_be_other || node.get("discriminator").is_some();
    (is_exclusive && node.get("oneOf").is_none()).then_some(&node.at.pointer)
}

/// Returns whether only objects are valid. Schemas in `seen` are skipped.
fn is_always_object<'d>(
    document: &'d Document,
    schema: &'d Schema,
    seen: &mut BTreeSet<&'d str>,
) -> bool {
    let Some(schema) = document.resolve(schema) else {
        return false;
    };
    let alternatives = alternatives(schema);
    !seen.insert(&schema.at.pointer)
        || is_type(schema, Type::Object)
        || (schema.all_of.iter()).any(|part| is_always_object(document, part, seen))
        || !alternatives.is_empty()
            && (alternatives.iter()).all(|part| is_always_object(document, part, seen))
}

/// Returns the unsigned format for a parameter that cannot be negative, or for a number that may exceed `i64`.
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

/// Returns the object at a place.
fn object_at<'v>(root: &'v mut Value, at: &Location) -> Option<&'v mut Map<String, Value>> {
    root.pointer_mut(&at.pointer).and_then(Value::as_object_mut)
}
