//! The commands, one file a command, and what they share: how the store of the
//! settings is opened.

pub(crate) mod key;
pub(crate) mod serve;

use anyhow::Context as _;
use petstore_server::config::StoreSettings;
use petstore_store::{DatabaseUrl, Store};
use std::sync::Arc;

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
