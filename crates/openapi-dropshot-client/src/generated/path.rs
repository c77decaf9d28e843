//! Inserts the values of path parameters into the path of an operation. A value must stay within its segment; otherwise
//! it could direct the request, and the API key, to another operation.

use super::{Operation, Place};
use progenitor_client::encode_path;

/// The segments that are removed from a URL, some of them with their predecessor (WHATWG URL, sections 4.1 and 4.4).
const DOT_SEGMENTS: [&str; 6] = [".", "..", "%2e", "%2e.", ".%2e", "%2e%2e"];

/// Inserts the value of a parameter, replacing its name in braces.
///
/// # Errors
///
/// Returns an error if the value is empty, because the path would then belong to another operation, such as `/books/` or
/// `/books` instead of `/books/{id}`.
pub(super) fn insert(path: &str, name: &str, value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err(format!(
            "`{name}` is empty, so the path would lead to another operation: set it to a value that is not empty"
        ));
    }
    // In http URLs, a backslash means a slash. The braces of the value are encoded, so that the value is not parsed as
    // the name of another parameter.
    let value = encode_path(value).replace('\\', "%5C");
    Ok(path.replace(&format!("{{{name}}}"), &value))
}

/// Checks a path with inserted values for dot segments: several parameters of one segment can form such a segment
/// together.
///
/// # Errors
///
/// Returns an error if a segment with a parameter is a dot segment.
pub(super) fn check(operation: &Operation, path: &str) -> Result<(), String> {
    // No value contains a slash, so the segments are those of the operation.
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
                "`{}` makes `{segment}` a segment of the path, which would lead to another operation: use another value",
                parameter.name
            ));
        }
    }
    Ok(())
}
