//! Decides whether a value is valid by the document, independently of the reader and
//! the generator: translates the schemas of OpenAPI 3.0 to JSON Schema draft 4, for
//! the crate `jsonschema`.

use anyhow::{Context, Result};
use jsonschema::{Draft, Validator};
use openapi_dropshot_contract::model::Schema;
use serde_json::{Map, Value, json};
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// The formats that the generator promises to check; others restrict nothing.
const FORMATS: &[&str] = &["date", "date-time", "uuid", "byte", "ip", "ipv4", "ipv6"];

/// The bounds that come with the format of an integer.
const INTEGERS: &[(&str, i64, u64)] = &[
    ("int8", i8::MIN as i64, i8::MAX as u64),
    ("int16", i16::MIN as i64, i16::MAX as u64),
    ("int32", i32::MIN as i64, i32::MAX as u64),
    ("int64", i64::MIN, i64::MAX as u64),
    ("uint8", 0, u8::MAX as u64),
    ("uint16", 0, u16::MAX as u64),
    ("uint32", 0, u32::MAX as u64),
    ("uint64", 0, u64::MAX),
    ("uint", 0, u64::MAX),
];

/// The schemas of one document, for a validator.
pub(super) struct Validators {
    definitions: Value,
    root: Value,
    /// The validators that were made, by what they validators: many parameters have
    /// the same schema.
    made: RefCell<BTreeMap<String, Rc<Validator>>>,
}

impl Validators {
    /// Translates the schemas of a document, given as plain JSON.
    pub(super) fn new(root: Value) -> Self {
        let mut definitions = Map::new();
        if let Some(schemas) = root
            .pointer("/components/schemas")
            .and_then(Value::as_object)
        {
            for (name, schema) in schemas {
                definitions.insert(name.clone(), translated(schema));
            }
        }
        let definitions = Value::Object(definitions);
        Validators {
            definitions,
            root,
            made: RefCell::default(),
        }
    }

    /// The whole document.
    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// A validator of the schema.
    pub(super) fn of(&self, schema: &Schema) -> Result<Rc<Validator>> {
        let found = self.root.pointer(&schema.at.pointer);
        let found = found.with_context(|| format!("there is nothing at {}", schema.at.pointer))?;
        self.of_plain(found)
            .with_context(|| format!("{}: the schema is none by JSON Schema", schema.at))
    }

    /// A validator of a schema of the document, given as plain JSON.
    pub(super) fn of_plain(&self, schema: &Value) -> Result<Rc<Validator>> {
        let translated = translated(schema);
        let key = translated.to_string();
        if let Some(known) = self.made.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let whole = json!({ "definitions": self.definitions, "allOf": [translated] });
        let validator = jsonschema::options()
            .with_draft(Draft::Draft4)
            .should_validate_formats(true)
            .with_format("date", known("date"))
            .with_format("date-time", known("date-time"))
            .with_format("uuid", known("uuid"))
            .with_format("byte", is_base64)
            .with_format("ip", |text: &str| text.parse::<std::net::IpAddr>().is_ok())
            .build(&whole)
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        let validator = Rc::new(validator);
        self.made.borrow_mut().insert(key, Rc::clone(&validator));
        Ok(validator)
    }
}

/// The check of a format that later drafts brought.
fn known(format: &str) -> impl Fn(&str) -> bool + Send + Sync + 'static {
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(&json!({ "format": format }));
    move |text: &str| {
        validator
            .as_ref()
            .is_ok_and(|validator| validator.is_valid(&Value::from(text)))
    }
}

/// Base64 of RFC 4648, section 4, padded.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    text.len().is_multiple_of(4)
        && padding <= 2
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// What a discriminator asks of an alternative: one of the names that it has by
/// the mapping, or its own (OpenAPI 3.0.3, section 4.7.25).
fn names_of(members: &Map<String, Value>, part: &Value) -> Option<Value> {
    let property = members
        .get("discriminator")?
        .get("propertyName")?
        .as_str()?;
    let names = discriminator_names(members, part)?;
    let property_names = json!({ (property): { "enum": names } });
    Some(json!({ "required": [property], "properties": property_names }))
}

/// The values of a discriminator that name an alternative, the best one first.
pub(super) fn discriminator_names(
    members: &Map<String, Value>,
    part: &Value,
) -> Option<Vec<String>> {
    let reference = part.get("$ref")?.as_str()?;
    let own = reference.rsplit('/').next()?;
    let mapping = members.get("discriminator")?.get("mapping");
    let mapped = mapping.and_then(Value::as_object).into_iter().flatten();
    let mut names: Vec<String> = mapped
        .filter(|(_, to)| to.as_str().is_some_and(|to| to == reference || to == own))
        .map(|(name, _)| name.clone())
        .collect();
    if !names.iter().any(|name| name == own) {
        names.push(own.to_owned());
    }
    Some(names)
}

/// A schema of OpenAPI 3.0 as one of draft 4.
fn translated(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return json!({ "$ref": format!("#/definitions/{name}") });
    }
    let mut result = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            "type" | "enum" | "multipleOf" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "minLength" | "maxLength" | "pattern" | "minItems"
            | "maxItems" | "uniqueItems" | "required" | "minProperties" | "maxProperties" => {
                value.clone()
            }
            "format"
                if value
                    .as_str()
                    .is_some_and(|format| FORMATS.contains(&format)) =>
            {
                value.clone()
            }
            "items" | "additionalProperties" | "not" => translated(value),
            "properties" => match value.as_object() {
                Some(properties) => properties
                    .iter()
                    .map(|(name, schema)| (name.clone(), translated(schema)))
                    .collect(),
                None => continue,
            },
            "oneOf" | "anyOf" => value
                .as_array()
                .into_iter()
                .flatten()
                .map(|part| match names_of(members, part) {
                    Some(names) => json!({ "allOf": [translated(part), names] }),
                    None => translated(part),
                })
                .collect(),
            "allOf" => value
                .as_array()
                .into_iter()
                .flatten()
                .map(translated)
                .collect(),
            _ => continue,
        };
        result.insert(keyword.clone(), value);
    }
    // An exclusive bound without a bound says nothing, and draft 4 forbids it.
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if !result.contains_key(bound) {
            result.remove(exclusive);
        }
    }
    if result
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(Vec::is_empty)
    {
        result.remove("required");
    }
    let mut result = Value::Object(result);
    if members.get("type").and_then(Value::as_str) == Some("integer") {
        let format = members
            .get("format")
            .and_then(Value::as_str)
            .unwrap_or("int64");
        if let Some((_, least, greatest)) = INTEGERS.iter().find(|(name, ..)| *name == format) {
            result = json!({ "allOf": [result, { "minimum": least, "maximum": greatest }] });
        }
    }
    if members.get("nullable") == Some(&Value::Bool(true)) {
        result = json!({ "anyOf": [result, { "enum": [null] }] });
    }
    result
}
