//! The `petstore-server` program: reads the command line and runs the command.

// Every request must pass through the middleware pipeline: clippy.toml forbids the types that would
// register a route outside of it.
#![deny(clippy::disallowed_types)]

mod cli;
mod commands;

use cli::{Cli, Command};
use openapi_dropshot_server::{config, program};
use petstore_server::INFO;
use std::process::ExitCode;

/// With the allocator of the C library, the threads of a busy service waited for the locks of the
/// allocator. The page of the book about costs shows the gain. The feature `no_thp` prevents the use of
/// huge pages, because a few bytes of an idle connection would keep a whole huge page in memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    program::main(run())
}

async fn run() -> anyhow::Result<()> {
    match config::parse::<Cli>(&INFO)?.command {
        Command::Serve(settings) => commands::serve::run(*settings).await,
        Command::Key { command } => commands::key::run(*command).await,
        Command::Webhooks { command } => commands::webhooks::run(*command).await,
        Command::Usage { format, settings } => commands::usage::run(*settings, format).await,
        Command::Config(settings) => commands::config(&settings),
        Command::Migrate {
            dry_run: true,
            settings,
            ..
        } => commands::migrate::plan(*settings).await,
        Command::Migrate {
            create, settings, ..
        } => commands::migrate::run(*settings, create).await,
        Command::Backup {
            file,
            verify: true,
            settings,
        } => commands::backup::verify(&file, &settings).await,
        Command::Backup { file, settings, .. } => commands::backup::run(&file, *settings).await,
        Command::Restore { file, settings } => commands::backup::restore(&file, &settings).await,
        Command::Health(settings) => commands::health(&settings),
        Command::Man { to } => commands::man(to.as_deref()),
    }
}
