//! The `petstore-server` program: reads the command line, runs the command, and
//! tells on stderr what went wrong. What a command does is left to `commands/`.

mod cli;
mod commands;
mod logging;

use clap::Parser as _;
use cli::{Cli, Command};
use std::process::ExitCode;

/// The threads of a busy service were seen to wait for the locks of the C
/// library's allocator; `docs/cost.md` has what this one gains.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let log = logging::WriteOut;
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            let done = runtime.block_on(run(command));
            // Whatever still runs was given its time.
            runtime.shutdown_background();
            done
        });
    // What was logged comes before what is said at the end.
    drop(log);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
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
