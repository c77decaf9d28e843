//! Generates models, API and client from `openapi.yaml`.

use std::process::ExitCode;

fn main() -> ExitCode {
    openapi_dropshot::build_script::service_and_client("openapi.yaml")
}
