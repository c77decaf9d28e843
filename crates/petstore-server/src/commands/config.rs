//! Command `config`: prints the effective settings, with which `serve` would
//! run, from all their sources.

use super::{database, print};
use petstore_server::{INFO, config::ServeOptions};

pub(crate) fn run(options: ServeOptions) -> anyhow::Result<()> {
    let config = options.load(&INFO)?;
    // A database that `serve` would reject is rejected here, too.
    database(&config.service)?;
    print(&config.to_toml())
}
