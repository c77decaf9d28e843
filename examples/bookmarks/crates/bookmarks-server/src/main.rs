//! The program: `bookmarks-server serve`, `bookmarks-server config` and `bookmarks-server key NAME`.

use bookmarks_server::{Access, Api, INFO, KEY_FORMAT, Service};
use clap::Parser;
use openapi_dropshot_server::{
    config::{self, ServeSettings},
    keys::{KeyHashes, KeyName},
    program::{self, Program},
};
use std::{convert::Infallible, process::ExitCode};

/// The service bookmarks
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
            let mut keys = program.service().keys.clone();
            if keys.is_empty() {
                let key = KEY_FORMAT.generate();
                eprintln!(
                    "there is no API key; use this one until the service stops: {}",
                    key.reveal()
                );
                keys = KeyHashes::of(KeyName::first(), &key);
            }
            let bound = program.bind::<Api, _>(Service::new(keys))?;
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
