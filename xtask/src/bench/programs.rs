//! The programs that are measured and those that measure, compiled anew.

use super::{cargo, say};
use anyhow::{Context as _, Result, ensure};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Where everything lies.
pub(super) struct Programs {
    /// Where cargo puts what it makes.
    pub(super) target: PathBuf,
    pub(super) server: PathBuf,
    pub(super) floor: PathBuf,
    pub(super) peer: PathBuf,
    pub(super) load: PathBuf,
    pub(super) client: PathBuf,
    pub(super) generation: PathBuf,
    /// Fills an SQLite store.
    pub(super) seed: PathBuf,
    /// Reads from stores of several sizes.
    pub(super) growth: PathBuf,
}

impl Programs {
    /// Compiles all of them: with the profile that is shipped, or the one that
    /// the tests use.
    pub(super) fn build(root: &Path, quick: bool) -> Result<Self> {
        say("compiling");
        let target = target(root)?;
        let peer_target = target.join("peer");
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
            // All of the workspace, as the tests: so features are the same, and
            // nothing is compiled twice.
            build(&[&["--workspace", "--bins"], &examples[..]].concat())?;
        } else {
            // By itself, as it is shipped: others could switch on features.
            build(&["--package", "petstore-server", "--bins"])?;
            build(&["--package", "petstore-bench", "--bins"])?;
            build(&[&["--package", "petstore-store"], &examples[..]].concat())?;
        }
        let peer_folder = peer_target.to_string_lossy();
        build(&[
            "--manifest-path",
            "crates/petstore-bench/peer/Cargo.toml",
            "--target-dir",
            &peer_folder,
        ])?;
        let built = target.join(profile);
        Ok(Self {
            server: built.join("petstore-server"),
            floor: built.join("floor"),
            load: built.join("load"),
            client: built.join("client"),
            generation: built.join("generation"),
            seed: built.join("examples/seed"),
            growth: built.join("examples/growth"),
            peer: peer_target.join(profile).join("petstore-bench-peer"),
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
    Ok(target.context("cargo names no `target_directory`")?.into())
}

/// Runs a command to its end.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let status = command.status();
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

/// Runs a command to its end and returns what it prints.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        errors.trim()
    );
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} prints no UTF-8"))
}
