//! Describes the operations of a document, for code that runs before and after
//! their handlers.

use crate::{ErrorEntry, Security};

/// One operation of a document.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Operation {
    /// The index among the operations of the document, from 0.
    pub index: usize,
    /// `operationId`
    pub name: &'static str,
    /// The method, in capitals.
    pub method: &'static str,
    /// The path template, relative to the base path, such as `/things/{id}`.
    pub path: &'static str,
    /// `x-stability-level`
    pub stability: Stability,
    /// The credentials that the operation requires.
    pub security: Security,
    /// The media type of the request body, or several media types separated by commas, in which case
    /// the handler parses the body itself; `None` if the operation has no body.
    /// `Contract::OPTIONAL_BODIES` lists the operations whose body is optional.
    pub request_body: Option<&'static str>,
    /// The success status; 0 if the handler chooses it.
    pub success: u16,
    /// The errors that the document lists for the operation. For a document without an error
    /// catalogue, these are the exact statuses that it lists, without `4XX`, `5XX` and `default`.
    pub errors: &'static [&'static ErrorEntry],
    /// `None` unless the operation is deprecated and the document says since when, until when, and
    /// what replaces it.
    pub deprecation: Option<Deprecation>,
}

/// The limits of one operation: `x-limits` of the document, or a setting of the service.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OperationLimits {
    /// The largest size of a body.
    pub body_bytes: Option<u32>,
    /// Seconds that a request may run after its body was read.
    pub deadline_seconds: Option<u32>,
    /// How many requests run at the same time in one server.
    pub concurrency: Option<u32>,
    /// How many requests one call counts as for the rate limit.
    pub cost: Option<u32>,
}

impl OperationLimits {
    /// No limits in addition to those of all operations.
    pub const NONE: OperationLimits = OperationLimits {
        body_bytes: None,
        deadline_seconds: None,
        concurrency: None,
        cost: None,
    };

    /// Returns, for each limit, the stricter one of the two.
    #[must_use]
    pub fn and(self, other: OperationLimits) -> OperationLimits {
        let least = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
        OperationLimits {
            body_bytes: least(self.body_bytes, other.body_bytes),
            deadline_seconds: least(self.deadline_seconds, other.deadline_seconds),
            concurrency: least(self.concurrency, other.concurrency),
            cost: self.cost.max(other.cost),
        }
    }
}

/// Whether a media type is JSON (RFC 6839, section 3.1).
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let ending = essence.rfind('+').and_then(|at| essence.get(at..));
    essence.eq_ignore_ascii_case("application/json")
        || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("+json"))
}

/// `x-stability-level`, lowest first.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Stability {
    /// The operation may change or be removed at any time.
    Experimental,
    /// The operation may change after an announcement.
    Beta,
    /// The operation does not change incompatibly before its sunset.
    Stable,
}

/// When an operation was deprecated and when it will be removed, also as values of response
/// headers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Deprecation {
    /// The date of the deprecation, in seconds since 1970-01-01T00:00:00Z; `i64::MIN` if the
    /// document does not say.
    pub since: i64,
    /// The date of the removal, in seconds since 1970-01-01T00:00:00Z.
    pub sunset: i64,
    /// The replacement that the caller should use, as a sentence fragment.
    pub note: &'static str,
    /// The value of `Deprecation` (RFC 9745); empty if the document does not contain a date.
    pub deprecation_header: &'static str,
    /// The value of `Sunset` (RFC 8594).
    pub sunset_header: &'static str,
    /// The value of the header `Link` that refers to the successor (RFC 8288), relative to the
    /// request; empty if the operation has no successor.
    pub link_header: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_media_types_of_json_are_recognised() {
        for (media_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/merge-patch+json", true),
            ("application/octet-stream", false),
            ("application/x-www-form-urlencoded", false),
            ("application/jsonx", false),
            ("image/*", false),
        ] {
            assert_eq!(is_json(media_type), expected, "{media_type}");
        }
    }
}
