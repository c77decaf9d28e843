//! An error whose schema is no component: one that is, such as dropshot's own,
//! could have the name of a schema of the document.

use dropshot::{ErrorStatusCode, HttpError, HttpResponseError};
use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
use std::fmt;

/// Nobody answers it.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Fault(String);

impl JsonSchema for Fault {
    fn schema_name() -> String {
        "Fault".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::Bool(true)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<HttpError> for Fault {
    fn from(error: HttpError) -> Self {
        Fault(error.external_message)
    }
}

impl HttpResponseError for Fault {
    fn status_code(&self) -> ErrorStatusCode {
        ErrorStatusCode::INTERNAL_SERVER_ERROR
    }
}
