//! Generates models, API and client from `openapi.yaml`. A document with an error stops the
//! build, and all its errors are shown as rustc shows errors.

use std::process::ExitCode;

fn main() -> ExitCode {
    openapi_dropshot::build_script::service_and_client("openapi.yaml")
}
