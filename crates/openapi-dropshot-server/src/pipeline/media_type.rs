//! Rejects a body with 415 if its `Content-Type` is not one that the operation accepts.

use super::error_response::ErrorResponse;
use http::{
    HeaderMap,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use openapi_dropshot_types::{Condition, Operation};

/// Compares `Content-Type` with the media types of the operation. If the operation has no body, any
/// type is accepted.
pub(super) fn check(operation: &Operation, headers: &HeaderMap) -> Result<(), ErrorResponse> {
    let Some(expected) = operation.request_body else {
        return Ok(());
    };
    let reject = |found: &str| {
        let expected = expected.replace(", ", "` or `");
        let message = format!("the body must be `{expected}`, {found}");
        Err(ErrorResponse::new(Condition::UnsupportedMediaType, message))
    };
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return reject("but there is no `Content-Type`"),
        (Some(_), Some(_)) => return reject("found more than one `Content-Type`"),
        (Some(value), None) => value.to_str().unwrap_or("(not readable)"),
    };
    let mut parts = value.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default();
    if !expected
        .split(", ")
        .any(|expected| is_of(media_type, expected))
    {
        return reject(&format!("found `{}`", shortened(media_type)));
    }
    if let Some(charset) = parts.find_map(charset)
        && !charset.eq_ignore_ascii_case("utf-8")
    {
        return reject(&format!(
            "in UTF-8, found the charset `{}`",
            shortened(charset)
        ));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            reject("without a `Content-Encoding`, because the service does not decompress bodies")
        }
        _ => Ok(()),
    }
}

/// Whether a media type equals the expected one or matches the expected range (`image/*`, `*/*`).
fn is_of(media_type: &str, expected: &str) -> bool {
    match expected.strip_suffix('*') {
        Some("*/") => true,
        Some(kind) => media_type
            .get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind)),
        None => media_type.eq_ignore_ascii_case(expected),
    }
}

fn charset(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.eq_ignore_ascii_case("charset")
        .then(|| value.trim_matches('"'))
}

/// Returns the beginning of a header value, short enough for a message.
fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(64)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
