//! Generates models, API and client from `openapi.yaml`. If the document has errors, the build
//! stops and shows all of them in the format of rustc.

use std::process::ExitCode;

fn main() -> ExitCode {
    openapi_dropshot::build_script::service_and_client("openapi.yaml")
}
