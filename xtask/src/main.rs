//! The project's own tasks, run as `cargo xtask TASK`: each task is one file
//! here. What a task works with (reading, linting, generating) is in the
//! `openapi-*` crates. Depends on no crate that holds generated code, so that
//! broken output can always be generated again.

mod bench;
mod check;
mod diff;
mod generate;
mod release;
mod roundtrip;
mod test;

use clap::{Parser, Subcommand};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The project's own tasks.
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
    /// Hold document, generated code, releases and changelog against each other
    ///
    /// Runs all gates. Exits with 0 if none failed, and with 1 if one did.
    Check(check::Options),

    /// Compare two documents: what changed, and whether a client breaks
    ///
    /// Exits with 0 if no client breaks, and with 1 if one does or a document
    /// cannot be compared.
    Diff(diff::Options),

    /// Write everything that is generated from spec/openapi.yaml
    ///
    /// Exits with 0 if everything is fresh, with 4 if `--check` found something
    /// stale, and with 1 if the document cannot be used.
    Generate(generate::Options),

    /// Release the contract: freeze it, move all versions, open the next section
    ///
    /// Exits with 0 if that is done, and with 1 if not; then nothing is changed.
    Release(release::Options),

    /// Show that documents come through: the generated code means what they say
    ///
    /// Generates a throw-away crate for each document, compiles it, and compares
    /// what it emits, accepts and answers with the document. Exits with 0 if
    /// everything came through or was refused with a reason, and with 1 if not.
    Roundtrip(roundtrip::Options),

    /// Run the whole test suite
    ///
    /// Exits with 0 if every test passed, and with 1 if not.
    Test(test::Options),

    /// Measure the service beside a floor and a peer
    ///
    /// Exits with 0 if every answer was right, and with 1 if not; how fast it is
    /// decides nothing.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.task {
        Task::Check(options) => check::run(&arguments.root, options),
        Task::Diff(options) => diff::run(options),
        Task::Generate(options) => generate::run(&arguments.root, options),
        Task::Release(options) => release::run(&arguments.root, options),
        Task::Roundtrip(options) => roundtrip::run(&arguments.root, options),
        Task::Test(options) => test::run(&arguments.root, options),
        Task::Bench(options) => bench::run(&arguments.root, options),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        for cause in error.chain().skip(1) {
            eprintln!("  because: {cause}");
        }
        ExitCode::FAILURE
    })
}

/// Where this program was built: the folder above its own.
fn workspace_root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
