//! The command `cargo openapi-dropshot`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_openapi_dropshot::cli::main()
}
