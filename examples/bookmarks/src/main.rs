//! The program: `bookmarks serve`, `bookmarks config` and `bookmarks key NAME`.

use anyhow::ensure;
use bookmarks::{AccessOptions, Api, INFO, KEY_FORMAT, Shelf};
use clap::Parser;
use openapi_dropshot_server::{
    config::{self, ServeOptions},
    keys::{KeyHashes, KeyName},
    program::{self, Program},
};
use std::{convert::Infallible, process::ExitCode};

/// Keeps the bookmarks of a team in memory
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    /// Run the service until SIGTERM or SIGINT
    Serve(Box<ServeOptions<AccessOptions>>),
    /// Print the settings that `serve` would run with, as a configuration file
    Config(Box<ServeOptions<AccessOptions>>),
    /// Make an API key: prints the key, and then its entry for the setting `keys`
    Key {
        /// The name of the key, for the log
        name: KeyName,
    },
}

fn main() -> ExitCode {
    program::main(run(config::parse(&INFO)))
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(options) => {
            let (program, access) = Program::begin(&INFO, options.load(&INFO)?)?;
            ensure!(
                !access.keys.is_empty(),
                "there is no API key, so nobody could use the service; run `bookmarks key NAME` and set `BOOKMARKS_KEYS` to the second line that it prints"
            );
            let bound = program.bind::<Api, _>(Shelf::new(access.keys))?;
            bound.start()?.run(async || Ok::<_, Infallible>(())).await?;
        }
        Command::Config(options) => program::print(&options.load(&INFO)?.to_toml())?,
        Command::Key { name } => {
            let key = KEY_FORMAT.generate();
            let entry = KeyHashes::of(name, &key);
            program::print(&format!("{}\n{entry}\n", key.reveal()))?;
        }
    }
    Ok(())
}
