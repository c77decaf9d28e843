//! The bodies that a service creates for the errors of the server, and the check of these bodies against the document.

use super::State;
use openapi_dropshot_types::{Condition, Contract, ErrorEntry, Operation, Security, is_json};
use serde_json::{Value, json};
use std::{ptr, slice};

/// An error for which no handler created a body, as [`State::error_body`] gets it: either the server rejected the request, or
/// a handler returned a code of the document's error catalogue.
#[derive(Clone, Copy, Debug)]
pub struct ServerError<'a> {
    /// The code and the status, with the cause and the remedy in words: those of the document's error catalogue, if it has
    /// one.
    pub entry: &'static ErrorEntry,
    /// Why this request was rejected, and what to change.
    pub message: &'a str,
    /// The operation; `None` if the path or its method does not exist, or if the request was rejected before the operation was
    /// known.
    pub operation: Option<&'static Operation>,
    /// The id of the request, which is also in the header `x-request-id`.
    pub request_id: &'a str,
}

/// The body of an error, which [`State::error_body`] returns.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBody {
    pub(crate) media_type: &'static str,
    pub(crate) content: Value,
}

impl ErrorBody {
    /// Creates a body of the type `application/json`.
    #[must_use]
    pub fn json(content: Value) -> Self {
        ErrorBody {
            media_type: "application/json",
            content,
        }
    }

    /// Creates problem details (RFC 9457): `type`, `title`, `status`, `detail` and `instance`, with the additional property
    /// `code`. The `instance` is the id of the request as a URN.
    #[must_use]
    pub fn problem_details(error: &ServerError<'_>) -> Self {
        let status = http::StatusCode::from_u16(error.entry.status).ok();
        let title = status.and_then(|status| status.canonical_reason());
        let content = json!({
            "type": "about:blank",
            "title": title.unwrap_or("Error"),
            "status": error.entry.status,
            "detail": error.message,
            "instance": format!("urn:uuid:{}", error.request_id),
            "code": error.entry.code,
        });
        ErrorBody::json(content).with_media_type("application/problem+json")
    }

    /// Returns the same body with another media type. If the media type is not JSON, the content must be a string.
    #[must_use]
    pub fn with_media_type(self, media_type: &'static str) -> Self {
        ErrorBody { media_type, ..self }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.content {
            Value::String(text) if !is_json(self.media_type) => text.into_bytes(),
            content => content.to_string().into_bytes(),
        }
    }
}

/// A body that the document does not allow for an error.
pub(crate) struct NotAllowed {
    pub(crate) operation: &'static str,
    pub(crate) status: u16,
    /// What the document requires.
    pub(crate) reason: String,
}

/// Checks that the document allows the bodies that the service creates for the errors with which the server itself can
/// respond: the media type, the types of values, required properties, and listed values.
///
/// # Errors
///
/// Returns the first body that the document does not allow.
pub(crate) fn check<C: Contract, S: State>() -> Result<(), NotAllowed> {
    let mut parsed = None;
    for operation in C::OPERATIONS {
        for entry in conditions(operation).map(C::error) {
            let body = S::error_body(&ServerError {
                entry,
                message: "An example.",
                operation: Some(operation),
                request_id: "00000000-0000-4000-8000-000000000000",
            });
            let Some(body) = body else { continue };
            let document = parsed.get_or_insert_with(|| {
                serde_json::from_str(C::DOCUMENT_JSON).unwrap_or(Value::Null)
            });
            if let Some(reason) = not_allowed(document, operation, entry.status, &body) {
                return Err(NotAllowed {
                    operation: operation.name,
                    status: entry.status,
                    reason,
                });
            }
        }
    }
    Ok(())
}

/// Returns the conditions for which the server rejects requests of an operation.
fn conditions(operation: &Operation) -> impl Iterator<Item = Condition> {
    let is_secured = operation.security != Security::NONE;
    let has_body = operation.request_body.is_some();
    let is_deprecated = operation.deprecation.is_some();
    let all = Condition::ALL.iter().copied();
    all.filter(move |condition| match condition {
        Condition::Unauthorized | Condition::InsufficientScope | Condition::RateLimited => {
            is_secured
        }
        Condition::RequestTimeout
        | Condition::PayloadTooLarge
        | Condition::UnsupportedMediaType => has_body,
        Condition::OperationRemoved => is_deprecated,
        Condition::InvalidRequest
        | Condition::Internal
        | Condition::Overloaded
        | Condition::Unavailable => true,
        Condition::NotFound
        | Condition::MethodNotAllowed
        | Condition::Conflict
        | Condition::IdempotencyKeyReused => false,
    })
}

/// Returns why the document does not allow the body of an error; `None` if it allows the body or does not describe it.
fn not_allowed(
    document: &Value,
    operation: &Operation,
    status: u16,
    body: &ErrorBody,
) -> Option<String> {
    let path = resolved(document, document.get("paths")?.get(operation.path)?);
    let method = operation.method.to_ascii_lowercase();
    let responses = path.get(&method)?.get("responses")?;
    let mut keys = [
        status.to_string(),
        format!("{}XX", status / 100),
        "default".to_owned(),
    ]
    .into_iter();
    let response = resolved(document, keys.find_map(|key| responses.get(key))?);
    let content = response.get("content")?.as_object()?;
    let Some(media) = content.get(body.media_type) else {
        let listed: Vec<String> = content.keys().map(|name| format!("`{name}`")).collect();
        let (own, listed) = (body.media_type, listed.join(" and "));
        return Some(format!(
            "its media type is `{own}`, and the document lists {listed}"
        ));
    };
    mismatch(document, media.get("schema")?, &body.content, "")
}

/// Returns the target of a reference of the document.
fn resolved<'d>(document: &'d Value, part: &'d Value) -> &'d Value {
    let target = part["$ref"].as_str();
    let target = target.and_then(|target| document.pointer(target.strip_prefix('#')?));
    target.unwrap_or(part)
}

/// Returns the first difference between a schema and a value; `at` is the place of the value in the body.
fn mismatch(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let list = |name: &str| schema[name].as_array().map_or(&[][..], Vec::as_slice);
    let part = |part: &Value| mismatch(document, part, value, at);
    let target = schema.get("$ref").map(|_| resolved(document, schema));
    let target = target.filter(|target| !ptr::eq(*target, schema));
    if let Some(reason) = target.into_iter().chain(list("allOf")).find_map(part) {
        return Some(reason);
    }
    for alternatives in ["anyOf", "oneOf"] {
        // `None` if the value matches one of the alternatives.
        let reasons: Option<Vec<String>> = list(alternatives).iter().map(part).collect();
        if let Some(reason) = reasons.and_then(|reasons| reasons.into_iter().next()) {
            return Some(reason);
        }
    }
    let place = if at.is_empty() { "the body" } else { at };
    let types = match &schema["type"] {
        Value::Array(types) => types.as_slice(),
        Value::Null => &[],
        only => slice::from_ref(only),
    };
    let is_null = value.is_null() && schema["nullable"] == true;
    if !types.is_empty() && !is_null && !types.iter().any(|name| is_of_type(value, name)) {
        let types: Vec<String> = types.iter().map(Value::to_string).collect();
        let types = types.join(" or ");
        return Some(format!(
            "{place} is {value}, and the document requires the type {types}"
        ));
    }
    let is_listed = schema["enum"]
        .as_array()
        .is_none_or(|all| all.contains(value))
        && schema.get("const").is_none_or(|only| only == value);
    if !is_listed {
        return Some(format!(
            "{place} is {value}, which the document does not list"
        ));
    }
    let members = value.as_object()?;
    let required = list("required").iter().filter_map(Value::as_str);
    let mut absent = required.filter(|name| !members.contains_key(*name));
    if let Some(name) = absent.next() {
        return Some(format!("{place} has no `{name}`, which is required"));
    }
    members.iter().find_map(|(name, value)| {
        let at = format!("{at}/{name}");
        match schema["properties"].get(name) {
            Some(schema) => mismatch(document, schema, value, &at),
            None if schema["additionalProperties"] == false => {
                Some(format!("the document has no property {at}"))
            }
            None => None,
        }
    })
}

/// Whether a value has a type of JSON Schema.
fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => true,
    }
}
