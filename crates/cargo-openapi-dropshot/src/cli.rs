//! The command line of `cargo openapi-dropshot`: one subcommand for each task.

use crate::{
    Configuration, Project, check, diff, explain, generate, init, json_schema, print_error,
    release, roundtrip,
};
use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::{Shell, generate as generate_to};
use std::{env, path::PathBuf, process::ExitCode};

/// Checks that an OpenAPI document, the code generated from it and its releases agree
#[derive(Debug, Parser)]
#[command(
    name = "cargo-openapi-dropshot",
    bin_name = "cargo openapi-dropshot",
    version,
    after_help = "Exit codes: 0 success, 1 a check or the command failed, 2 the command line is invalid, \
                  3 `--skip-unsupported` skipped an operation, 4 `generate --check` found a stale file."
)]
pub struct Arguments {
    /// The configuration file [default: `openapi-dropshot.toml` in this folder or in a folder above it]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Use only the document with this name; may be given more than once
    #[arg(long, global = true, value_name = "NAME")]
    document: Vec<String>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Options),
    Diff(diff::Options),
    Explain(explain::Options),
    Generate(generate::Options),
    Init(init::Options),
    Release(release::Options),
    Roundtrip(roundtrip::Options),

    /// Print the shell completions
    Completions {
        /// The shell
        shell: Shell,
    },

    /// Print the manual page, in the format of `man`
    Man,

    /// Print the JSON Schema of `openapi-dropshot.toml`, for editors
    Schema,
}

/// Runs the command line with the arguments of this process.
pub fn main() -> ExitCode {
    let mut arguments: Vec<_> = env::args_os().collect();
    // Cargo passes the name of the subcommand as the first argument.
    let first = arguments.get(1);
    if first.is_some_and(|first| first == "openapi-dropshot") {
        arguments.remove(1);
    }
    run(&Arguments::parse_from(arguments)).unwrap_or_else(|error| {
        print_error(&error);
        ExitCode::FAILURE
    })
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let read = || match &arguments.config {
        Some(file) => Configuration::read(file),
        None => Configuration::find(),
    };
    let projects = || read()?.select(&arguments.document);
    match &arguments.command {
        Command::Check(options) => check::run(&projects()?, options),
        Command::Diff(options) => diff::run(options),
        Command::Explain(options) => explain::run(options),
        Command::Generate(options) => Ok(generate::run(&projects()?, options)),
        Command::Init(options) => init::run(options),
        Command::Release(options) => {
            let project = read()?.select_one(&arguments.document)?;
            release::run(&project, options)
        }
        Command::Roundtrip(options) => {
            let project = match arguments.config {
                Some(_) => projects()?.into_iter().next(),
                // The documents are arguments, so a configuration is not required.
                None => Configuration::find_if_any()?.and_then(|mut found| found.projects.pop()),
            };
            let project = project.unwrap_or_else(Project::unconfigured);
            roundtrip::run(&project, options)
        }
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            let mut script = Vec::new();
            generate_to(*shell, &mut command, "cargo-openapi-dropshot", &mut script);
            print!("{}", String::from_utf8_lossy(&script));
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            let mut page = Vec::new();
            let command = Arguments::command();
            clap_mangen::Man::new(command).render(&mut page)?;
            print!("{}", String::from_utf8_lossy(&page));
            Ok(ExitCode::SUCCESS)
        }
        Command::Schema => {
            print!("{}", json_schema());
            Ok(ExitCode::SUCCESS)
        }
    }
}
