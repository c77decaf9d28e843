//! Rejects with 415 a body whose `Content-Type` is not that of the operation.

use super::error_response::ErrorResponse;
use http::{
    HeaderMap,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use openapi_dropshot_types::{Condition, Operation};

/// Compares `Content-Type` with the operation's; a body that the operation
/// does not take may be of any type.
pub(super) fn check(operation: &Operation, headers: &HeaderMap) -> Result<(), ErrorResponse> {
    let Some(expected) = operation.request_body else {
        return Ok(());
    };
    let reject = |found: &str| {
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
    if !is_of(media_type, expected) {
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
            reject("without a `Content-Encoding`: the service does not unpack")
        }
        _ => Ok(()),
    }
}

/// Whether a media type is the expected one, or of the expected range (`image/*`, `*/*`).
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

/// As much of a header as a message can bear.
fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(64)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::{OPERATIONS, TestContract};
    use http::{HeaderName, HeaderValue};

    #[test]
    fn a_range_of_media_types_has_those_of_its_kind() {
        for (media_type, expected, is_one) in [
            ("image/png", "image/*", true),
            ("IMAGE/PNG", "image/*", true),
            ("text/plain", "image/*", false),
            ("text/plain", "*/*", true),
            ("Text/Plain", "text/plain", true),
            ("text/csv", "text/plain", false),
        ] {
            assert_eq!(
                is_of(media_type, expected),
                is_one,
                "{media_type} {expected}"
            );
        }
    }

    fn check_headers(headers: &[(HeaderName, &'static str)]) -> Result<(), String> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        let operation = OPERATIONS
            .iter()
            .find(|operation| operation.request_body.is_some())
            .expect("the contract has an operation with a body");
        check(operation, &headers).map_err(|error| {
            let error = error.rejection::<TestContract>();
            assert_eq!(error.error.code, "unsupported_media_type");
            error.message.into_owned()
        })
    }

    #[test]
    fn json_is_accepted_with_the_parameters_that_clients_send() {
        for value in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json ; profile=x",
        ] {
            assert_eq!(check_headers(&[(CONTENT_TYPE, value)]), Ok(()), "{value}");
        }
        let plain = [
            (CONTENT_TYPE, "application/json"),
            (CONTENT_ENCODING, "identity"),
        ];
        assert_eq!(check_headers(&plain), Ok(()));
    }

    #[test]
    fn other_types_are_rejected_and_the_message_names_them() {
        for (value, named) in [
            ("text/plain", "`text/plain`"),
            ("application/jsonx", "`application/jsonx`"),
            ("application/problem+json", "`application/problem+json`"),
            ("", "``"),
            ("application/json; charset=latin1", "`latin1`"),
        ] {
            let message = check_headers(&[(CONTENT_TYPE, value)]).expect_err(value);
            assert!(message.contains(named), "{message}");
        }
        let twice = [
            (CONTENT_TYPE, "application/json"),
            (CONTENT_TYPE, "application/json"),
        ];
        assert!(check_headers(&twice).is_err());
        assert!(check_headers(&[]).is_err());
        let packed = [
            (CONTENT_TYPE, "application/json"),
            (CONTENT_ENCODING, "gzip"),
        ];
        assert!(check_headers(&packed).is_err());
    }

    #[test]
    fn an_operation_without_a_body_does_not_look_at_its_type() {
        let headers =
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/plain"))]);
        for operation in OPERATIONS
            .iter()
            .filter(|operation| operation.request_body.is_none())
        {
            assert!(check(operation, &headers).is_ok());
        }
    }
}
