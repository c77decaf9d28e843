//! The command line of `cargo openapi-dropshot`: one subcommand for each task.

use crate::{
    Configuration, Project, check, diff, explain, generate, init, json_schema, print_error,
    release, roundtrip,
};
use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::{Shell, generate as generate_to};
use std::{env, path::PathBuf, process::ExitCode};

/// Keeps an OpenAPI document, the code generated from it and its releases in agreement
#[derive(Debug, Parser)]
#[command(
    name = "cargo-openapi-dropshot",
    bin_name = "cargo openapi-dropshot",
    version,
    after_help = "Exit codes: 0 success, 1 a check or the command failed, 2 the command line is wrong, \
                  3 `--skip-unsupported` left out an operation, 4 `generate --check` found a stale file."
)]
pub struct Arguments {
    /// The configuration file, if not the `openapi-dropshot.toml` of this folder or of a
    /// folder above it
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Work on the document with this name only; may be given more than once
    #[arg(long, global = true, value_name = "NAME")]
    document: Vec<String>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare document, generated code, releases and changelog with each other
    ///
    /// Runs all gates. Exits with 0 if none failed, and with 1 if one did.
    Check(check::Options),

    /// Compare two documents: the changes, and whether they break a client
    ///
    /// Exits with 0 if no change breaks a client, and with 1 if one does or a
    /// document cannot be compared.
    Diff(diff::Options),

    /// Describe a rule: its meaning, examples, the remedy and its configuration
    ///
    /// Exits with 0, and with 1 if there is no such rule.
    Explain(explain::Options),

    /// Write all code that is generated from the documents
    ///
    /// Exits with 0 if everything is fresh, with 3 if `--skip-unsupported` left out
    /// an operation, with 4 if `--check` found a stale file, and with 1 if a
    /// document cannot be used.
    Generate(generate::Options),

    /// Write a service for a document, with the examples of the document as its first responses
    ///
    /// Writes models, API, client, server, tests, CI and `openapi-dropshot.toml`, and keeps
    /// files that exist. Exits with 0, with 3 if `--skip-unsupported` left out an operation,
    /// and with 1 if nothing was written.
    Init(init::Options),

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

    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },

    /// Print the manual page, in the format of `man`
    Man,

    /// Print the JSON Schema of `openapi-dropshot.toml`, for editors
    Schema,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut arguments: Vec<_> = env::args_os().collect();
    // Cargo passes the name of the subcommand as the first argument.
    if arguments
        .get(1)
        .is_some_and(|first| first == "openapi-dropshot")
    {
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
                // The documents are arguments, so that a configuration is not needed.
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
