//! Adapts the generated API to this crate: errors by their codes, operations by
//! their names.

pub(crate) use openapi_dropshot_types::{Operation, Stability};
pub(crate) use petstore_api::{
    CreateOrderError, CreatePetError, ErrorCode, Generated, GetOrderError, GetPetError,
    ListOrdersError, ListPetsError, OPERATIONS, OperationId, PetStoreApi, UpdateOrderError,
};

use openapi_dropshot_types::Rejection;
use petstore_models::Error;
use std::{borrow::Cow, fmt};

/// An error response, with the code of the catalogue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: Cow<'static, str>,
    pub(crate) detail: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Rejection::new(code.entry(), message).into()
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        Rejection::internal(ErrorCode::InternalError.entry(), detail).into()
    }

    pub(crate) fn body(&self) -> Error {
        Error {
            code: self.code.as_str().to_owned(),
            message: self.message.clone().into_owned(),
            status: i32::from(self.code.status()),
        }
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        let mut codes = ErrorCode::ALL.iter().copied();
        Refusal {
            code: codes
                .find(|code| code.entry() == rejection.error)
                .unwrap_or(ErrorCode::InternalError),
            message: rejection.message,
            detail: rejection.detail,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Refusal {}

/// The name of an operation.
pub(crate) trait Named {
    fn id(&self) -> OperationId;
}

impl Named for Operation {
    fn id(&self) -> OperationId {
        OperationId::ALL[self.index]
    }
}
