//! The functions that the error enums of all operations share.

use crate::{
    Condition, ErrorEntry, ErrorMember, Rejection,
    error::{entry_of_status, member_values},
};
use dropshot::{ErrorStatusCode, HttpError};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;

/// An enum of the errors of one operation. The generator writes it, and the macro
/// [`operation_errors!`](crate::operation_errors) implements the traits that dropshot requires of
/// it.
pub trait OperationError: fmt::Debug + Sized {
    /// The type whose schema describes the bodies of the errors.
    type Body: JsonSchema;

    /// Returns the rejection for this error.
    ///
    /// # Errors
    ///
    /// Returns an error of dropshot itself.
    fn rejection(&self) -> Result<Rejection, &HttpError>;
}

/// Returns the rejection for an error that a handler returned. If the document has a catalogue, an
/// error of dropshot itself becomes an internal error of the service.
pub fn into_rejection(error: &impl OperationError, catalogue: &'static [ErrorEntry]) -> Rejection {
    error.rejection().unwrap_or_else(|error| {
        if catalogue.is_empty() {
            return Rejection::from(error);
        }
        Rejection::internal(
            Condition::Internal.entry_in(catalogue),
            format!("the handler returned an error that the document does not list: {error}"),
        )
    })
}

/// Writes a description of the error.
pub fn fmt(error: &impl OperationError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error.rejection() {
        Ok(rejection) => write!(f, "{rejection}"),
        Err(error) => write!(f, "{error}"),
    }
}

/// Serializes the body of an error response, for an API that dropshot serves without the server
/// crate. `members` are the properties of the error body.
pub fn serialize<S: Serializer>(
    error: &impl OperationError,
    catalogue: &'static [ErrorEntry],
    members: &[(&str, ErrorMember)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match error.rejection() {
        Ok(Rejection {
            body: Some(body), ..
        }) => body.serialize(serializer),
        Ok(Rejection { error, message, .. }) => {
            let values = member_values(members, error.code, error.status, &message, "");
            serializer.collect_map(values)
        }
        Err(error) if catalogue.is_empty() => {
            serde_json::json!({ "message": error.external_message }).serialize(serializer)
        }
        Err(error) => {
            let status = error.status_code.as_u16();
            let code = entry_of_status(catalogue, status).code;
            let values = member_values(members, code, status, &error.external_message, "");
            serializer.collect_map(values)
        }
    }
}

/// Returns the status of the response if dropshot alone serves the API.
pub fn status(error: &impl OperationError) -> ErrorStatusCode {
    match error.rejection() {
        Ok(rejection) => ErrorStatusCode::from_u16(rejection.error.status)
            .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
        Err(error) => error.status_code,
    }
}

/// Implements what dropshot requires of the error enums of operations: `Display`, `Error`,
/// `Serialize`, `JsonSchema`, `HttpResponseError`, `From<HttpError>`, and the conversion to a
/// [`Rejection`]. Each enum must implement [`OperationError`] and have a variant `Undocumented` for
/// errors of dropshot itself. The arguments are the error catalogue of the document (empty if there
/// is none), the properties of the error body, and the enums.
#[macro_export]
macro_rules! operation_errors {
    ($catalogue:expr, $members:expr; $($name:ident),* $(,)?) => {$(
        impl ::core::convert::From<$crate::private::dropshot::HttpError> for $name {
            fn from(error: $crate::private::dropshot::HttpError) -> Self {
                $name::Undocumented(error)
            }
        }

        impl ::core::convert::From<$name> for $crate::Rejection {
            fn from(error: $name) -> Self {
                $crate::private::operation_error::into_rejection(&error, &$catalogue)
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::private::operation_error::fmt(self, f)
            }
        }

        impl ::core::error::Error for $name {}

        impl $crate::private::serde::Serialize for $name {
            fn serialize<S: $crate::private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::private::operation_error::serialize(self, &$catalogue, $members, serializer)
            }
        }

        impl $crate::private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::string::String {
                <$name as $crate::OperationError>::Body::schema_name()
            }

            // A different id would create another schema with the same name.
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                <$name as $crate::OperationError>::Body::schema_id()
            }

            fn is_referenceable() -> bool {
                <$name as $crate::OperationError>::Body::is_referenceable()
            }

            fn json_schema(
                generator: &mut $crate::private::schemars::r#gen::SchemaGenerator,
            ) -> $crate::private::schemars::schema::Schema {
                <$name as $crate::OperationError>::Body::json_schema(generator)
            }
        }

        impl $crate::private::dropshot::HttpResponseError for $name {
            fn status_code(&self) -> $crate::private::dropshot::ErrorStatusCode {
                $crate::private::operation_error::status(self)
            }
        }
    )*};
}
