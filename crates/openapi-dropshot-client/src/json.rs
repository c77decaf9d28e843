//! Parses JSON. Errors name the property that does not match the document.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Number, Value};

/// Parses a JSON body. A byte order mark at its beginning is skipped (RFC 8259, section 8.1), and an integer may be written
/// as `1.0`.
///
/// ```
/// use openapi_dropshot_client::generated::json_body;
///
/// assert_eq!(json_body::<Vec<i64>>("\u{feff}[1.0, 2]".as_bytes()).unwrap(), [1, 2]);
/// let error = json_body::<Vec<i64>>(b"[1, true]").unwrap_err();
/// assert_eq!(error.to_string(), "a value of another type at `[1]` (line 1, column 8)");
/// ```
///
/// # Errors
///
/// Returns an error that names the property if the body does not match the document.
pub fn json_body<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let error = match serde_json::from_slice(body) {
        Err(error) if error.is_data() => error,
        other => return other,
    };
    // The body is parsed again to find the property.
    let mut value: Value = serde_json::from_slice(body)?;
    let is_changed = make_whole(&mut value);
    match serde_path_to_error::deserialize(value) {
        Ok(value) if is_changed => Ok(value),
        Ok(_) => Err(error),
        Err(reason) => Err(serde_json::Error::custom(described(&error, &reason))),
    }
}

/// Describes why a body could not be parsed, without repeating a part of it. The messages of serde would repeat values.
fn described(
    error: &serde_json::Error,
    reason: &serde_path_to_error::Error<serde_json::Error>,
) -> String {
    let place = match reason.path().to_string().as_str() {
        "." => String::new(),
        place => format!(" at `{place}`"),
    };
    let text = reason.inner().to_string();
    if text.starts_with("missing field") {
        return format!("{text}{place}");
    }
    let (line, column) = (error.line(), error.column());
    format!("a value of another type{place} (line {line}, column {column})")
}

/// Converts numbers without a fraction to integers. Returns whether any number was converted.
fn make_whole(value: &mut Value) -> bool {
    let any = |is_changed: bool, value: &mut Value| make_whole(value) | is_changed;
    match value {
        Value::Array(items) => items.iter_mut().fold(false, any),
        Value::Object(members) => members.values_mut().fold(false, any),
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            let whole = float.filter(|it| it.fract() == 0.0 && it.abs() <= MOST_EXACT);
            if let Some(whole) = whole {
                *number = Number::from(whole as i64);
            }
            whole.is_some()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Up to this size, `f64` can represent every integer.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;
