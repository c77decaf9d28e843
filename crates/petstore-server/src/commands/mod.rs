//! The commands: the short ones, a module for each of the others, and the functions that open
//! and close the store for all of them.

pub(crate) mod backup;
pub(crate) mod key;
pub(crate) mod key_log;
pub(crate) mod migrate;
pub(crate) mod serve;
pub(crate) mod usage;

use crate::cli::Cli;
use anyhow::{Context as _, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use clap_mangen::Man;
use openapi_dropshot_server::{
    config::{self, ConfigError},
    health::{self, HealthSettings},
    logging, program,
};
use petstore_server::{
    Api, INFO,
    config::{CommandSettings, ServeSettings, StoreSettings},
};
use petstore_store::{DatabaseUrl, MigrationProgress, Store};
use std::{path::Path, sync::Arc, time::Duration};

/// How long systemd waits for the next report of a migration. One comes every five seconds, but
/// not while SQLite sorts or syncs.
const MIGRATION_PATIENCE: Duration = Duration::from_secs(120);

/// Runs the command `config`: prints the settings that `serve` would use, from all their sources.
pub(crate) fn config(settings: &ServeSettings) -> anyhow::Result<()> {
    settings.check()?;
    settings.check_operations::<Api>()?;
    // Rejects a database and a certificate that `serve` would reject, too.
    database(&settings.service.store)?;
    settings.check_tls()?;
    for variable in ServeSettings::mistyped_variables(&INFO) {
        eprintln!("warning: {variable}");
    }
    print(&settings.to_toml())
}

/// Runs the command `health`: prints what the service on this machine says about its health.
pub(crate) fn health(settings: &HealthSettings) -> anyhow::Result<()> {
    print(&format!("{}\n", health::check(settings)?))
}

/// Runs the command `man`: prints the manual page, or writes those of all commands.
pub(crate) fn man(folder: Option<&Path>) -> anyhow::Result<()> {
    let command = config::command::<Cli>(&INFO);
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(command)
            .render(&mut page)
            .context("cannot create the manual page")?;
        return print(&String::from_utf8_lossy(&page));
    };
    clap_mangen::generate_to(command, folder).with_context(|| {
        format!(
            "cannot write the manual pages into `{}`; it has to be a folder",
            folder.display()
        )
    })
}

/// The database that the settings name, if it can be used with them. The message of a rejected text does
/// not repeat it, because it may contain a password.
fn database(settings: &StoreSettings) -> anyhow::Result<DatabaseUrl> {
    let invalid =
        |problem: anyhow::Error| ConfigError::invalid_value("database", &format!("{problem:#}"));
    let url = settings.database.url();
    let url = url.map_err(|problem| invalid(problem.into()))?;
    let certificates = url.check_certificates();
    certificates.map_err(|problem| invalid(problem.into()))?;
    Ok(url)
}

/// The database of a command that works on the store only; begins to log.
fn begin(settings: &CommandSettings) -> anyhow::Result<DatabaseUrl> {
    logging::init(&INFO, &settings.log);
    database(&settings.service)
}

/// Opens a store, and creates it if it does not exist.
async fn open_store(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open_with(url, Arc::new(on_migration)).await?)
}

/// Opens an existing store: a typing mistake in its name must not create an empty one.
async fn open_existing(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open_existing(url, Arc::new(on_migration)).await?)
}

fn on_migration(progress: &MigrationProgress) {
    tracing::info!("{progress}");
    program::extend_start_timeout(MIGRATION_PATIENCE);
}

/// Runs a command on a store that a service may be using, and then closes the store, even
/// if the command failed. If both fail, returns the error of the command.
async fn with_store(
    settings: &CommandSettings,
    command: impl AsyncFnOnce(&dyn Store) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let url = begin(settings)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!(
            "`{url}` is a store in the memory of one process, which no other command can read; name a file with `--database`"
        );
    }
    // Only `serve` and `migrate` upgrade a store: the service that runs may be of an older version.
    let store = petstore_store::open_current(&url).await?;
    let done = command(&*store).await;
    let closed = store.close().await;
    done?;
    closed.context("the store was not closed correctly")
}

/// A time as the commands show it.
fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(program::print(text)?)
}
