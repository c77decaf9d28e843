//! Reads unions by their discriminator or by the alternative that matches best, and properties that may be absent or `null`.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::Value;

/// Reads a union. `read` gets the value of the property that names the alternative, and the whole value.
///
/// ```
/// use openapi_dropshot_client::generated::{by_tag, json_value, unknown_tag};
///
/// #[derive(Debug, PartialEq)]
/// enum Size {
///     Plain(serde_json::Value),
/// }
///
/// let read = |text: &str| {
///     by_tag(&mut serde_json::Deserializer::from_str(text), "kind", |tag, value| match tag {
///         "plain" => json_value(value).map(Size::Plain),
///         _ => Err(unknown_tag("`kind` must be one of `plain`")),
///     })
/// };
/// assert!(read(r#"{"kind":"plain"}"#).is_ok());
/// assert!(read(r#"{"kind":"round"}"#).is_err());
/// ```
///
/// # Errors
///
/// Returns an error if the value has no such property, if the property is not a string, or if `read` fails.
pub fn by_tag<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    property: &str,
    read: impl FnOnce(&str, Value) -> serde_json::Result<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let Some(tag) = value
        .get(property)
        .and_then(Value::as_str)
        .map(str::to_owned)
    else {
        return Err(D::Error::custom(format!(
            "must have a string `{property}`, which names the alternative"
        )));
    };
    read(&tag, value).map_err(D::Error::custom)
}

/// Writes an alternative, and adds the property that names it if the alternative does not have this property.
///
/// ```
/// use openapi_dropshot_client::generated::with_tag;
/// use serde_json::{json, value::Serializer};
///
/// let written = with_tag(&json!({"name": "a"}), "kind", "plain", Serializer);
/// assert_eq!(written.ok(), Some(json!({"name": "a", "kind": "plain"})));
/// ```
///
/// # Errors
///
/// Returns an error if the alternative cannot be written.
pub fn with_tag<S: Serializer>(
    alternative: &impl Serialize,
    property: &str,
    tag: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(alternative).map_err(serde::ser::Error::custom)?;
    if let Value::Object(members) = &mut value {
        let member = members.entry(property).or_insert(Value::Null);
        if member.is_null() {
            *member = tag.into();
        }
    }
    value.serialize(serializer)
}

/// Reads a union without a discriminator. Selects the alternative that keeps the largest part of the value; if several
/// alternatives keep as much, selects the first of them.
///
/// ```
/// use openapi_dropshot_client::generated::{closest, json_value};
/// use std::collections::BTreeMap;
///
/// #[derive(Debug, PartialEq, serde::Serialize)]
/// #[serde(untagged)]
/// enum Count {
///     Number(u64),
///     Any(BTreeMap<String, u64>),
/// }
///
/// let read = |text: &str| {
///     closest(&mut serde_json::Deserializer::from_str(text), &[
///         |value| json_value(value).map(Count::Number),
///         |value| json_value(value).map(Count::Any),
///     ])
/// };
/// assert_eq!(read("7").unwrap(), Count::Number(7));
/// assert!(read("null").is_err());
/// ```
///
/// # Errors
///
/// Returns an error if no alternative accepts the value.
pub fn closest<'de, T: Serialize, D: Deserializer<'de>>(
    deserializer: D,
    alternatives: &[fn(Value) -> serde_json::Result<T>],
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let mut closest = None;
    for read in alternatives {
        let Ok(read) = read(value.clone()) else {
            continue;
        };
        let written = serde_json::to_value(&read).unwrap_or_default();
        let lost = lost_parts(&value, &written);
        if closest.as_ref().is_none_or(|(least, _)| lost < *least) {
            closest = Some((lost, read));
        }
        if lost == 0 {
            break;
        }
    }
    let closest = closest.map(|(_, read)| read);
    closest.ok_or_else(|| D::Error::custom("is none of the alternatives"))
}

/// Returns how many parts of a value are missing after it was read and written again.
fn lost_parts(value: &Value, written: &Value) -> usize {
    match (value, written) {
        (Value::Object(members), Value::Object(others)) => {
            let lost = members.iter().map(|(name, member)| {
                let other = others.get(name);
                other.map_or(1, |other| lost_parts(member, other))
            });
            lost.sum()
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            let lost = items.iter().zip(others);
            lost.map(|(item, other)| lost_parts(item, other)).sum()
        }
        _ => usize::from(value != written),
    }
}

/// Reads an alternative.
///
/// # Errors
///
/// Returns an error if the value does not match the document.
pub fn json_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// Returns the error for a value that names no alternative of the document.
pub fn unknown_tag(message: &str) -> serde_json::Error {
    serde_json::Error::custom(message)
}

/// Reads a property that is present, even if its value is `null`.
///
/// # Errors
///
/// Returns an error if the value does not match the document.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}
