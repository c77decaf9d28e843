//! The `petstore-server` program: reads the command line and runs the command.

// Every request passes the middleware pipeline: clippy.toml lists the types that would
// register a route beside it.
#![deny(clippy::disallowed_types)]

mod cli;
mod commands;

use cli::{Cli, Command};
use openapi_dropshot_server::{config, program};
use petstore_server::INFO;
use std::process::ExitCode;

/// Threads of a busy service waited for the locks of the C
/// library's allocator; `docs/cost.md` has the gain of this one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = config::parse::<Cli>(&INFO).command;
    program::main(run(command))
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(options) => commands::serve::run(*options).await,
        Command::Key { command } => commands::key::run(*command).await,
        Command::Usage(options) => commands::usage::run(*options).await,
        Command::Config(options) => commands::config::run(*options),
        Command::Migrate(options) => commands::migrate::run(*options).await,
        Command::Backup { file, options } => commands::backup::run(&file, *options).await,
    }
}
