//! Adds the headers of a deprecated operation to its responses, on success and on error alike.

use http::{HeaderMap, HeaderName, HeaderValue, header::LINK};
use openapi_dropshot_types::Operation;

/// RFC 9745
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// RFC 8594
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Adds the headers; a `Link` that is there already stays beside the new one.
pub(super) fn announce(operation: Option<&Operation>, headers: &mut HeaderMap) {
    let Some(deprecation) = operation.and_then(|operation| operation.deprecation) else {
        return;
    };
    headers.insert(
        DEPRECATION,
        HeaderValue::from_static(deprecation.deprecation_header),
    );
    headers.insert(SUNSET, HeaderValue::from_static(deprecation.sunset_header));
    headers.append(LINK, HeaderValue::from_static(deprecation.link_header));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::OPERATIONS;

    #[test]
    fn a_link_to_the_next_page_stays_beside_the_one_to_the_successor() {
        let deprecated = OPERATIONS
            .iter()
            .find(|operation| operation.deprecation.is_some());
        let mut headers = HeaderMap::new();
        headers.insert(LINK, HeaderValue::from_static("<?cursor=x>; rel=\"next\""));
        announce(deprecated, &mut headers);
        let added = usize::from(deprecated.is_some());
        assert_eq!(headers.get_all(LINK).iter().count(), 1 + added);
        assert_eq!(headers.len(), 1 + 3 * added);
    }

    #[test]
    fn other_operations_say_nothing() {
        let mut headers = HeaderMap::new();
        for operation in OPERATIONS
            .iter()
            .filter(|operation| operation.deprecation.is_none())
        {
            announce(Some(operation), &mut headers);
        }
        announce(None, &mut headers);
        assert!(headers.is_empty());
    }
}
