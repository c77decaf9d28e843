//! The error that calls of a service's state return.

use openapi_dropshot_types::{Condition, StateFailure};
use std::borrow::Cow;

/// The reason why a call of the state failed. `Display` shows the message.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct StateError {
    /// The condition: `Overloaded`, `Unavailable` or `Internal`.
    condition: Condition,
    message: Cow<'static, str>,
    cause: String,
}

impl StateError {
    /// Nothing was started because of overload. The client gets the message and may repeat the
    /// request (503 `overloaded`).
    pub fn overloaded(message: impl Into<Cow<'static, str>>) -> Self {
        StateError::new(Condition::Overloaded, message, String::new())
    }

    /// The store does not respond (503 `unavailable`). The client gets the message, which says
    /// whether the request may have taken effect. The cause is only logged.
    pub fn unavailable(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        StateError::new(Condition::Unavailable, message, cause)
    }

    /// An internal error of the service (500 `internal_error`). The message and the cause are only
    /// logged.
    pub fn internal(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        StateError::new(Condition::Internal, message, cause)
    }

    fn new(
        condition: Condition,
        message: impl Into<Cow<'static, str>>,
        cause: impl Into<String>,
    ) -> Self {
        StateError {
            condition,
            message: message.into(),
            cause: cause.into(),
        }
    }

    /// Returns the cause, for the log.
    #[must_use]
    pub fn cause(&self) -> &str {
        &self.cause
    }

    /// Logs the failure, and returns the error of the response and its message for the client.
    #[must_use]
    pub fn report(self, request_id: &str) -> (Condition, Cow<'static, str>) {
        let (condition, message) = (self.condition, self.message);
        if condition == Condition::Overloaded {
            tracing::debug!(request_id, "{message}");
            return (condition, message);
        }
        tracing::error!(request_id, "{message}: {}", self.cause);
        match condition {
            Condition::Internal => (condition, INTERNAL.into()),
            _ => (condition, message),
        }
    }

    /// Logs the failure, and returns it as the error of an operation.
    pub fn into_operation_error<E: StateFailure>(self, request_id: &str) -> E {
        let (condition, message) = self.report(request_id);
        match condition {
            Condition::Overloaded => E::overloaded(message),
            Condition::Unavailable => E::unavailable(message),
            _ => E::internal_error(message),
        }
    }
}

/// The message that a client gets for an internal error of the service.
pub(crate) const INTERNAL: &str =
    "internal error of the service; report the `x-request-id` of this response";
