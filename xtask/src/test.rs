//! `cargo xtask test`: the whole suite with plain `cargo test`, and a summary a
//! person can read: what failed, what was skipped, how long it took. What the
//! tests need and how they skip is left to the tests.

mod report;

use anyhow::{Context, Result};
use report::Report;
use std::{
    env,
    ffi::OsString,
    io::{self, BufRead, BufReader},
    path::Path,
    process::{Command, ExitCode},
    time::Instant,
};

/// What `cargo xtask test` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// More arguments for `cargo test`, such as a part of a test's name
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// Runs the suite in the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    // One pipe for both streams keeps their lines in the order they were written.
    let (reader, writer) = io::pipe().context("cannot make a pipe for the output of the tests")?;
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(&options.arguments)
        .current_dir(root)
        // Colours would stand in the way of reading the lines.
        .env("CARGO_TERM_COLOR", "never")
        .stdout(writer.try_clone().context("cannot share the pipe")?)
        .stderr(writer);
    let mut cargo = command
        .spawn()
        .context("cannot start `cargo test`; is cargo installed?")?;
    // The command still holds the pipe's writing end: reading would not end.
    drop(command);

    let mut report = Report::default();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("cannot read the output of the tests")?;
        let line = String::from_utf8_lossy(&line);
        if report.take(&line) {
            println!("{line}");
        }
    }
    let status = cargo.wait().context("cannot wait for `cargo test`")?;
    print!("{}", report.summary(started.elapsed(), status.success()));
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
