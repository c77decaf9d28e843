//! Task `bench`: compiles the programs that are measured and the programs of `crates/petstore-bench`
//! that measure them, and runs the benchmark.

use anyhow::{Context as _, Result, ensure};
use std::{
    env,
    path::Path,
    process::{Command, ExitCode},
};

/// The options of the task `bench`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// The options of the benchmark, which `cargo xtask bench --help` lists
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "OPTION"
    )]
    arguments: Vec<String>,
}

/// Compiles all programs, with the release profile or, with `--quick`, with the profile of the tests,
/// and runs the benchmark of the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let mut arguments = options.arguments.iter();
    let quick = arguments.any(|it| ["--quick", "--help", "-h"].contains(&it.as_str()));
    let build = |arguments: &[&str]| -> Result<()> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(["build", "--locked"]);
        if !quick {
            cargo.arg("--release");
        }
        let status = cargo.args(arguments).status()?;
        ensure!(status.success(), "{cargo:?} failed: {status}");
        Ok(())
    };
    eprintln!("bench: compiling");
    let examples = ["--example", "seed", "--example", "growth"];
    if quick {
        // The whole workspace is compiled, like for the tests, so that the features are the same and
        // nothing is compiled twice.
        build(&[&["--workspace", "--bins"], &examples[..]].concat())?;
    } else {
        // Each package is compiled alone, as it is shipped, because other packages could enable
        // features.
        build(&["--package", "petstore-server", "--bins"])?;
        build(&["--package", "petstore-bench", "--bins"])?;
        build(&[&["--package", "petstore-store"], &examples[..]].concat())?;
    }
    // Cargo runs this program as `target/debug/xtask`.
    let own = env::current_exe()?;
    let target = own.ancestors().nth(2).context("the target folder")?;
    let profile = if quick { "debug" } else { "release" };
    let mut bench = Command::new(target.join(profile).join("bench"));
    bench.current_dir(root).args(&options.arguments);
    let status = bench.status();
    let status = status.with_context(|| format!("cannot start {bench:?}"))?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
