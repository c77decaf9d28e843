//! Prepares the schemas of a document (JSON Schema 2020-12) for the crate `jsonschema`, which decides whether a value is valid
//! independently of the reader and the generator. The effect of formats is added, and `1.0` does not count as an integer.

use super::formats::FORMATS;
use anyhow::{Context, Result, anyhow};
use jsonschema::{Draft, Keyword, ValidationError, Validator, paths::Location};
use openapi_dropshot_contract::{holds_schemas_by_name, model};
use serde_json::{Map, Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    net::IpAddr,
    rc::Rc,
};

/// How deeply the created values may be nested. A greater depth is tried only if no valid value was found.
pub(super) const DEEPEST: [usize; 4] = [5, 9, 14, 22];

/// The pattern of UUIDs (RFC 9562, section 4).
const UUID: &str = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/// The pattern of padded base64 (RFC 4648, section 4).
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/// The keyword for patterns, which `regress` checks as in the generated types. The library of `jsonschema` supports neither the legacy
/// syntax of ECMA-262, such as `[\w-.]`, nor many repetitions, such as `.{0,100000}`.
pub(super) const PATTERN: &str = "x-pattern";

/// The keyword for integers with their bounds. Integers are written without a fraction.
const INTEGER: &str = "x-integer";

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
    /// The component schemas, translated.
    components: Map<String, Value>,
    /// The schemas that were already built, by their translated text, because parameters often share a schema.
    built: RefCell<BTreeMap<String, Rc<Schema>>>,
}

/// A translated schema. The module `instances` makes values from it.
pub(crate) struct Schema {
    /// The schema, with the components to which it refers.
    pub(super) root: Value,
    /// How deeply the values that are created from it are nested.
    pub(super) deepest: Cell<usize>,
    validator: Validator,
}

impl Schemas {
    /// Translates the component schemas of a document, given as plain JSON.
    pub(crate) fn new(document: Value) -> Self {
        let components = document.pointer("/components/schemas");
        Schemas {
            components: components.map_or_else(Map::new, translated_members),
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
        let translated = translated(schema);
        let key = translated.to_string();
        if let Some(known) = self.built.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        // Only the referenced components are added, because a validator copies them.
        let components = model::referenced_schemas([&translated], &self.components);
        let root = json!({ "components": { "schemas": components }, "allOf": [translated] });
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_keyword(PATTERN, pattern)
            .with_keyword(INTEGER, |_, bounds, _| {
                let bounds: Vec<i128> = array(bounds).iter().filter_map(whole).collect();
                let is_integer = move |value: &Value| match whole(value) {
                    Some(value) => bounds.is_empty() || (bounds[0]..=bounds[1]).contains(&value),
                    None => !value.is_number(),
                };
                Ok(Box::new(Condition(
                    is_integer,
                    "this is not an integer of the format",
                )))
            })
            .with_format("uuid", |text: &str| matches(UUID, text))
            .with_format("byte", |text: &str| matches(BASE64, text))
            .with_format("ip", |text: &str| text.parse::<IpAddr>().is_ok())
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
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// Returns the value of a number that is written without a fraction.
pub(super) fn whole(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

fn matches(pattern: &str, text: &str) -> bool {
    regress::Regex::new(pattern).is_ok_and(|regex| regex.find(text).is_some())
}

/// A custom keyword: a condition, and the message for a value that violates it.
struct Condition<F>(F, &'static str);

impl<'i, F: Fn(&Value) -> bool + Send + Sync> Keyword<'i> for Condition<F> {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(value) {
            true => Ok(()),
            false => Err(ValidationError::custom(self.1)),
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        self.0(value)
    }
}

/// Checks a pattern as the generated types do.
fn pattern<'a>(
    _: &'a Map<String, Value>,
    pattern: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let pattern = pattern.as_str().unwrap_or_default();
    let flags = model::pattern_flags(pattern).map_err(ValidationError::custom)?;
    let regex = regress::Regex::with_flags(pattern, flags);
    let regex = regex.map_err(|error| ValidationError::custom(error.to_string()))?;
    let has_form =
        move |value: &Value| value.as_str().is_none_or(|text| regex.find(text).is_some());
    Ok(Box::new(Condition(
        has_form,
        "the text does not match the pattern",
    )))
}

/// Translates a schema: adds the effect of its formats and its discriminator.
fn translated(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let mut result = Map::new();
    for (keyword, value) in members {
        let value = match (holds_schemas_by_name(keyword), keyword.as_str()) {
            (Some(true), _) => translated_members(value).into(),
            (Some(false), "oneOf" | "anyOf") => {
                let parts = array(value).iter();
                parts.map(|part| alternative(members, part)).collect()
            }
            (Some(false), _) if value.is_array() => array(value).iter().map(translated).collect(),
            (Some(false), _) => translated(value),
            // Formats that the generator does not check are ignored.
            (None, "format") if !FORMATS.iter().any(|(format, _)| value == format) => continue,
            (None, "pattern") => {
                result.insert(PATTERN.to_owned(), value.clone());
                continue;
            }
            _ => value.clone(),
        };
        result.insert(keyword.clone(), value);
    }
    if members.get("contentEncoding") == Some(&json!("base64")) {
        result.entry("format").or_insert_with(|| json!("byte"));
    }
    if let Some(bounds) = integers(members) {
        result.insert(INTEGER.to_owned(), bounds);
    }
    result.into()
}

/// Returns the types of a schema.
fn kinds(schema: &Map<String, Value>) -> &[Value] {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds,
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    }
}

/// Returns the bounds that the format implies for the integers of a schema; `None` if it allows no integers, or all numbers. A
/// string format does not restrict integers.
fn integers(schema: &Map<String, Value>) -> Option<Value> {
    let kinds = kinds(schema);
    let has = |name: &str| kinds.iter().any(|kind| kind == name);
    if !has("integer") || has("number") {
        return None;
    }
    let bounds = |format: &str| {
        let bounds = INTEGERS.iter().find(|(name, ..)| *name == format);
        bounds.map(|(_, least, greatest)| json!([least, greatest]))
    };
    let format = schema.get("format").and_then(Value::as_str);
    let own = bounds(format.unwrap_or("int64"));
    let has_several = kinds.iter().filter(|kind| *kind != "null").count() > 1;
    let others = || if has_several { bounds("int64") } else { None };
    Some(own.or_else(others).unwrap_or_else(|| json!([])))
}

/// Translates the schemas in the members of an object.
fn translated_members(schemas: &Value) -> Map<String, Value> {
    let members = schemas.as_object().into_iter().flatten();
    members
        .map(|(name, schema)| (name.clone(), translated(schema)))
        .collect()
}

/// Translates an alternative of a schema. If the schema has a discriminator, its property contains one of the names that the
/// mapping gives to the alternative or, without a mapping, the name of the component. (A service always accepts the name of the
/// component, OpenAPI 3.0.3, section 4.7.25, but may write another name.)
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
    if names.is_empty() {
        names.push(own);
    }
    // The order matters, because values are created from the first schema of the property.
    let name = json!({ "required": [property], "properties": { property: { "enum": names } } });
    json!({ "allOf": [name, translated(part)] })
}

/// Returns the items of an array; none if the value is not an array.
fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
