//! Declares the commands of the command line.

use clap::{Parser, Subcommand, ValueEnum};
use openapi_dropshot_server::{config::Rate, health::HealthSettings};
use petstore_server::INFO;
use petstore_server::config::{CommandSettings, ServeSettings};
use petstore_server::keys::{Expiry, KeyName};
use petstore_store::KeyScope;
use std::path::PathBuf;

/// The pet store service
#[derive(Debug, Parser)]
#[command(name = "petstore-server", version = INFO.version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the service until SIGTERM or SIGINT
    ///
    /// When the service accepts requests, it prints one line on stdout: `listening on http://ADDR/v1`. A flag takes
    /// precedence over its variable, and a variable over the configuration file.
    Serve(Box<ServeSettings>),
    /// Print the settings that `serve` would use, as a configuration file
    ///
    /// Accepts the same flags, variables and file. The password of the database is not shown.
    Config(Box<ServeSettings>),
    /// Create, list and revoke API keys, even while the service runs
    Key {
        #[command(subcommand)]
        command: Box<KeyCommand>,
    },
    /// List and delete the webhooks of all keys, even while the service runs
    Webhooks {
        #[command(subcommand)]
        command: Box<WebhooksCommand>,
    },
    /// Show which keys still call a deprecated operation, how often, and when they last called it
    ///
    /// Prints a header and one line for each key and operation, with tabs between the
    /// columns. The counts of a running service appear after a few seconds. If the
    /// service runs with `--count-calls all`, the counts also include operations that are not
    /// deprecated.
    Usage {
        /// `text`; `csv` with a row for each key, operation and day; or `json` with all data, for `cargo openapi-dropshot check --usage`
        #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
        format: UsageFormat,
        #[command(flatten)]
        settings: Box<CommandSettings>,
    },
    /// Upgrade the store to the schema of this version, as `serve` does at its start
    Migrate {
        /// Only print the steps of the upgrade and their estimated duration
        #[arg(long, conflicts_with = "create")]
        dry_run: bool,
        /// Create the store if it does not exist; without this flag, a missing store is an error
        #[arg(long)]
        create: bool,
        #[command(flatten)]
        settings: Box<CommandSettings>,
    },
    /// Copy an SQLite store to a new file, even while the service runs
    Backup {
        /// The backup file to create, which must not exist yet; only its owner can read it. With `--verify`, the
        /// existing backup to check
        file: PathBuf,
        /// Check the existing backup FILE and print what it contains; the command fails if the file is damaged
        #[arg(long)]
        verify: bool,
        #[command(flatten)]
        settings: Box<CommandSettings>,
    },
    /// Replace an SQLite store with a backup; no service may use the store at that time
    ///
    /// Copies the backup into the folder of the store, verifies the copy, and replaces the
    /// store with it in one step. The former store is kept in the same folder.
    Restore {
        /// The backup file, created by the command `backup`
        file: PathBuf,
        #[command(flatten)]
        settings: Box<CommandSettings>,
    },
    /// Check whether the service on this machine accepts requests; if it does, the exit code is 0
    ///
    /// Requests `/readyz` from the admin listener. It is meant for health checks of containers.
    Health(Box<HealthSettings>),
    /// Print the manual page of the program, or write the pages of all commands
    Man {
        /// An existing folder, into which `petstore-server.1` and the pages of the commands are written
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
}

/// The format in which the usage is printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum UsageFormat {
    #[default]
    Text,
    Csv,
    Json,
}

/// The format in which a list is printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ListFormat {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create a key and print it; the key cannot be shown again
    ///
    /// Prints the key alone on stdout, and its id and name on stderr.
    Create {
        /// The name of the key, which identifies it in the list: 1 to 100 visible characters
        ///
        /// Several keys can have the same name. To replace a key, create a key with the same name, and revoke the old
        /// key when it is no longer used.
        name: KeyName,
        /// When the key expires: after a time span as in `90d` (`h` hours, `d` days, `w` weeks), at the beginning of a day in UTC as in `2027-01-31`, or at a time as in `2027-01-31T12:00:00Z`; by default never
        #[arg(long, value_name = "TIME")]
        expires: Option<Expiry>,
        /// Requests per second that the key may make on average, or `off` for no limit; the default is the server's setting `rate-limit-per-second`
        #[arg(long)]
        rate: Option<Rate>,
        /// Which operations the key may call: `read` for operations with the method GET, `read,write` for all but webhooks, `read,write,webhooks` for all
        #[arg(long, default_value_t)]
        scope: KeyScope,
        #[command(flatten)]
        settings: CommandSettings,
    },
    /// Print one line for each key: its id, its name, when it was created, last used and revoked, and its limits
    ///
    /// The columns are separated by tabs and have a header. A later version may add columns at the end.
    List {
        /// The output format: `text`, or `json` for programs
        #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
        format: ListFormat,
        #[command(flatten)]
        settings: CommandSettings,
    },
    /// Revoke a key; it becomes invalid within a second
    Revoke {
        /// The id of the key, as `key list` prints it, or the name of the key if no other valid key has the same name
        key: String,
        #[command(flatten)]
        settings: CommandSettings,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// Print one line for each webhook: its id, key and status, when its failures began, when it was created, and its URL
    ///
    /// The columns are separated by tabs and have a header. A later version may add columns at the end.
    List {
        /// The output format: `text`, or `json` for programs
        #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
        format: ListFormat,
        #[command(flatten)]
        settings: CommandSettings,
    },
    /// Delete a webhook with its deliveries; nothing more is sent to it
    ///
    /// Its owner can create it again. To prevent that, revoke the key.
    Delete {
        /// The id of the webhook, as `webhooks list` prints it
        id: String,
        #[command(flatten)]
        settings: CommandSettings,
    },
}
