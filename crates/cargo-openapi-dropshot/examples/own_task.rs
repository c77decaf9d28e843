//! An example of a custom task, such as in an xtask: writes the generated code of all documents in `openapi-dropshot.toml`.

use cargo_openapi_dropshot::{Configuration, generate};
use clap::Parser;
use std::process::ExitCode;

/// Writes the generated code
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    generate: generate::Options,
}

fn main() -> anyhow::Result<ExitCode> {
    let projects = Configuration::find()?.projects;
    Ok(generate::run(&projects, &Arguments::parse().generate))
}
