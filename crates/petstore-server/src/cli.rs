//! Declares the commands of the command line.

use clap::{Parser, Subcommand};
use petstore_server::config::{CommandSettings, ServeSettings};
use petstore_server::keys::KeyName;
use std::path::PathBuf;

/// The pet store service
#[derive(Debug, Parser)]
#[command(name = "petstore-server", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the service until SIGTERM or SIGINT
    ///
    /// Prints one line on stdout once it accepts requests: `listening on
    /// http://ADDR/v1`. A flag takes precedence over its variable, and a variable
    /// over the configuration file.
    Serve(Box<ServeSettings>),
    /// Print the settings that `serve` would run with, as a configuration file
    ///
    /// Takes the same flags, variables and file. The password of the database
    /// is not shown.
    Config(Box<ServeSettings>),
    /// Make, list and revoke API keys, also while the service runs
    Key {
        #[command(subcommand)]
        command: Box<KeyCommand>,
    },
    /// Show which keys still call a deprecated operation, how often and when last
    ///
    /// Prints a header and one line for each key and operation, with tabs between the
    /// columns. The counts of a running service appear after a few seconds.
    Usage(Box<CommandSettings>),
    /// Upgrade the store to the schema of this version, as `serve` does at its start
    Migrate(Box<CommandSettings>),
    /// Copy an SQLite store to a new file, also while the service runs
    Backup {
        /// The copy, a file that does not exist yet; only you may read it
        file: PathBuf,
        #[command(flatten)]
        settings: Box<CommandSettings>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key and print it; it cannot be shown again
    Create {
        /// The name of the key, to recognise it in the list: 1 to 100 visible characters
        name: KeyName,
        #[command(flatten)]
        settings: CommandSettings,
    },
    /// Print one line for each key: its id, its name, when it was made, last used and revoked
    List {
        #[command(flatten)]
        settings: CommandSettings,
    },
    /// Make a key invalid, within a second
    Revoke {
        /// The id of the key, as `key list` shows it
        id: String,
        #[command(flatten)]
        settings: CommandSettings,
    },
}
