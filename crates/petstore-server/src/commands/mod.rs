//! The commands: short commands are in this file, each longer one has its own module. The functions here
//! that open and close the store serve all of them.

pub(crate) mod backup;
pub(crate) mod key;
pub(crate) mod key_log;
pub(crate) mod migrate;
pub(crate) mod serve;
pub(crate) mod usage;
pub(crate) mod webhooks;

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

/// How long systemd waits for the next progress report of a migration. A report is sent every five
/// seconds, except while SQLite sorts or syncs.
const MIGRATION_PATIENCE: Duration = Duration::from_secs(120);

/// Runs the command `config`: prints the settings that `serve` would use, from all their sources.
pub(crate) fn config(settings: &ServeSettings) -> anyhow::Result<()> {
    settings.check()?;
    settings.check_operations::<Api>()?;
    // Also rejects a database and a certificate that `serve` would reject.
    database(&settings.service.store)?;
    settings.service.webhooks.proxy()?;
    settings.check_tls()?;
    for variable in ServeSettings::mistyped_variables(&INFO) {
        eprintln!("warning: {variable}");
    }
    print(&settings.to_toml())
}

/// Runs the command `health`: prints the health of the service on this machine.
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
            "cannot write the manual pages into `{}`; it must be an existing folder",
            folder.display()
        )
    })
}

/// Returns the database that the settings name, after checking that it fits them. If the text is
/// rejected, the message does not repeat it, because the text may contain a password.
fn database(settings: &StoreSettings) -> anyhow::Result<DatabaseUrl> {
    let invalid =
        |problem: anyhow::Error| ConfigError::invalid_value("database", &format!("{problem:#}"));
    let url = settings.database.url();
    let url = url.map_err(|problem| invalid(problem.into()))?;
    let certificates = url.check_certificates();
    certificates.map_err(|problem| invalid(problem.into()))?;
    Ok(url)
}

/// Returns the database of a command that only uses the store, and starts logging.
fn begin(settings: &CommandSettings) -> anyhow::Result<DatabaseUrl> {
    logging::init(&INFO, &settings.log);
    database(&settings.service)
}

/// Opens a store, and creates it if it does not exist.
async fn open_store(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open_with(url, Arc::new(on_migration)).await?)
}

/// Opens an existing store: a typing mistake in its name must not create an empty store.
async fn open_existing(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open_existing(url, Arc::new(on_migration)).await?)
}

fn on_migration(progress: &MigrationProgress) {
    tracing::info!("{progress}");
    program::extend_start_timeout(MIGRATION_PATIENCE);
}

/// Runs a command on a store that a service may also use, and then closes the store, even if the command
/// failed. If both fail, returns the error of the command.
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
    // Only `serve` and `migrate` upgrade a store, because a running service may be of an older version.
    let store = petstore_store::open_current(&url).await?;
    let done = command(&*store).await;
    let closed = store.close().await;
    done?;
    closed.context("the store was not closed correctly")
}

/// Returns a time in the format that the commands print.
fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(program::print(text)?)
}
