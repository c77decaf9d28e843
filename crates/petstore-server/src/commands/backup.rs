//! `backup`: copies an SQLite store, also while a service runs on it. How a copy
//! of one moment is made is left to `petstore-store`.

use super::{database, print};
use crate::logging;
use petstore_server::config::StoreCommandOptions;
use std::path::Path;

pub(crate) async fn run(file: &Path, options: StoreCommandOptions) -> anyhow::Result<()> {
    let (settings, log) = options.load()?;
    logging::init(&log);
    let url = database(&settings)?;
    petstore_store::backup(&url, file).await?;
    print(&format!("copied `{url}` to `{}`\n", file.display()))
}
