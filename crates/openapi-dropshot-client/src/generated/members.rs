//! Reads unions by their discriminator, and members that may be absent or `null`.

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::Value;

/// Reads a union: `read` gets the value of the property that names the alternative, and the whole value.
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
/// The value has no such property, the property is not a string, or `read` fails.
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

/// Reads an alternative.
///
/// # Errors
///
/// The value is not what the document says.
pub fn json_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// The error of a value that names no alternative of the document.
pub fn unknown_tag(message: &str) -> serde_json::Error {
    serde_json::Error::custom(message)
}

/// Reads a member that is there, `null` included.
///
/// # Errors
///
/// The value is not what the document says.
pub fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}
