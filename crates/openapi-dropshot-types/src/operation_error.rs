//! The functions that the error enums of all operations share.

use crate::{
    Condition, ErrorEntry, ErrorMember, Rejection,
    error::{ErrorBody, entry_of_status},
};
use dropshot::{ErrorStatusCode, HttpError};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;

/// An enum of the errors of one operation, as the generator writes it. The macro
/// [`operation_errors!`](crate::operation_errors) implements the traits that
/// dropshot requires of such an enum.
pub trait OperationError: fmt::Debug + Sized {
    /// The type whose schema describes the bodies of the errors.
    type Body: JsonSchema;

    /// The error catalogue of the document; empty where it has none.
    const ERRORS: &'static [ErrorEntry] = &[];
    /// The members of the error body, where the document has a catalogue.
    const ERROR_BODY: &'static [(&'static str, ErrorMember)] = &[];

    /// Wraps an error of dropshot itself.
    fn undocumented(error: HttpError) -> Self;

    /// The rejection that this error stands for.
    ///
    /// # Errors
    ///
    /// An error of dropshot itself.
    fn rejection(&self) -> Result<Rejection, &HttpError>;
}

/// The rejection for an error that a handler returned. In a document with a
/// catalogue, an error of dropshot itself is a fault of the service.
pub fn into_rejection<E: OperationError>(error: &E) -> Rejection {
    error.rejection().unwrap_or_else(|error| {
        if E::ERRORS.is_empty() {
            return Rejection::from(HttpError {
                error_code: error.error_code.clone(),
                external_message: error.external_message.clone(),
                internal_message: error.internal_message.clone(),
                status_code: error.status_code,
                headers: None,
            });
        }
        Rejection::internal(
            Condition::Internal.entry_in(E::ERRORS),
            format!("the handler returned an error that the document does not list: {error}"),
        )
    })
}

/// Writes the error for people.
pub fn fmt<E: OperationError>(error: &E, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error.rejection() {
        Ok(rejection) => write!(f, "{rejection}"),
        Err(error) => write!(f, "{error}"),
    }
}

/// Writes the body of the response where dropshot alone serves the API.
pub fn serialize<E: OperationError, S: Serializer>(
    error: &E,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match error.rejection() {
        Ok(rejection) => match &rejection.body {
            Some(body) => body.serialize(serializer),
            None => ErrorBody::new(E::ERROR_BODY, &rejection, "").serialize(serializer),
        },
        Err(error) if E::ERRORS.is_empty() => {
            serde_json::json!({ "message": error.external_message }).serialize(serializer)
        }
        Err(error) => {
            let status = error.status_code.as_u16();
            ErrorBody {
                members: E::ERROR_BODY,
                code: entry_of_status(E::ERRORS, status).code,
                message: &error.external_message,
                status,
                request_id: "",
            }
            .serialize(serializer)
        }
    }
}

/// The status of the response where dropshot alone serves the API.
pub fn status<E: OperationError>(error: &E) -> ErrorStatusCode {
    match error.rejection() {
        Ok(rejection) => ErrorStatusCode::from_u16(rejection.error.status)
            .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
        Err(error) => error.status_code,
    }
}

/// Implements what dropshot requires of the error enums of operations, each of
/// which implements [`OperationError`]: `Display`, `Error`, `Serialize`,
/// `JsonSchema`, `HttpResponseError` and `From<HttpError>`, and the conversion
/// into a [`Rejection`].
#[macro_export]
macro_rules! operation_errors {
    ($($name:ident),* $(,)?) => {$(
        impl ::core::convert::From<$crate::private::dropshot::HttpError> for $name {
            fn from(error: $crate::private::dropshot::HttpError) -> Self {
                <$name as $crate::OperationError>::undocumented(error)
            }
        }

        impl ::core::convert::From<$name> for $crate::Rejection {
            fn from(error: $name) -> Self {
                $crate::private::operation_error::into_rejection(&error)
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
                $crate::private::operation_error::serialize(self, serializer)
            }
        }

        impl $crate::private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::string::String {
                <<$name as $crate::OperationError>::Body as $crate::private::schemars::JsonSchema>::schema_name()
            }

            fn is_referenceable() -> bool {
                <<$name as $crate::OperationError>::Body as $crate::private::schemars::JsonSchema>::is_referenceable()
            }

            fn json_schema(
                generator: &mut $crate::private::schemars::r#gen::SchemaGenerator,
            ) -> $crate::private::schemars::schema::Schema {
                <<$name as $crate::OperationError>::Body as $crate::private::schemars::JsonSchema>::json_schema(generator)
            }
        }

        impl $crate::private::dropshot::HttpResponseError for $name {
            fn status_code(&self) -> $crate::private::dropshot::ErrorStatusCode {
                $crate::private::operation_error::status(self)
            }
        }
    )*};
}
