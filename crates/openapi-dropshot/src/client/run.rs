//! Runs progenitor. Its errors and panics become problems at the operation or the schema that causes them.

use super::{names::Names, prepare::component_name};
use crate::rules;
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Location, Operation, Schema, referenced_names, referenced_schemas},
};
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::{Map, Value};
use std::panic;

/// The code that progenitor makes of the prepared document.
///
/// # Errors
///
/// The operations and schemas that progenitor cannot express.
pub(super) fn run(
    document: &Document,
    names: &Names<'_>,
    prepared: &Value,
) -> Result<syn::File, Vec<Problem>> {
    attempt(prepared).map_err(|reason| find_cause(document, names, prepared, &reason))
}

fn attempt(prepared: &Value) -> Result<syn::File, String> {
    // progenitor and typify panic at input that they do not expect. The earlier checks report all known cases, so that the
    // message of a panic is rarely seen on stderr.
    panic::catch_unwind(|| generate(prepared)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("it gave no reason");
        Err(first_line(message))
    })
}

fn generate(prepared: &Value) -> Result<syn::File, String> {
    let document: openapiv3::OpenAPI =
        serde_json::from_value(prepared.clone()).map_err(|error| error.to_string())?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_tag(TagStyle::Merged)
        .with_map_type("::std::collections::BTreeMap");
    let tokens = Generator::new(&settings)
        .generate_tokens(&document)
        .map_err(|error| first_line(&error.to_string()))?;
    syn::parse2(tokens).map_err(|error| error.to_string())
}

/// Finds the cause: tries each schema alone, then each operation alone.
fn find_cause(
    document: &Document,
    names: &Names<'_>,
    prepared: &Value,
    reason: &str,
) -> Vec<Problem> {
    let no_paths = with_paths(prepared, Map::new());
    let mut problems: Vec<Problem> = if attempt(&no_paths).is_err() {
        let schemas = document.schemas.iter();
        let unsupported_schema = |(name, schema): (&String, &Schema)| {
            let reason = attempt(&with_only_schema(prepared, name)).err()?;
            Some(unsupported(
                &schema.at,
                &format!("the schema `{name}`"),
                &reason,
            ))
        };
        let own = schemas.filter_map(unsupported_schema);
        let in_place = names.values().filter(|named| named.inline);
        let in_place = in_place.filter_map(|named| {
            let name = component_name(&named.name);
            prepared.pointer(&format!("/components/schemas/{name}"))?;
            let reason = attempt(&with_only_schema(prepared, &name)).err()?;
            let what = format!("the body `{}`", named.name);
            Some(unsupported(&named.schema.at, &what, &reason))
        });
        own.chain(in_place).collect()
    } else {
        let unsupported_operation = |operation: &Operation| {
            let path = &operation.path.value;
            let mut item = prepared.get("paths")?.get(path)?.as_object()?.clone();
            item.retain(|name, _| name == "parameters" || name == operation.method.key());
            let item = Value::Object(item);
            let reason = attempt(&with_only_path(prepared, path, item)).err()?;
            let what = format!("the operation {}", operation.label());
            Some(unsupported(&operation.at, &what, &reason))
        };
        document
            .operations
            .iter()
            .filter_map(unsupported_operation)
            .collect()
    };
    if problems.is_empty() {
        problems.push(unsupported(&document.root.at, "the document", reason));
    }
    problems
}

fn unsupported(at: &Location, what: &str, reason: &str) -> Problem {
    rules::CLIENT_UNSUPPORTED.problem(
        at,
        format!("the client generator cannot express {what}: {reason}"),
        "write it with plainer schemas, each with a name of its own in `components.schemas`",
    )
}

fn with_paths(prepared: &Value, paths: Map<String, Value>) -> Value {
    let mut copy = prepared.clone();
    copy["paths"] = Value::Object(paths);
    copy
}

/// The document with one path only, and with the schemas to which that path refers.
fn with_only_path(prepared: &Value, path: &str, item: Value) -> Value {
    let sections = prepared.get("components").and_then(Value::as_object);
    let schemas = sections.and_then(|sections| sections.get("schemas")?.as_object());
    // Parameters, bodies and responses of the components stay.
    let others = sections.into_iter().flatten();
    let others = others.filter(|(section, _)| *section != "schemas");
    let parts = others.map(|(_, section)| section).chain([&item]);
    let kept = schemas.map_or_else(Map::new, |schemas| referenced_schemas(parts, schemas));
    let paths = Map::from_iter([(path.to_owned(), item)]);
    with_schemas(prepared, paths, kept)
}

/// The document with one schema only. Those to which it refers allow anything, so that the references stay valid.
fn with_only_schema(prepared: &Value, name: &str) -> Value {
    let schema = prepared
        .pointer("/components/schemas")
        .and_then(|schemas| schemas.get(name));
    let referred = schema.map(referenced_names).unwrap_or_default();
    let referred = referred
        .into_iter()
        .map(|name| (name, Value::Object(Map::new())));
    let mut kept: Map<String, Value> = referred.collect();
    kept.extend(schema.map(|schema| (name.to_owned(), schema.clone())));
    with_schemas(prepared, Map::new(), kept)
}

fn with_schemas(prepared: &Value, paths: Map<String, Value>, schemas: Map<String, Value>) -> Value {
    let Some(members) = prepared.as_object() else {
        return Value::Null;
    };
    let mut copy = Map::new();
    for (name, member) in members {
        match name.as_str() {
            "paths" | "components" => {}
            _ => {
                copy.insert(name.clone(), member.clone());
            }
        }
    }
    let mut components = Map::new();
    // A schema alone needs nothing else.
    if let Some(Value::Object(sections)) = prepared.get("components").filter(|_| !paths.is_empty())
    {
        let others = sections.iter().filter(|(section, _)| *section != "schemas");
        components.extend(others.map(|(section, others)| (section.clone(), others.clone())));
    }
    components.insert("schemas".to_owned(), Value::Object(schemas));
    copy.insert("paths".to_owned(), Value::Object(paths));
    copy.insert("components".to_owned(), Value::Object(components));
    Value::Object(copy)
}

fn first_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches(['(', '{', ' '])
        .to_owned()
}
