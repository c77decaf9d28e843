//! Writes values as the text of parameters in a path, a query or a header, and
//! decides whether a text is valid.

use super::super::{instances::Instances, validators::Validators};
use anyhow::Result;
use openapi_dropshot_contract::model::{Parameter, ParameterIn};
use serde_json::{Number, Value};

/// How many texts are tried of one parameter.
const MOST: usize = 60;

/// The types that a text can have.
const ANY: &[&str] = &["integer", "number", "boolean", "string"];

/// Texts that look like values.
const LOOKALIKES: &[&str] = &[
    "007", "+5", "-0", " 5", "5 ", "0x5", "5.0", "abc", "True", "1e3", "null", "NaN",
];

/// A valid text for a parameter, where one was found.
pub(super) fn valid(validators: &Validators, parameter: &Parameter) -> Option<String> {
    let plain = validators
        .root()
        .pointer(&parameter.schema.as_ref()?.at.pointer)?;
    text(&Instances::new(validators.root()).valid(plain)?)
}

/// Texts for a parameter, each with whether it is valid.
pub(super) fn of(validators: &Validators, parameter: &Parameter) -> Result<Vec<(String, bool)>> {
    let Some(schema) = &parameter.schema else {
        return Ok(Vec::new());
    };
    let Some(plain) = validators.root().pointer(&schema.at.pointer) else {
        return Ok(Vec::new());
    };
    let validator = validators.of(schema)?;
    let kind = keyword(validators.root(), plain, "type").and_then(Value::as_str);
    // Of alternatives any may be the type.
    let kinds = kind.map_or_else(|| ANY.to_vec(), |kind| vec![kind]);
    let mut texts: Vec<String> = Instances::new(validators.root())
        .of(plain)
        .iter()
        .filter_map(text)
        .collect();
    texts.extend(LOOKALIKES.iter().map(|text| (*text).to_owned()));
    let mut texts_with_validity: Vec<(String, bool)> = Vec::new();
    for text in texts {
        if texts_with_validity.iter().any(|(known, _)| *known == text) {
            continue;
        }
        let reads = kinds.iter().filter_map(|kind| read(kind, &text));
        let is_valid = reads.into_iter().any(|value| validator.is_valid(&value));
        texts_with_validity.push((text, is_valid));
    }
    texts_with_validity.truncate(MOST);
    Ok(texts_with_validity)
}

/// The default of a parameter, as text.
pub(super) fn default(validators: &Validators, parameter: &Parameter) -> Option<String> {
    let plain = validators
        .root()
        .pointer(&parameter.schema.as_ref()?.at.pointer)?;
    text(keyword(validators.root(), plain, "default")?)
}

/// A keyword of a schema, or of the one behind it.
fn keyword<'d>(root: &'d Value, schema: &'d Value, name: &str) -> Option<&'d Value> {
    let mut schema = schema;
    for _ in 0..100 {
        if let Some(value) = schema.get(name) {
            return Some(value);
        }
        schema = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => root.pointer(reference.strip_prefix('#')?)?,
            None => schema.get("allOf")?.as_array()?.first()?,
        };
    }
    None
}

/// How a value is written in a request.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value that a text stands for: numbers have one spelling, that of JSON.
fn read(kind: &str, text: &str) -> Option<Value> {
    match kind {
        "integer" => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0";
            serde_json::from_str::<Number>(text)
                .ok()
                .filter(|_| plain)
                .map(Value::Number)
        }
        "number" => serde_json::from_str::<Number>(text)
            .ok()
            .filter(|_| text.trim() == text)
            .map(Value::Number),
        "boolean" => text.parse().ok().map(Value::Bool),
        _ => Some(Value::from(text)),
    }
}

/// Whether a text can stand there at all, whatever the document says.
pub(super) fn can_be_sent(location: ParameterIn, text: &str) -> bool {
    match location {
        ParameterIn::Path => !text.is_empty() && !text.contains('/') && text != "." && text != "..",
        ParameterIn::Query => true,
        ParameterIn::Header => {
            !text.is_empty()
                && text.trim() == text
                && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        }
        ParameterIn::Cookie => false,
    }
}

/// A text for a path or a query: everything but letters and digits escaped.
pub(super) fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
