//! Many connections on which nothing happens, after one request each: what the
//! memory of a service is measured with.

use crate::{
    Asked, Service,
    asks::{Asks, Load},
};
use petstore_bench::pets::Filter;
use std::io::{self, Read as _};

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    service: Service,
    #[arg(long)]
    connections: usize,
    /// Whether every page is the first one
    #[arg(long)]
    fixed: bool,
}

pub(crate) fn idle(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let asked = Asked {
        load: Load::List,
        fixed: options.fixed,
        pages: None,
        filter: Filter::Available,
    };
    let asks = Asks::read(&options.service, &asked)?;
    let mut askers = Vec::new();
    runtime.block_on(async {
        for index in 0..options.connections {
            let mut asker = asks.asker(index).await?;
            asker.ask().await?;
            askers.push(asker);
        }
        anyhow::Ok(())
    })?;
    println!("idle");
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
