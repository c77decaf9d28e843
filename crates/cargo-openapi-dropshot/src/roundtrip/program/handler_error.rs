//! An error type whose schema is not a component, unlike dropshot's own, whose
//! name could clash with a schema of the document.

use dropshot::{ErrorStatusCode, HttpError, HttpResponseError};
use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
use std::fmt;

/// The error of a handler that has none of its own; no handler returns it.
#[derive(Debug, serde::Serialize)]
pub(crate) struct HandlerError(String);

impl JsonSchema for HandlerError {
    fn schema_name() -> String {
        "HandlerError".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::Bool(true)
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<HttpError> for HandlerError {
    fn from(error: HttpError) -> Self {
        HandlerError(error.external_message)
    }
}

impl HttpResponseError for HandlerError {
    fn status_code(&self) -> ErrorStatusCode {
        ErrorStatusCode::INTERNAL_SERVER_ERROR
    }
}
