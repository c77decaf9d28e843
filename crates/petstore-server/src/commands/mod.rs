//! The commands, each in a file of its own, and the functions that open and
//! close the store of the settings for all of them.

pub(crate) mod backup;
pub(crate) mod config;
pub(crate) mod key;
pub(crate) mod migrate;
pub(crate) mod serve;
pub(crate) mod usage;

use anyhow::{Context as _, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use openapi_dropshot_server::{logging, program};
use petstore_server::{
    INFO,
    config::{CommandOptions, StoreSettings},
};
use petstore_store::{DatabaseUrl, Store};
use std::sync::Arc;

/// The database that the settings name. The text itself is not repeated where
/// it is rejected: it may hold a password.
fn database(settings: &StoreSettings) -> anyhow::Result<DatabaseUrl> {
    settings
        .database
        .url()
        .context("the setting `database` cannot be used")
}

/// The database of a command that works on the store only; begins to log.
fn begin(options: CommandOptions) -> anyhow::Result<DatabaseUrl> {
    let (settings, log) = options.load(&INFO)?;
    logging::init(&INFO, &log);
    database(&settings)
}

async fn open_store(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open(url).await?)
}

/// Opens a store that a service may be running on.
async fn open_shared(options: CommandOptions) -> anyhow::Result<Arc<dyn Store>> {
    let url = begin(options)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!(
            "`{url}` is a store in the memory of one process, which no other command can read; name a file with `--database`"
        );
    }
    open_store(&url).await
}

/// Closes the store in any case; an error of the command comes first.
async fn finish(store: &dyn Store, done: anyhow::Result<()>) -> anyhow::Result<()> {
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
