//! Compiles the programs that are measured and the programs that measure them.

use super::{cargo, progress};
use anyhow::{Context as _, Result, ensure};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The paths of the programs.
pub(super) struct Programs {
    /// The target folder of cargo.
    pub(super) target: PathBuf,
    pub(super) server: PathBuf,
    pub(super) baseline: PathBuf,
    pub(super) load: PathBuf,
    pub(super) client: PathBuf,
    pub(super) generation: PathBuf,
    /// The program that fills an SQLite store.
    pub(super) seed: PathBuf,
    /// The program that reads from stores of several sizes.
    pub(super) growth: PathBuf,
}

impl Programs {
    /// Compiles all programs: with the release profile or, if `quick` is true, with the profile of
    /// the tests.
    pub(super) fn build(root: &Path, quick: bool) -> Result<Self> {
        progress("compiling");
        let target = target(root)?;
        let profile = if quick { "debug" } else { "release" };
        let build = |arguments: &[&str]| {
            let mut command = cargo();
            command.current_dir(root).args(["build", "--locked"]);
            if !quick {
                command.arg("--release");
            }
            run(command.args(arguments))
        };
        let examples = ["--example", "seed", "--example", "growth"];
        if quick {
            // The whole workspace is compiled, like for the tests, so that the features are the
            // same and nothing is compiled twice.
            build(&[&["--workspace", "--bins"], &examples[..]].concat())?;
        } else {
            // The package is compiled alone, as it is shipped, because other packages could enable
            // features.
            build(&["--package", "petstore-server", "--bins"])?;
            build(&["--package", "petstore-bench", "--bins"])?;
            build(&[&["--package", "petstore-store"], &examples[..]].concat())?;
        }
        let built = target.join(profile);
        Ok(Self {
            server: built.join("petstore-server"),
            baseline: built.join("baseline"),
            load: built.join("load"),
            client: built.join("client"),
            generation: built.join("generation"),
            seed: built.join("examples/seed"),
            growth: built.join("examples/growth"),
            target,
        })
    }
}

fn target(root: &Path) -> Result<PathBuf> {
    let mut command = cargo();
    command
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&output(&mut command)?)?;
    let target = metadata["target_directory"].as_str();
    Ok(target
        .context("`cargo metadata` printed no `target_directory`")?
        .into())
}

/// Runs a command until it ends.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let status = command.status();
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

/// Runs a command until it ends, and returns its output.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        errors.trim()
    );
    String::from_utf8(output.stdout)
        .with_context(|| format!("{command:?} printed text that is not UTF-8"))
}
