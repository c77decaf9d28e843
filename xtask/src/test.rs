//! Task `test`: runs the whole test suite, with `cargo nextest` where it is
//! installed and with `cargo test` where it is not.

use anyhow::{Context, Result};
use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

/// The options of the task `test`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// More arguments for `cargo nextest run` or `cargo test`, such as `-p PACKAGE` or a
    /// part of a test's name; given some, the examples of the documentation are not run
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

impl Options {
    fn names_a_package(&self) -> bool {
        self.arguments.iter().any(|argument| {
            let argument = argument.to_string_lossy();
            argument.starts_with("-p") || argument.starts_with("--package")
        })
    }
}

/// Runs the suite in the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(arguments);
        cargo
    };
    let nextest = cargo(&["nextest", "--version"]).output();
    let has_nextest = nextest.is_ok_and(|output| output.status.success());
    let runner: &[&str] = if has_nextest {
        &["nextest", "run"]
    } else {
        &["test"]
    };
    let mut suite = cargo(runner);
    suite.arg("--no-fail-fast");
    if !options.names_a_package() {
        suite.arg("--workspace");
    }
    let mut passed = succeeds(suite.args(&options.arguments))?;
    // nextest does not run the examples of the documentation.
    if has_nextest && options.arguments.is_empty() {
        passed &= succeeds(&mut cargo(&[
            "test",
            "--workspace",
            "--doc",
            "--no-fail-fast",
        ]))?;
    }
    Ok(ExitCode::from(u8::from(!passed)))
}

fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.status();
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    Ok(status.success())
}
