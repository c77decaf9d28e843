//! Finds the operation of the contract for a request.

use http::{Method, Uri};
use openapi_dropshot_server::Operation;
use petstore_server::{OPERATIONS, OperationId};

/// The end of the path of a base URL.
const BASE: &str = "v1";

/// Returns the operation; `None` for a page, or for a path that does not exist.
pub(crate) fn of(method: &Method, uri: &Uri) -> Option<OperationId> {
    // Empty segments are ignored, as the service does.
    let mut segments = uri.path().split('/').filter(|segment| !segment.is_empty());
    if segments.next() != Some(BASE) {
        return None;
    }
    let segments: Vec<&str> = segments.collect();
    let is_for = |operation: &&Operation| {
        let words = operation.path.split('/').skip(1);
        operation.method == method.as_str()
            && words.clone().count() == segments.len()
            && words
                .zip(&segments)
                .all(|(word, segment)| word.starts_with('{') || word == *segment)
    };
    // `/pets/first` takes precedence over `/pets/{petId}`.
    let operation = OPERATIONS
        .iter()
        .filter(is_for)
        .min_by_key(|operation| operation.path.matches('{').count())?;
    Some(OperationId::ALL[operation.index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_by_method_and_path() {
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
