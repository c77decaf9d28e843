//! `config`: prints the settings that `serve` would run with, wherever each of
//! them comes from.

use super::{database, print};
use petstore_server::config::ServeOptions;

pub(crate) fn run(options: ServeOptions) -> anyhow::Result<()> {
    let config = options.load()?;
    // What `serve` would refuse is refused here, too.
    database(&config.store)?;
    print(&config.to_toml())
}
