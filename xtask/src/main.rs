//! The tasks of this repository, run as `cargo xtask TASK`. The library `cargo-openapi-dropshot`
//! does the work of most tasks; `openapi-dropshot.toml` tells it where the files of this repository
//! are. This crate does not depend on generated code, so that broken generated code can always be
//! generated again.

mod bench;
mod release_toolkit;
mod test;

use anyhow::{Context, Result};
use cargo_openapi_dropshot::{
    Configuration, FILE, Project, check, diff, generate, release, roundtrip,
};
use clap::{Parser, Subcommand};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The repository's own tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    /// The folder of the workspace to work on
    #[arg(long, global = true, value_name = "DIR", default_value_os_t = workspace_root())]
    root: PathBuf,

    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Check(check::Options),
    Diff(diff::Options),
    Generate(generate::Options),
    Release(release::Options),
    ReleaseToolkit(release_toolkit::Options),
    Roundtrip(roundtrip::Options),

    /// Run the whole test suite
    ///
    /// Exits with 0 if every test passed, and with 1 if not.
    Test(test::Options),

    /// Measure the service beside a baseline and other implementations
    ///
    /// Exits with 0 if every response was correct, and with 1 if not; the speed does
    /// not change the exit code.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    run(&Arguments::parse()).unwrap_or_else(|error| {
        cargo_openapi_dropshot::print_error(&error);
        ExitCode::FAILURE
    })
}

fn run(Arguments { root, task }: &Arguments) -> Result<ExitCode> {
    let one = || {
        let mut projects = projects(root)?;
        projects
            .pop()
            .with_context(|| format!("{FILE} has no document"))
    };
    match task {
        Task::Check(options) => check::run(&projects(root)?, options),
        Task::Diff(options) => diff::run(options),
        Task::Generate(options) => Ok(generate::run(&projects(root)?, options)),
        Task::Release(options) => release::run(&one()?, options),
        Task::ReleaseToolkit(options) => release_toolkit::run(root, options),
        Task::Roundtrip(options) => roundtrip::run(&one()?, options),
        Task::Test(options) => test::run(root, options),
        Task::Bench(options) => bench::run(root, options),
    }
}

/// The workspace in which this program was built.
fn workspace_root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// The projects of the repository that is checked out at `root`.
fn projects(root: &Path) -> Result<Vec<Project>> {
    let mut projects = Configuration::read(&root.join(FILE))?.projects;
    for project in &mut projects {
        // In a test, a copy of the contract does not contain the crates.
        project.types_crate = Some(workspace_root().join("crates/openapi-dropshot-types"));
    }
    Ok(projects)
}
