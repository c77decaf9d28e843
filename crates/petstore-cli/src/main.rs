//! The `petstore` program: reads the command line, runs the command, and ends
//! with the code that says how it went. What a command does is left to
//! `commands/`, and what an import does to `import/`.

mod cli;
mod commands;
mod exit;
mod import;
mod members;
mod output;
mod settings;

use clap::Parser as _;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(commands::run(cli)));
    let exit = done.unwrap_or_else(|error| {
        if output::nobody_reads(&error) {
            return Exit::Done;
        }
        eprintln!("error: {error:#}");
        exit::of(&error)
    });
    ExitCode::from(exit.code())
}
