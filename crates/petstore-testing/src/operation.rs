//! Finds the operation of the contract that a request is for.

use http::{Method, Uri};
use openapi_dropshot_server::Operation;
use petstore_server::{OPERATIONS, OperationId};

/// The end of the path of a base address.
const BASE: &str = "v1";

/// The operation; `None` for a page, or an address that does not exist.
pub(crate) fn of(method: &Method, uri: &Uri) -> Option<OperationId> {
    // As the service does: empty segments do not count.
    let mut segments = uri.path().split('/').filter(|segment| !segment.is_empty());
    if segments.next() != Some(BASE) {
        return None;
    }
    let segments: Vec<&str> = segments.collect();
    OPERATIONS
        .iter()
        .filter(|operation| operation.method == method.as_str())
        .filter_map(|operation| {
            Some((
                fixed_words(operation, &segments)?,
                OperationId::ALL[operation.index],
            ))
        })
        // `/pets/first` before `/pets/{petId}`.
        .max_by_key(|(fixed, _)| *fixed)
        .map(|(_, id)| id)
}

/// How many segments are words of the operation's path and no variables; none
/// where they do not match.
fn fixed_words(operation: &Operation, segments: &[&str]) -> Option<usize> {
    let words: Vec<&str> = operation.path.split('/').skip(1).collect();
    let is_variable = |word: &str| word.starts_with('{');
    let same = |(word, segment): (&&str, &&str)| is_variable(word) || word == segment;
    let matches = words.len() == segments.len() && words.iter().zip(segments).all(same);
    matches.then(|| words.iter().filter(|word| !is_variable(word)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_for_the_operation_with_its_method_and_path() {
        for (method, uri, expected) in [
            (Method::GET, "/v1/pets?limit=5", Some(OperationId::ListPets)),
            (Method::POST, "/v1/pets", Some(OperationId::CreatePet)),
            (Method::GET, "//v1//pets/5/", Some(OperationId::GetPet)),
            (Method::GET, "/pets", None),
            (Method::DELETE, "/v1/pets", None),
            (Method::GET, "/v1/pets/5/toys", None),
            (Method::GET, "/docs", None),
        ] {
            assert_eq!(
                of(&method, &Uri::from_static(uri)),
                expected,
                "{method} {uri}"
            );
        }
    }
}
