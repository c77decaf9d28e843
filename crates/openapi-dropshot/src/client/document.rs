//! Looks up facts about the document that several parts of the client generator need.

use openapi_dropshot_contract::model::{Document, MediaType, Parameter, Schema, Type};

/// Returns the media type without its parameters.
pub(super) fn essence(media: &MediaType) -> &str {
    let name = &media.name.value;
    name.split(';').next().unwrap_or_default().trim()
}

/// Returns the separator between the items of a parameter that is a list and is sent as one string.
pub(super) fn separator(document: &Document, parameter: &Parameter) -> Option<char> {
    let schema = document.resolve(parameter.schema.as_ref()?)?;
    let is_list = is_type(schema, Type::Array);
    parameter.separator().filter(|_| is_list)
}

/// Returns whether a schema has this `type`.
pub(super) fn is_type(schema: &Schema, wanted: Type) -> bool {
    schema.kind() == Some(wanted)
}

/// Returns the known values of an enumeration that may grow: a string with `x-extensible-enum`.
pub(super) fn known_values(schema: &Schema) -> Option<Vec<&str>> {
    let values = schema.extensions.get("x-extensible-enum")?.as_array()?;
    let known: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    known.filter(|known| is_type(schema, Type::String) && !known.is_empty())
}

/// Returns all schemas of components, parameters, bodies and responses, including their inner
/// schemas.
pub(super) fn all_schemas(document: &Document) -> Vec<&Schema> {
    let mut schemas: Vec<&Schema> = document.schemas.values().collect();
    for operation in &document.operations {
        let bodies = operation.request_body.iter().flat_map(|body| &body.content);
        let responses = operation.responses.iter().flat_map(|own| &own.content);
        schemas.extend(bodies.chain(responses).flat_map(MediaType::schemas));
        let parameters = operation.parameters.iter();
        schemas.extend(parameters.filter_map(|parameter| parameter.value()));
    }
    with_parts(schemas)
}

/// Returns these schemas and their inner schemas.
pub(super) fn with_parts(mut schemas: Vec<&Schema>) -> Vec<&Schema> {
    let mut index = 0;
    while let Some(&schema) = schemas.get(index) {
        schemas.extend(schema.parts());
        index += 1;
    }
    schemas
}

pub(super) fn alternatives(schema: &Schema) -> &[Schema] {
    match schema.one_of.as_slice() {
        [] => &schema.any_of,
        alternatives => alternatives,
    }
}
