//! The repository's own tasks, run as `cargo xtask TASK`. The library
//! `cargo-openapi-dropshot` does the work of most tasks; `openapi-dropshot.toml` tells it
//! where the files of this repository are. Depends on no crate with generated code, so
//! that broken output can always be generated again.

mod bench;
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
    /// Compare document, generated code, releases and changelog with each other
    ///
    /// Runs all gates. Exits with 0 if none failed, and with 1 if one did.
    Check(check::Options),

    /// Compare two documents: the changes, and whether they break a client
    ///
    /// Exits with 0 if no change breaks a client, and with 1 if one does or a
    /// document cannot be compared.
    Diff(diff::Options),

    /// Write all code that is generated from spec/openapi.yaml
    ///
    /// Exits with 0 if everything is fresh, with 3 if `--skip-unsupported` left out
    /// an operation, with 4 if `--check` found a stale file, and with 1 if the
    /// document cannot be used.
    Generate(generate::Options),

    /// Release the contract: freeze the document and set all versions
    ///
    /// Exits with 0 if the release is made. Otherwise exits with 1 and changes
    /// nothing.
    Release(release::Options),

    /// Show that the generated code of documents means what the documents say
    ///
    /// Generates a throw-away crate for each document, compiles it, and compares
    /// what it emits, accepts and responds with the document. Exits with 0 if
    /// every part passed or was rejected with a reason, and with 1 if not.
    Roundtrip(roundtrip::Options),

    /// Run the whole test suite
    ///
    /// Exits with 0 if every test passed, and with 1 if not.
    Test(test::Options),

    /// Measure the service beside a baseline and other implementations
    ///
    /// Exits with 0 if every response was right, and with 1 if not; the speed does
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
        // A copy of the contract, in a test, is without the crates.
        project.types_crate = Some(workspace_root().join("crates/openapi-dropshot-types"));
    }
    Ok(projects)
}
