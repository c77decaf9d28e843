//! The errors with which handlers report failures that do not depend on the operation.

use std::borrow::Cow;

/// The error of an operation that can report a failure of the service's state. The generator
/// implements it for operations that list the three codes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot report a failure of the service's state",
    label = "the document does not list all of `internal_error`, `overloaded` and `unavailable` for this operation",
    note = "list them in the `x-error-codes` of the operation's 5XX response, then generate again"
)]
pub trait StateFailure: Sized {
    /// 500: an internal error of the service.
    fn internal_error(message: Cow<'static, str>) -> Self;
    /// 503: nothing was started.
    fn overloaded(message: Cow<'static, str>) -> Self;
    /// 503: the request may have taken effect.
    fn unavailable(message: Cow<'static, str>) -> Self;
}

/// The error of an operation that can report the misuse of an idempotency key. The generator
/// implements it for operations that list the three codes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot report the misuse of an idempotency key",
    label = "the document does not list all of `invalid_request`, `conflict` and `idempotency_key_reused` for this operation",
    note = "list them in the `x-error-codes` of the operation's 4XX responses, then generate again"
)]
pub trait IdempotencyFailure: StateFailure {
    /// 400: the key is malformed.
    fn invalid_request(message: Cow<'static, str>) -> Self;
    /// 409: another request with the key is running.
    fn conflict(message: Cow<'static, str>) -> Self;
    /// 422: the key was used for something else.
    fn idempotency_key_reused(message: Cow<'static, str>) -> Self;
}

/// Implements [`StateFailure`] for error enums with the variants of the three codes.
#[macro_export]
macro_rules! state_failures {
    ($($name:ident),* $(,)?) => {$(
        impl $crate::StateFailure for $name {
            fn internal_error(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::InternalError(message)
            }

            fn overloaded(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::Overloaded(message)
            }

            fn unavailable(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::Unavailable(message)
            }
        }
    )*};
}

/// Implements [`IdempotencyFailure`] for error enums with the variants of the three codes.
#[macro_export]
macro_rules! idempotency_failures {
    ($($name:ident),* $(,)?) => {$(
        impl $crate::IdempotencyFailure for $name {
            fn invalid_request(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::InvalidRequest(message)
            }

            fn conflict(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::Conflict(message)
            }

            fn idempotency_key_reused(message: ::std::borrow::Cow<'static, str>) -> Self {
                Self::IdempotencyKeyReused(message)
            }
        }
    )*};
}
