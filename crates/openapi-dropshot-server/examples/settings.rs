//! Prints the settings of a service, which it reads from flags, variables and a file: `cargo run --example settings --
//! --listen 127.0.0.1:0`. With `--help`, it prints all settings.

use clap::Parser;
use openapi_dropshot_server::{
    ServiceInfo,
    config::{self, ConfigError, ServeSettings},
    service_info,
};

static INFO: ServiceInfo = service_info!("bookshop");

/// A book shop
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: ServeSettings,
}

fn main() -> Result<(), ConfigError> {
    let settings = config::parse::<Cli>(&INFO)?.settings;
    settings.check()?;
    print!("{}", settings.to_toml());
    Ok(())
}
