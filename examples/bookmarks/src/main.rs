//! The program: `bookmarks serve`, `bookmarks config` and `bookmarks key NAME`.

use anyhow::ensure;
use bookmarks::{Access, Api, INFO, KEY_FORMAT, Shelf};
use clap::Parser;
use openapi_dropshot_server::{
    config::{self, ServeSettings},
    keys::{KeyHashes, KeyName},
    program::{self, Program},
};
use std::{convert::Infallible, process::ExitCode};

/// Keeps the bookmarks of a team in memory
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    /// Run the service until SIGTERM or SIGINT
    Serve(Box<ServeSettings<Access>>),
    /// Print the settings that `serve` would run with, as a configuration file
    Config(Box<ServeSettings<Access>>),
    /// Make an API key: prints the key, and then its entry for the setting `keys`
    Key {
        /// The name of the key, for the log
        name: KeyName,
    },
}

fn main() -> ExitCode {
    program::main(run())
}

async fn run() -> anyhow::Result<()> {
    match config::parse(&INFO)? {
        Command::Serve(settings) => {
            let program = Program::begin(&INFO, *settings)?;
            let keys = program.service().keys.clone();
            ensure!(
                !keys.is_empty(),
                "there is no API key, so nobody could use the service; run `bookmarks key NAME` and set `BOOKMARKS_KEYS` to the second line that it prints"
            );
            let bound = program.bind::<Api, _>(Shelf::new(keys))?;
            bound.run(|_| {}, async || Ok::<_, Infallible>(())).await?;
        }
        Command::Config(settings) => {
            settings.check()?;
            program::print(&settings.to_toml())?;
        }
        Command::Key { name } => {
            let key = KEY_FORMAT.generate();
            let entry = KeyHashes::of(name, &key);
            program::print(&format!("{}\n{entry}\n", key.reveal()))?;
        }
    }
    Ok(())
}
