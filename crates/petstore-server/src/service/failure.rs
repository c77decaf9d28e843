//! How a failure of the store is told to a client: the one place that decides
//! between "not started", "outcome unknown" and "our fault". What the database
//! said goes to the log and nowhere else.

use crate::api::{
    CreateOrderError, CreatePetError, ErrorCode, GetOrderError, GetPetError, ListOrdersError,
    ListPetsError, Refusal, UpdateOrderError,
};
use crate::app::App;
use dropshot::RequestContext;
use petstore_store::StoreError;
use std::{borrow::Cow, error::Error};

/// An operation's error that can say what the store may do to it. An operation
/// whose contract does not list these codes does not compile here.
pub(super) trait StoreFailure {
    fn overloaded(message: Cow<'static, str>) -> Self;
    fn unavailable(message: Cow<'static, str>) -> Self;
    fn internal(message: Cow<'static, str>) -> Self;
}

macro_rules! store_failures {
    ($($error:ident),*) => {$(
        impl StoreFailure for $error {
            fn overloaded(message: Cow<'static, str>) -> Self {
                $error::Overloaded(message)
            }
            fn unavailable(message: Cow<'static, str>) -> Self {
                $error::Unavailable(message)
            }
            fn internal(message: Cow<'static, str>) -> Self {
                $error::InternalError(message)
            }
        }
    )*};
}

store_failures!(
    ListPetsError,
    CreatePetError,
    GetPetError,
    ListOrdersError,
    CreateOrderError,
    GetOrderError,
    UpdateOrderError
);

/// Makes of the store's error the operation's, and logs its cause.
pub(super) fn failed<E: StoreFailure>(rqctx: &RequestContext<App>) -> impl FnOnce(StoreError) -> E {
    move |error| {
        let Refusal { code, message, .. } = refusal(&error, &rqctx.request_id);
        match code {
            ErrorCode::Overloaded => E::overloaded(message),
            ErrorCode::Unavailable => E::unavailable(message),
            _ => E::internal(message),
        }
    }
}

/// What a client is told where no operation runs yet; logs the cause.
pub(crate) fn refusal(error: &StoreError, request_id: &str) -> Refusal {
    let code = match error {
        StoreError::Overloaded => ErrorCode::Overloaded,
        StoreError::Unavailable { .. } => ErrorCode::Unavailable,
        StoreError::Corrupt { .. } | StoreError::KeyExists | StoreError::Internal { .. } => {
            ErrorCode::InternalError
        }
    };
    if code == ErrorCode::Overloaded {
        tracing::debug!(request_id, "{error}");
        return Refusal::new(code, error.to_string());
    }
    let cause = causes(error);
    tracing::error!(request_id, "{error}: {cause}");
    if code == ErrorCode::Unavailable {
        return Refusal::new(code, error.to_string());
    }
    Refusal {
        detail: None,
        ..Refusal::internal("")
    }
}

/// What stands behind an error, outermost first.
fn causes(error: &dyn Error) -> String {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.join(": ")
}
