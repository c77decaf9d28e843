//! The `petstore` program: reads the command line, runs the command, and exits with the exit code
//! of the command.

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
        if output::reader_ended(&error) {
            return Exit::Done;
        }
        let message = format!("error: {error:#}");
        eprintln!("{}", output::printable_lines(&message));
        exit::of(&error)
    });
    ExitCode::from(exit.code())
}
