//! Command `backup`: copies an SQLite store, also while a service is running on
//! it.

use super::{begin, print};
use petstore_server::config::CommandOptions;
use std::path::Path;

pub(crate) async fn run(file: &Path, options: CommandOptions) -> anyhow::Result<()> {
    let url = begin(options)?;
    petstore_store::backup(&url, file).await?;
    print(&format!("copied `{url}` to `{}`\n", file.display()))
}
