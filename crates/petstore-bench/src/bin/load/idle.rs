//! Opens many connections, sends one request on each, and keeps them idle, to measure the
//! memory of a service.

use crate::{
    LoadOptions, Service,
    requests::{Load, Requests},
};
use petstore_bench::pets::Filter;
use std::io::{self, Read as _};

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    service: Service,
    #[arg(long)]
    connections: usize,
    /// Expect every page to be the first page
    #[arg(long)]
    fixed: bool,
}

pub(crate) fn idle(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let load_options = LoadOptions {
        load: Load::List,
        fixed: options.fixed,
        pages: None,
        filter: Filter::Available,
    };
    let requests = Requests::read(&options.service, &load_options)?;
    let mut requesters = Vec::new();
    runtime.block_on(async {
        for index in 0..options.connections {
            let mut requester = requests.requester(index).await?;
            requester.send_next().await?;
            requesters.push(requester);
        }
        anyhow::Ok(())
    })?;
    println!("idle");
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
