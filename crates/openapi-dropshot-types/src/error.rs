//! Describes the errors of a document, and error responses.

use crate::operation::is_json;
use http::HeaderMap;
use serde::{Serialize, Serializer as _};
use serde_json::Value;
use std::{borrow::Cow, fmt};

/// One entry of an error catalogue.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ErrorEntry {
    /// The code for programs, such as `not_found`.
    pub code: &'static str,
    /// The HTTP status that belongs to the code.
    pub status: u16,
    /// Why the error happens.
    pub cause: &'static str,
    /// What the caller can do about it.
    pub remedy: &'static str,
}

/// An error response.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rejection {
    /// The entry of the catalogue. It determines the status.
    pub error: &'static ErrorEntry,
    /// The message for the caller.
    pub message: Cow<'static, str>,
    /// A detail that is logged but not sent to the caller.
    pub detail: Option<String>,
    /// A body that the operation itself created, in a document without an error catalogue.
    /// `Value::Null` means a response without a body.
    pub body: Option<Value>,
    /// The media type of that body; `None` for `application/json`.
    pub media_type: Option<&'static str>,
    /// The headers that the document declares for the response.
    pub headers: Option<Box<HeaderMap>>,
}

impl Rejection {
    /// Creates a rejection with a message that says what to change.
    pub fn new(error: &'static ErrorEntry, message: impl Into<Cow<'static, str>>) -> Self {
        Rejection {
            error,
            message: message.into(),
            detail: None,
            body: None,
            media_type: None,
            headers: None,
        }
    }

    /// Creates a rejection because of an internal error of the service. The detail is only logged.
    pub fn internal(error: &'static ErrorEntry, detail: impl Into<String>) -> Self {
        Rejection {
            detail: Some(detail.into()),
            ..Rejection::new(
                error,
                "internal error of the service; report the `x-request-id` of this response",
            )
        }
    }

    /// Creates a rejection with a body that an operation created, for documents without an error
    /// catalogue. If the body is `null`, the response has no body.
    pub fn with_body(status: u16, body: &impl Serialize) -> Self {
        let error = ErrorEntry::of_status(status);
        match serde_json::to_value(body) {
            Ok(body) => Rejection {
                body: Some(body),
                ..Rejection::new(error, format!("the operation responded with {status}"))
            },
            Err(problem) => Rejection::internal(
                Condition::Internal.built_in(),
                format!(
                    "the body of a response with {status} cannot be written as JSON: {problem}"
                ),
            ),
        }
    }
}

impl Rejection {
    /// Returns the same rejection with another media type for its body, such as
    /// `application/problem+json`.
    #[must_use]
    pub fn with_media_type(mut self, media_type: &'static str) -> Self {
        self.media_type = Some(media_type);
        self
    }

    /// Returns the same rejection with headers. A value that no header can have, such as a text with
    /// a line break, is an internal error of the service.
    #[cfg(feature = "dropshot")]
    #[must_use]
    pub fn with_headers<H>(self, headers: &H) -> Self
    where
        H: Clone + schemars::JsonSchema + Serialize + Send + Sync + 'static,
    {
        let empty = dropshot::HttpResponseUpdatedNoContent();
        let written = dropshot::HttpResponseHeaders::new(empty, headers.clone());
        match dropshot::HttpResponse::to_result(written) {
            Ok(response) => Rejection {
                headers: Some(Box::new(response.into_parts().0.headers)),
                ..self
            },
            Err(problem) => Rejection::internal(
                Condition::Internal.built_in(),
                format!(
                    "the headers of a response with {} cannot be sent: {}",
                    self.error.status, problem.internal_message
                ),
            ),
        }
    }

    /// Whether the body is JSON according to its media type.
    fn is_json(&self) -> bool {
        self.media_type.is_none_or(is_json)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error.code, self.message)
    }
}

impl std::error::Error for Rejection {}

/// Creates [`Condition`] and the built-in entries from one table, in the order of their statuses.
macro_rules! conditions {
    ($($name:ident $code:literal $status:literal $cause:literal $remedy:literal;)+) => {
        /// The reasons for which a server can reject a request independently of the operation.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Condition {
            $(
                #[doc = concat!("`", $code, "`, status ", $status, ".")]
                $name,
            )+
        }

        impl Condition {
            /// All conditions, in the order of their statuses.
            pub const ALL: &'static [Condition] = &[$(Condition::$name),+];
        }

        /// The entry of each condition, in the order of [`Condition::ALL`].
        static BUILT_IN: [ErrorEntry; Condition::ALL.len()] = [$(ErrorEntry {
            code: $code,
            status: $status,
            cause: $cause,
            remedy: $remedy,
        }),+];
    };
}

conditions! {
    InvalidRequest "invalid_request" 400
        "A parameter or the body breaks a rule of the document."
        "Change what `message` names; the same request fails again.";
    Unauthorized "unauthorized" 401
        "The credential is missing, malformed, unknown, revoked or expired."
        "Send a valid credential in the `Authorization` header.";
    InsufficientScope "insufficient_scope" 403
        "The credential does not have the scope that the operation requires."
        "Use a credential with the scope that `message` names.";
    NotFound "not_found" 404
        "The path or the resource does not exist."
        "Check the address and the identifiers in it.";
    MethodNotAllowed "method_not_allowed" 405
        "The path exists, but does not support this method."
        "Use one of the methods in the `Allow` header.";
    RequestTimeout "request_timeout" 408
        "The request arrived too slowly."
        "Send the body without pauses, over a better connection or in smaller parts.";
    Conflict "conflict" 409
        "The request conflicts with the state of the resource or with another request."
        "Read the resource again, then decide whether to repeat the request.";
    OperationRemoved "operation_removed" 410
        "The operation was deprecated, and its removal date has passed."
        "Use the replacement that the documentation names.";
    PayloadTooLarge "payload_too_large" 413
        "The body is larger than the service accepts."
        "Send a smaller body.";
    UnsupportedMediaType "unsupported_media_type" 415
        "The service does not accept the media type of the body."
        "Send the body with the media type that the documentation names.";
    IdempotencyKeyReused "idempotency_key_reused" 422
        "The `Idempotency-Key` was used before, with another body or for another operation."
        "Make a new key for each new request; to repeat a request, send the same body.";
    RateLimited "rate_limited" 429
        "The caller has used up its share of requests."
        "Wait as many seconds as `Retry-After` says.";
    Internal "internal_error" 500
        "The service had an internal error."
        "Report it with the `x-request-id` of the response.";
    Overloaded "overloaded" 503
        "The service has too much to do; the request was not started."
        "Wait as many seconds as `Retry-After` says, then send the request again.";
    Unavailable "unavailable" 503
        "The service cannot reach its storage, or the deadline passed; the request may have taken effect."
        "Wait as many seconds as `Retry-After` says, then check whether the request took effect before you repeat it.";
}

impl Condition {
    /// Returns the condition for which the server sends this code, if the server itself sends it.
    pub fn with_code(code: &str) -> Option<Self> {
        let mut conditions = Condition::ALL.iter().copied();
        conditions.find(|condition| condition.built_in().code == code)
    }

    /// Returns the built-in entry, which is used if a document has no entry for the condition.
    pub const fn built_in(self) -> &'static ErrorEntry {
        &BUILT_IN[self as usize]
    }

    /// Returns the entry of a catalogue for this condition: the entry with the same code; if there
    /// is none, the first entry with the same status; otherwise the built-in one.
    pub fn entry_in(self, catalogue: &'static [ErrorEntry]) -> &'static ErrorEntry {
        let built_in = self.built_in();
        catalogue
            .iter()
            .find(|entry| entry.code == built_in.code)
            .or_else(|| {
                catalogue
                    .iter()
                    .find(|entry| entry.status == built_in.status)
            })
            .unwrap_or(built_in)
    }
}

/// The lowest error status.
const FIRST_STATUS: u16 = 400;

/// The built-in entry for each error status.
static BY_STATUS: [ErrorEntry; 200] = {
    let mut entries = [BUILT_IN[Condition::Internal as usize]; 200];
    let mut place = 0;
    while place < entries.len() {
        entries[place] = entry_for(FIRST_STATUS + place as u16);
        place += 1;
    }
    entries
};

const fn entry_for(status: u16) -> ErrorEntry {
    let condition = match status {
        400 => Condition::InvalidRequest,
        401 => Condition::Unauthorized,
        404 => Condition::NotFound,
        405 => Condition::MethodNotAllowed,
        408 => Condition::RequestTimeout,
        409 => Condition::Conflict,
        413 => Condition::PayloadTooLarge,
        415 => Condition::UnsupportedMediaType,
        429 => Condition::RateLimited,
        500 => Condition::Internal,
        503 => Condition::Unavailable,
        other => {
            return ErrorEntry {
                code: code_of_status(other),
                status,
                cause: "The response has no other explanation than its status.",
                remedy: "Read `message`.",
            };
        }
    };
    BUILT_IN[condition as usize]
}

/// Returns the name of a status (IANA's registry of HTTP status codes) in the form of a code.
const fn code_of_status(status: u16) -> &'static str {
    match status {
        402 => "payment_required",
        403 => "forbidden",
        406 => "not_acceptable",
        407 => "proxy_authentication_required",
        410 => "gone",
        411 => "length_required",
        412 => "precondition_failed",
        414 => "uri_too_long",
        416 => "range_not_satisfiable",
        417 => "expectation_failed",
        418 => "teapot",
        421 => "misdirected_request",
        422 => "unprocessable_content",
        423 => "locked",
        424 => "failed_dependency",
        425 => "too_early",
        426 => "upgrade_required",
        428 => "precondition_required",
        431 => "request_header_fields_too_large",
        451 => "unavailable_for_legal_reasons",
        501 => "not_implemented",
        502 => "bad_gateway",
        504 => "gateway_timeout",
        505 => "http_version_not_supported",
        506 => "variant_also_negotiates",
        507 => "insufficient_storage",
        508 => "loop_detected",
        510 => "not_extended",
        511 => "network_authentication_required",
        400..=499 => "client_error",
        _ => "server_error",
    }
}

impl ErrorEntry {
    /// Returns the built-in entry for a status, for documents without an error catalogue. A status
    /// that is not an error status counts as 500.
    pub const fn of_status(status: u16) -> &'static ErrorEntry {
        let place = status.wrapping_sub(FIRST_STATUS) as usize;
        if place < BY_STATUS.len() {
            &BY_STATUS[place]
        } else {
            Condition::Internal.built_in()
        }
    }
}

/// The content of a property of an error body.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ErrorMember {
    /// The code of the catalogue entry, as a string.
    Code,
    /// The message, as a string.
    Message,
    /// The HTTP status, as a number.
    Status,
    /// The id of the request, as a string.
    RequestId,
}

/// The body that the document defines for errors of an operation, if it differs from the body of
/// other errors. Errors that no handler creates have this body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ErrorShape {
    /// The name of the operation.
    pub operation: &'static str,
    /// The lowest and the highest status of these errors. If several shapes include a status, the
    /// first of them applies.
    pub statuses: (u16, u16),
    /// The media type. If it is not JSON, the body consists only of the message.
    pub media_type: &'static str,
    /// The properties of the body that the server can write.
    pub members: &'static [(&'static str, ErrorMember)],
}

#[cfg(feature = "dropshot")]
impl ErrorShape {
    /// Returns the shape of an error of an operation, if the operation has its own shape for it.
    pub(crate) fn of(
        shapes: &'static [Self],
        operation: &str,
        status: u16,
    ) -> Option<&'static Self> {
        shapes.iter().find(|shape| {
            let (first, last) = shape.statuses;
            shape.operation == operation && (first..=last).contains(&status)
        })
    }
}

/// Writes the body of a rejection with these properties, as JSON.
#[cfg_attr(
    not(feature = "dropshot"),
    allow(dead_code, reason = "only `Contract` calls it")
)]
pub(crate) fn body(
    members: &[(&str, ErrorMember)],
    media_type: &str,
    rejection: &Rejection,
    request_id: &str,
) -> Vec<u8> {
    match &rejection.body {
        None => {}
        Some(Value::Null) => return Vec::new(),
        Some(Value::String(text)) if !rejection.is_json() => return text.clone().into_bytes(),
        Some(Value::Object(own)) => {
            let mut own = own.clone();
            for (name, member) in members {
                if *member == ErrorMember::RequestId {
                    own.insert((*name).to_owned(), Value::from(request_id));
                }
            }
            return Value::Object(own).to_string().into_bytes();
        }
        Some(other) => return other.to_string().into_bytes(),
    }
    let Rejection { error, message, .. } = rejection;
    if !is_json(media_type) {
        return message.as_bytes().to_vec();
    }
    let mut body = Vec::new();
    let values = member_values(members, error.code, error.status, message, request_id);
    serde_json::Serializer::new(&mut body)
        .collect_map(values)
        .expect("strings and a number can always be written as JSON");
    body
}

/// Returns the entry of a catalogue for a status: the first entry with this status; if there is
/// none, the entry for a request that breaks a rule or for an internal error of the service.
#[cfg_attr(
    not(feature = "dropshot"),
    allow(dead_code, reason = "only error enums call it")
)]
pub(crate) fn entry_of_status(
    catalogue: &'static [ErrorEntry],
    status: u16,
) -> &'static ErrorEntry {
    let condition = match status {
        400..=499 => Condition::InvalidRequest,
        _ => Condition::Internal,
    };
    catalogue
        .iter()
        .find(|entry| entry.status == status)
        .unwrap_or_else(|| condition.entry_in(catalogue))
}

/// Returns the properties of an error body with their values, in the order of the document.
pub(crate) fn member_values<'a>(
    members: &'a [(&'a str, ErrorMember)],
    code: &'a str,
    status: u16,
    message: &'a str,
    request_id: &'a str,
) -> impl Iterator<Item = (&'a str, Value)> {
    members.iter().map(move |(name, member)| {
        let value = match member {
            ErrorMember::Code => Value::from(code),
            ErrorMember::Message => Value::from(message),
            ErrorMember::Status => Value::from(status),
            ErrorMember::RequestId => Value::from(request_id),
        };
        (*name, value)
    })
}

#[cfg(test)]
mod tests;
