//! Handles deprecated operations: adds their headers to responses, including errors, and rejects
//! requests with 410 from the removal date on, if the setting `sunset` is `enforce`.

use super::error_response::ErrorResponse;
use crate::{clock::Clock, config::SunsetPolicy};
use chrono::DateTime;
use http::{HeaderMap, HeaderName, HeaderValue, header::LINK};
use openapi_dropshot_types::{Condition, Operation};

/// RFC 9745
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// RFC 8594
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The number of header fields that are added here and by the pipeline to each response.
const FIELDS: usize = 6;

/// The headers of each operation, by index. They are checked once, not for each response.
pub(super) struct Announcements(Vec<Option<[HeaderValue; 3]>>);

impl Announcements {
    pub(super) fn new(operations: &[Operation]) -> Self {
        let headers = |operation: &Operation| {
            let deprecation = operation.deprecation?;
            Some([
                HeaderValue::from_static(deprecation.deprecation_header),
                HeaderValue::from_static(deprecation.sunset_header),
                HeaderValue::from_static(deprecation.link_header),
            ])
        };
        Announcements(operations.iter().map(headers).collect())
    }

    /// Adds the headers. An existing `Link` header is kept in addition to the new one.
    pub(super) fn announce(&self, operation: Option<&Operation>, headers: &mut HeaderMap) {
        let values = operation.and_then(|operation| self.0.get(operation.index)?.as_ref());
        if let Some([deprecation, sunset, link]) = values {
            // With these headers, most responses have more fields than a header map initially has
            // room for.
            headers.reserve(FIELDS);
            // The document may have no deprecation date and no successor.
            if !deprecation.is_empty() {
                headers.insert(DEPRECATION, deprecation.clone());
            }
            headers.insert(SUNSET, sunset.clone());
            if !link.is_empty() {
                headers.append(LINK, link.clone());
            }
        }
    }
}

/// Rejects the request with 410 if the operation was removed.
pub(super) fn check_sunset(
    operation: &Operation,
    policy: SunsetPolicy,
    clock: &dyn Clock,
) -> Result<(), ErrorResponse> {
    let Some(deprecation) = &operation.deprecation else {
        return Ok(());
    };
    if policy == SunsetPolicy::Announce || clock.now().timestamp() < deprecation.sunset {
        return Ok(());
    }
    let Operation { method, path, .. } = operation;
    let day = DateTime::from_timestamp(deprecation.sunset, 0)
        .map_or_else(String::new, |day| day.format(" on %-d %B %Y").to_string());
    let note = deprecation.note;
    let message = format!("`{method} {path}` was removed{day}; {note}");
    Err(ErrorResponse::new(Condition::OperationRemoved, message))
}

#[cfg(test)]
mod tests;
