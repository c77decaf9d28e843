//! Inserts the values of path parameters into the path of an operation. A value stays in its segment: otherwise it could
//! lead the request, and the API key, to another operation.

use super::{Operation, Place};
use progenitor_client::encode_path;

/// The segments that are removed from a URL, one with its predecessor (WHATWG URL, sections 4.1 and 4.4).
const DOT_SEGMENTS: [&str; 6] = [".", "..", "%2e", "%2e.", ".%2e", "%2e%2e"];

/// Inserts the value of a parameter in place of its name in braces.
///
/// # Errors
///
/// The value is empty: the path would be that of another operation, such as `/books/` or `/books` of `/books/{id}`.
pub(super) fn insert(path: &str, name: &str, value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err(format!(
            "`{name}` is empty, so that the path would lead to another operation: give it a value"
        ));
    }
    // A URL of http takes a backslash for a slash. The braces of the value are encoded, so that it is not taken for
    // the place of another parameter.
    let value = encode_path(value).replace('\\', "%5C");
    Ok(path.replace(&format!("{{{name}}}"), &value))
}

/// Checks a path, whose values were inserted, for dot segments: parameters of one segment can make one together.
///
/// # Errors
///
/// There is one that has a parameter.
pub(super) fn check(operation: &Operation, path: &str) -> Result<(), String> {
    // No value has a slash, so that the segments are those of the operation.
    for (template, segment) in operation.path.split('/').zip(path.split('/')) {
        let is_dots = |dots: &&str| dots.eq_ignore_ascii_case(segment);
        if !DOT_SEGMENTS.iter().any(is_dots) {
            continue;
        }
        let mut parameters = operation.parameters.iter();
        let culprit = parameters.find(|parameter| {
            let place = format!("{{{}}}", parameter.name);
            parameter.place == Place::Path && template.contains(&place)
        });
        if let Some(parameter) = culprit {
            return Err(format!(
                "`{}` makes `{segment}` a segment of the path, which would lead to another operation: give it another value",
                parameter.name
            ));
        }
    }
    Ok(())
}
