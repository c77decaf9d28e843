//! The commands, one file a command, and what they share: how the store of the
//! settings is opened and closed, and how stdout is written.

pub(crate) mod backup;
pub(crate) mod config;
pub(crate) mod key;
pub(crate) mod migrate;
pub(crate) mod serve;
mod signals;
mod supervisor;
pub(crate) mod usage;

use crate::logging;
use anyhow::{Context as _, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use petstore_server::config::{StoreCommandOptions, StoreSettings};
use petstore_store::{DatabaseUrl, Store};
use std::{
    io::{self, Write as _},
    sync::Arc,
};

/// The database that the settings name. The text itself is not repeated where
/// it is refused: it may hold a password.
fn database(settings: &StoreSettings) -> anyhow::Result<DatabaseUrl> {
    settings
        .database
        .parse()
        .context("the setting `database` cannot be used")
}

async fn open_store(url: &DatabaseUrl) -> anyhow::Result<Arc<dyn Store>> {
    Ok(petstore_store::open(url).await?)
}

/// Opens a store that a service may be running on.
async fn open_shared(options: StoreCommandOptions) -> anyhow::Result<Arc<dyn Store>> {
    let (settings, log) = options.load()?;
    logging::init(&log);
    let url = database(&settings)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!(
            "`{url}` is a store inside one process, which no other command can reach; name a file with `--database`"
        );
    }
    open_store(&url).await
}

/// Closes the store in any case; what the command said goes first.
async fn finish(store: &dyn Store, done: anyhow::Result<()>) -> anyhow::Result<()> {
    let closed = store.close().await;
    done?;
    closed.context("the store was not closed as it should")
}

/// A time as the commands show it.
fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Unlike `print!`, does not panic where nobody reads.
fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")
}
