//! Command `migrate`: upgrades a store to the schema of this version without
//! starting the service. `serve` does the same upgrade at its start.

use super::{begin, open_store, print};
use anyhow::{Context as _, bail};
use petstore_server::config::CommandSettings;
use petstore_store::{DatabaseUrl, schema_version};

pub(crate) async fn run(settings: CommandSettings) -> anyhow::Result<()> {
    let url = begin(&settings)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!("`{url}` is a new store in each process; name a database with `--database`");
    }
    let from = schema_version(&url).await?;
    let store = open_store(&url).await?;
    let closed = store.close().await;
    closed.context("the store was not closed correctly")?;
    let to = schema_version(&url).await?;
    print(&match from {
        0 => format!("`{url}` is a new store, of schema version {to}\n"),
        _ if from == to => format!("`{url}` already has schema version {to}\n"),
        _ => format!("`{url}` was upgraded from schema version {from} to {to}\n"),
    })
}
