//! Translates the schemas of a document from OpenAPI 3.0 to JSON Schema, for the crate
//! `jsonschema`, which decides whether a value is valid independently of the reader
//! and the generator. The draft is 4, in which `1.0` is not an integer; for a document of
//! OpenAPI 3.1 as it is written, the draft is 2020-12.

use super::formats::FORMATS;
use anyhow::{Context, Result, anyhow};
use jsonschema::{Draft, Keyword, ValidationError, Validator, paths::Location};
use openapi_dropshot_contract::model;
use serde_json::{Map, Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

/// How deep values are nested.
pub(super) const DEEPEST: [usize; 4] = [5, 9, 14, 22];

/// The pattern of UUIDs (RFC 9562, section 4); draft 4 has no such format.
const UUID: &str = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/// The pattern of padded base64 (RFC 4648, section 4).
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/// The keyword for a pattern that is valid in the legacy syntax of ECMA-262 alone, such as
/// `[\w-.]`, which `jsonschema` does not know.
const LEGACY_PATTERN: &str = "x-legacy-pattern";

/// The bounds that the formats of integers imply.
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

/// The schemas of one document.
pub(crate) struct Schemas {
    /// The document as plain JSON.
    pub(super) document: Value,
    /// Whether the document is of OpenAPI 3.1, and was not rewritten.
    is_newer: bool,
    /// The component schemas, translated.
    components: Value,
    /// The schemas that were built, by their translated text: parameters often share one.
    built: RefCell<BTreeMap<String, Rc<Schema>>>,
}

/// A translated schema. The module `instances` makes values from it.
pub(crate) struct Schema {
    /// The schema, with the components to which it refers.
    pub(super) root: Value,
    /// How deep values are nested that are made from it.
    pub(super) deepest: Cell<usize>,
    validator: Validator,
}

impl Schemas {
    /// Translates the component schemas of a document, given as plain JSON.
    pub(crate) fn new(document: Value) -> Self {
        let components = document.pointer("/components/schemas");
        let version = document.get("openapi").and_then(Value::as_str);
        let is_newer = version.is_some_and(|version| !version.starts_with("3.0."));
        let members = match is_newer {
            true => newer_members,
            false => translated_members,
        };
        Schemas {
            is_newer,
            components: components.map_or_else(|| json!({}), members),
            document,
            built: RefCell::default(),
        }
    }

    /// Returns a schema of the document in translated form.
    pub(crate) fn of(&self, schema: Option<&model::Schema>) -> Result<Option<Rc<Schema>>> {
        schema.map(|schema| self.at(&schema.at.pointer)).transpose()
    }

    /// Returns the translated schema at a JSON pointer of the document.
    pub(super) fn at(&self, pointer: &str) -> Result<Rc<Schema>> {
        let schema = self.document.pointer(pointer);
        let schema = schema.with_context(|| format!("there is nothing at {pointer}"))?;
        self.build(schema)
            .with_context(|| format!("the schema at {pointer} is not valid JSON Schema"))
    }

    /// Translates a schema of the document, given as plain JSON.
    pub(super) fn build(&self, schema: &Value) -> Result<Rc<Schema>> {
        let (translated, draft) = match self.is_newer {
            true => (newer(schema), Draft::Draft202012),
            false => (translated(schema), Draft::Draft4),
        };
        let key = translated.to_string();
        if let Some(known) = self.built.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let root = json!({ "components": { "schemas": self.components }, "allOf": [translated] });
        let validator = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .with_keyword(LEGACY_PATTERN, legacy_pattern)
            .build(&root)
            .map_err(|error| anyhow!("{error}"))?;
        let schema = Rc::new(Schema {
            root,
            deepest: Cell::new(DEEPEST[0]),
            validator,
        });
        self.built.borrow_mut().insert(key, Rc::clone(&schema));
        Ok(schema)
    }
}

impl Schema {
    /// Returns whether a value is valid.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// Translates a schema to JSON Schema draft 4, which ignores keywords that it does not know.
fn translated(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        // `additionalProperties` may be a boolean.
        return schema.clone();
    };
    if let Some(reference) = members.get("$ref") {
        return json!({ "$ref": reference });
    }
    let mut result = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            "items" | "additionalProperties" | "not" => translated(value),
            "properties" => translated_members(value),
            "allOf" => array(value).iter().map(translated).collect(),
            "oneOf" | "anyOf" => {
                let parts = array(value).iter();
                parts.map(|part| alternative(members, part)).collect()
            }
            // Formats that the generator does not check restrict nothing.
            "format" if !FORMATS.iter().any(|(format, _)| value == format) => continue,
            // Draft 4 forbids an exclusive bound without the bound itself, and an empty list.
            "exclusiveMinimum" if !members.contains_key("minimum") => continue,
            "exclusiveMaximum" if !members.contains_key("maximum") => continue,
            "required" if array(value).is_empty() => continue,
            "pattern" if is_legacy_pattern(value) => {
                result.insert(LEGACY_PATTERN.to_owned(), value.clone());
                continue;
            }
            _ => value.clone(),
        };
        result.insert(keyword.clone(), value);
    }
    let mut result = Value::Object(result);
    if let Some(implied) = implied(members) {
        result = json!({ "allOf": [result, implied] });
    }
    if members.get("nullable") == Some(&Value::Bool(true)) {
        result = json!({ "anyOf": [result, { "type": "null" }] });
    }
    result
}

/// Whether a pattern is not valid with the flag `u`. The reader and the generator then take it
/// without the flag.
fn is_legacy_pattern(pattern: &Value) -> bool {
    let is_valid = |text: &str| regress::Regex::with_flags(text, "u").is_ok();
    pattern.as_str().is_some_and(|text| !is_valid(text))
}

/// A pattern of the legacy syntax.
struct LegacyPattern(regress::Regex);

impl<'i> Keyword<'i> for LegacyPattern {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(value) {
            true => Ok(()),
            false => Err(ValidationError::custom(
                "the text does not match the pattern",
            )),
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        value
            .as_str()
            .is_none_or(|text| self.0.find(text).is_some())
    }
}

fn legacy_pattern<'a>(
    _: &'a Map<String, Value>,
    pattern: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    match regress::Regex::new(pattern.as_str().unwrap_or_default()) {
        Ok(regex) => Ok(Box::new(LegacyPattern(regex))),
        Err(error) => Err(ValidationError::custom(error.to_string())),
    }
}

/// Translates a schema of OpenAPI 3.1, which is JSON Schema 2020-12: what its formats mean is
/// added.
fn newer(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let mut result = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                newer_members(value)
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => array(value).iter().map(newer).collect(),
            "items"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems" => newer(value),
            "format" if !FORMATS.iter().any(|(format, _)| value == format) => continue,
            "pattern" if is_legacy_pattern(value) => {
                result.insert(LEGACY_PATTERN.to_owned(), value.clone());
                continue;
            }
            _ => value.clone(),
        };
        result.insert(keyword.clone(), value);
    }
    let implied = implied_newer(members);
    let mut result = Value::Object(result);
    if !implied.is_empty() {
        // Beside each other, so that `unevaluatedProperties` sees the same members.
        let all = result.get("allOf").map_or(&[][..], array);
        let all: Vec<Value> = all.iter().cloned().chain(implied).collect();
        result["allOf"] = all.into();
    }
    result
}

/// Translates the schemas of OpenAPI 3.1 that are the members of an object.
fn newer_members(schemas: &Value) -> Value {
    let members = schemas.as_object().into_iter().flatten();
    let translated = members.map(|(name, schema)| (name.clone(), newer(schema)));
    Value::Object(translated.collect())
}

/// Returns the rules that the types, the format and the encoding of a schema of OpenAPI 3.1
/// imply. They concern values of one type only.
fn implied_newer(schema: &Map<String, Value>) -> Vec<Value> {
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    let format = schema.get("format");
    let is_of_integers = format.is_some_and(|own| INTEGERS.iter().any(|(name, ..)| own == name));
    let has_several = kinds.iter().filter(|kind| *kind != "null").count() > 1;
    let mut rules: Vec<Value> = Vec::new();
    for kind in kinds {
        let mut single = schema.clone();
        single.insert("type".to_owned(), kind.clone());
        if format.is_none() && schema.get("contentEncoding") == Some(&json!("base64")) {
            single.insert("format".to_owned(), json!("byte"));
        }
        // The format of strings says nothing about the integers beside them.
        if kind == "integer" && has_several && !is_of_integers {
            single.remove("format");
        }
        // An integer is a number, too, if the list has both.
        let is_number = kind == "integer" && kinds.iter().any(|kind| kind == "number");
        if let Some(rule) = implied(&single).filter(|_| !is_number && is_of(kind, &single)) {
            rules.push(json!({ "if": { "type": kind }, "then": rule }));
        }
    }
    rules
}

/// Returns whether a type has the format beside it.
fn is_of(kind: &Value, schema: &Map<String, Value>) -> bool {
    let format = schema.get("format");
    kind == "integer" || (kind == "string" && format.is_some())
}

/// Translates the schemas that are the members of an object.
fn translated_members(schemas: &Value) -> Value {
    let members = schemas.as_object().into_iter().flatten();
    let translated = members.map(|(name, schema)| (name.clone(), translated(schema)));
    Value::Object(translated.collect())
}

/// Returns the rules that the type and the format of a schema imply.
fn implied(schema: &Map<String, Value>) -> Option<Value> {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    match (text("type"), text("format")) {
        (Some("integer"), format) => {
            let format = format.unwrap_or("int64");
            let (_, least, greatest) = INTEGERS.iter().find(|(name, ..)| *name == format)?;
            Some(json!({ "minimum": least, "maximum": greatest }))
        }
        (_, Some("uuid")) => Some(json!({ "pattern": UUID })),
        (_, Some("byte")) => Some(json!({ "pattern": BASE64 })),
        (_, Some("ip")) => Some(json!({ "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] })),
        _ => None,
    }
}

/// Translates an alternative of a schema. If the schema has a discriminator, its property
/// contains one of the names that the mapping gives to the alternative, or the name of
/// the alternative itself (OpenAPI 3.0.3, section 4.7.25).
fn alternative(schema: &Map<String, Value>, part: &Value) -> Value {
    let discriminator = schema.get("discriminator");
    let property = discriminator.and_then(|own| own.get("propertyName")?.as_str());
    let reference = part.get("$ref").and_then(Value::as_str);
    let (Some(property), Some(reference)) = (property, reference) else {
        return translated(part);
    };
    let own = reference.rsplit('/').next().unwrap_or_default();
    let mapping = discriminator.and_then(|own| own.get("mapping")?.as_object());
    let mut names: Vec<&str> = (mapping.into_iter().flatten())
        .filter(|(_, target)| *target == reference || *target == own)
        .map(|(name, _)| name.as_str())
        .collect();
    if !names.contains(&own) {
        names.push(own);
    }
    // The order matters: values are made from the first schema of the property.
    let name = json!({ "required": [property], "properties": { property: { "enum": names } } });
    json!({ "allOf": [name, translated(part)] })
}

/// Returns the items of an array; none if the value is not an array.
fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
