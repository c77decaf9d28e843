//! Task `test`: runs the whole test suite, with `cargo nextest` where it is
//! installed and with `cargo test` where it is not.

use anyhow::{Context, Result};
use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode, Stdio},
};

/// The options of the task `test`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// More arguments for `cargo nextest run` or `cargo test`, such as a part of a
    /// test's name; given some, the examples of the documentation are not run
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// Runs the suite in the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let has_nextest = cargo(root)
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let suite: &[&str] = if has_nextest {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--no-fail-fast"]
    };
    let mut passed = succeeds(cargo(root).args(suite).args(&options.arguments))?;
    // nextest does not run the examples of the documentation.
    if has_nextest && options.arguments.is_empty() {
        passed &= succeeds(cargo(root).args(["test", "--workspace", "--doc", "--no-fail-fast"]))?;
    }
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    Ok(status.success())
}
