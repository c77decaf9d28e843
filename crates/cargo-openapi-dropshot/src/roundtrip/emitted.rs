//! Reads the document that dropshot emits from generated code, and adds the parts that dropshot cannot
//! express and that the generated code describes in another way: paths that dropshot does not support,
//! and bodies that differ between responses.

use super::program::Program;
use anyhow::{Context, Result};
use openapi_dropshot_contract::Document;
use serde_json::{Map, Value, json};

/// The extension of a schema that tells which response has which body; see `by_status` in
/// `openapi-dropshot-types`.
const BODIES: &str = "x-bodies-by-status";

/// The extension with the schema of a parameter that dropshot does not accept; see `shapes` in
/// `openapi-dropshot-types`.
const PARAMETER: &str = "x-parameter-schema";

/// The extension with the media type of a parameter.
const CONTENT: &str = "x-parameter-content";

/// The extension with the location of a parameter, if dropshot does not support the location.
const PLACE: &str = "x-parameter-in";

/// The separator between the path of an operation and the number of its method, for methods that OpenAPI
/// 3.0 does not have.
const METHOD: &str = "/~method~";

/// Reads the emitted document, and adds the schemas that no operation uses.
pub(super) fn read(program: &mut Program, source: &Document) -> Result<Document> {
    let mut document = program.document()?;
    let others = program.schemas()?;
    let others = others
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    for (name, schema) in others.into_iter().flatten() {
        let known = &mut document["components"]["schemas"][name];
        if known.is_null() {
            *known = schema.clone();
        }
    }
    restore_paths(&mut document, source);
    restore_parameters(&mut document);
    split_responses(&mut document);
    let emitted = openapi_dropshot_contract::read("emitted.json", &document.to_string());
    let mut emitted = emitted.context("dropshot emits a document that is not valid OpenAPI 3.0")?;
    let unknown = source.methods_unknown_to_dropshot();
    for operation in &mut emitted.operations {
        if let Some((path, number)) = operation.path.value.rsplit_once(METHOD) {
            let number: usize = number.parse()?;
            operation.method = *unknown.get(number).context("a method has no number")?;
            operation.path.value = path.to_owned();
        }
    }
    Ok(emitted)
}

/// Restores the paths of the document for operations that were registered under numbers.
fn restore_paths(document: &mut Value, source: &Document) {
    let own = source.distinct_paths();
    let Some(paths) = document["paths"].as_object_mut() else {
        return;
    };
    if paths.keys().all(|path| own.contains(&path.as_str())) {
        return;
    }
    let restored = std::mem::take(paths).into_iter().map(|(path, item)| {
        let path = path.split('/').nth(1).and_then(|number| {
            let number: usize = number.parse().ok()?;
            let (round, path) = (number / own.len(), own.get(number % own.len())?);
            Some(match round.checked_sub(1) {
                None => (*path).to_owned(),
                Some(method) => format!("{path}{METHOD}{method}"),
            })
        });
        (path.unwrap_or_default(), item)
    });
    *paths = restored.collect();
}

/// Restores the parameter schemas that dropshot does not accept.
fn restore_parameters(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let items = paths.filter_map(|(_, item)| item.as_object_mut()).flatten();
    let parameters =
        items.filter_map(|(_, operation)| operation.get_mut("parameters")?.as_array_mut());
    for parameter in parameters.flatten() {
        let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else {
            continue;
        };
        let own = schema.remove(PARAMETER);
        let (media_type, place) = (schema.remove(CONTENT), schema.remove(PLACE));
        if let (Some(media_type), Some(own)) = (media_type.as_ref().and_then(Value::as_str), &own) {
            parameter["content"] = json!({ media_type: { "schema": own } });
            parameter["schema"].take();
        } else if let Some(Value::Object(own)) = own {
            // The description and the default are kept.
            schema.extend(own);
        }
        if let Some(place) = place {
            parameter["in"] = place;
        }
        if let Some(members) = parameter.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
    }
}

/// Replaces each response whose schema tells which response has which body by these responses.
fn split_responses(document: &mut Value) {
    let shared = document["components"]["responses"].clone();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let items = paths.filter_map(|(_, item)| item.as_object_mut()).flatten();
    for (_, operation) in items {
        let responses = operation.get_mut("responses");
        let Some(responses) = responses.and_then(Value::as_object_mut) else {
            continue;
        };
        let mut split = Map::new();
        for (status, response) in std::mem::take(responses) {
            let target = response["$ref"].as_str().and_then(|reference| {
                shared.get(reference.strip_prefix("#/components/responses/")?)
            });
            let parts = parts(target.unwrap_or(&response), &status);
            match parts {
                Some(parts) => split.extend(parts),
                None => {
                    split.insert(status, response);
                }
            }
        }
        *responses = split;
    }
}

/// Returns the responses that an emitted response represents, if its schema lists them.
fn parts(response: &Value, emitted: &str) -> Option<Vec<(String, Value)>> {
    let schema = response.pointer("/content/application~1json/schema")?;
    let bodies = schema.get(BODIES)?.as_object()?;
    let parts = bodies.iter().map(|(status, entry)| {
        let schema = entry["body"]
            .as_u64()
            .and_then(|index| schema["anyOf"].get(usize::try_from(index).ok()?));
        let content = match (entry["mediaType"].as_str(), schema) {
            (None, _) => json!({}),
            (Some(media_type), Some(schema)) => json!({ media_type: { "schema": schema } }),
            (Some(_), None) => json!({ "*/*": { "schema": {} } }),
        };
        let mut part = response.clone();
        part["content"] = content;
        (status.clone(), part)
    });
    let is_covered = |(status, _): &(String, Value)| {
        let is_error = status == "default" || status.starts_with(['4', '5']);
        // Both error ranges describe the same type, so each part is taken only once: an error from `4XX`,
        // any other response from an exact status.
        if is_error {
            emitted == "4XX"
        } else {
            !emitted.ends_with("XX")
        }
    };
    Some(parts.filter(is_covered).collect())
}
