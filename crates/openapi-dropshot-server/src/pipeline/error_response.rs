//! Creates every error response: the error body that the document defines, with the headers that belong to the error.

use crate::state::{
    ServerError, State,
    error::{INTERNAL, StateError},
};
use dropshot::Body;
use http::{
    HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};
use openapi_dropshot_types::{Condition, Contract, Operation, Rejection};
use std::{borrow::Cow, mem};

/// Why the pipeline ends a request, with the headers that the rejecting step adds.
#[derive(Debug)]
pub(super) struct ErrorResponse {
    reason: Reason,
    headers: Vec<(HeaderName, HeaderValue)>,
}

#[derive(Debug)]
enum Reason {
    /// The pipeline rejects the request; the response has the form that the document defines.
    Condition {
        condition: Condition,
        message: Cow<'static, str>,
        /// Only logged.
        detail: Option<String>,
    },
    /// The handler, or the parser of its parameters, rejects the request.
    Rejection(Box<Rejection>),
}

impl ErrorResponse {
    /// Rejects a request with a message that says what to do.
    pub(super) fn new(condition: Condition, message: impl Into<Cow<'static, str>>) -> Self {
        ErrorResponse {
            reason: Reason::Condition {
                condition,
                message: message.into(),
                detail: None,
            },
            headers: Vec::new(),
        }
    }

    /// Creates an internal error of the service; the detail is only logged.
    pub(super) fn internal(detail: impl Into<String>) -> Self {
        ErrorResponse {
            reason: Reason::Condition {
                condition: Condition::Internal,
                message: INTERNAL.into(),
                detail: Some(detail.into()),
            },
            headers: Vec::new(),
        }
    }

    /// The state of the service failed. Logs the reason.
    pub(super) fn of_state(error: StateError, request_id: &str) -> Self {
        let (condition, message) = error.report(request_id);
        ErrorResponse::new(condition, message)
    }

    /// Whether the path or the resource does not exist.
    pub(super) fn is_not_found(&self) -> bool {
        self.is_one_of(&[Condition::NotFound])
    }

    /// Whether the credential is not valid, or does not allow this operation.
    pub(super) fn is_denial(&self) -> bool {
        self.is_one_of(&[Condition::Unauthorized, Condition::InsufficientScope])
    }

    fn is_one_of(&self, conditions: &[Condition]) -> bool {
        matches!(&self.reason, Reason::Condition { condition, .. } if conditions.contains(condition))
    }

    /// Creates the response 405 for a path that exists with other methods.
    pub(super) fn method_not_allowed(method: &Method, allowed: &[&str]) -> Self {
        let allowed = allowed.join(", ");
        let method: Cow<'_, str> = match method.as_str() {
            long if long.len() > 20 => "this method".into(),
            short => format!("`{short}`").into(),
        };
        let message = format!("{method} is not possible on this path; use {allowed}");
        let error = ErrorResponse::new(Condition::MethodNotAllowed, message);
        match HeaderValue::try_from(allowed) {
            Ok(allowed) => error.with(ALLOW, allowed),
            Err(_) => error,
        }
    }

    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Converts this into a rejection with a code of the document.
    pub(super) fn rejection<C: Contract>(self) -> Rejection {
        let mut rejection = match self.reason {
            Reason::Rejection(rejection) => *rejection,
            Reason::Condition {
                condition,
                message,
                detail,
            } => Rejection {
                detail,
                ..C::reject(condition, message)
            },
        };
        truncate(&mut rejection.message);
        rejection
    }

    /// Returns the code of the error and the response. The service may define the form of its body; otherwise it is the
    /// form that the document defines for the operation, if it is known. The detail is only logged.
    pub(super) fn into_response<C: Contract, S: State>(
        mut self,
        operation: Option<&'static Operation>,
        request_id: &str,
    ) -> (&'static str, Response<Body>) {
        let own_headers = mem::take(&mut self.headers);
        let rejection = self.rejection::<C>();
        let error = rejection.error;
        if let Some(detail) = &rejection.detail {
            tracing::error!(request_id, code = %error.code, "{detail}");
        }
        let own = S::error_body(&ServerError {
            entry: error,
            message: &rejection.message,
            operation,
            request_id,
        });
        let (body, media_type) = match own.filter(|_| rejection.body.is_none()) {
            Some(own) => {
                let media_type = own.media_type;
                (own.into_bytes(), media_type)
            }
            None => C::error_content(operation, &rejection, request_id),
        };
        let is_empty = body.is_empty();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() =
            StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if !is_empty {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        match error.status {
            // The rest of the body belongs to this request and must not be parsed as the next one.
            408 | 413 => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            503 => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            // Waiting does not resolve other conflicts.
            409 if error.code == Condition::Conflict.built_in().code => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        headers.extend(rejection.headers.into_iter().flat_map(|own| *own));
        headers.extend(own_headers);
        (error.code, response)
    }
}

impl From<Rejection> for ErrorResponse {
    fn from(rejection: Rejection) -> Self {
        ErrorResponse {
            reason: Reason::Rejection(Box::new(rejection)),
            headers: Vec::new(),
        }
    }
}

/// The highest number of characters of a message. It is enough for every message of this crate; but a message may repeat a
/// value, which can be as long as the body.
const LONGEST_MESSAGE: usize = 512;

fn truncate(message: &mut Cow<'static, str>) {
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        let message = message.to_mut();
        message.truncate(end);
        message.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::{TestContract, TestState};

    fn response(error: ErrorResponse) -> Response<Body> {
        error.into_response::<TestContract, TestState>(None, "id").1
    }

    #[test]
    fn every_error_condition_has_the_status_of_the_contract_and_a_json_body() {
        for &condition in Condition::ALL {
            let response = response(ErrorResponse::new(condition, "why"));
            let status = response.status().as_u16();
            assert_eq!(status, TestContract::error(condition).status);
            assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
            assert_eq!(
                response.headers().contains_key(RETRY_AFTER),
                condition == Condition::Conflict || status == 503
            );
            assert_eq!(
                response.headers().contains_key(CONNECTION),
                status == 408 || status == 413
            );
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_cut() {
        let error = ErrorResponse::new(Condition::InvalidRequest, "ü".repeat(900_000));
        let message = error.rejection::<TestContract>().message;
        assert_eq!(message.chars().count(), LONGEST_MESSAGE + 1);
        assert!(message.ends_with('…'));
    }
}
