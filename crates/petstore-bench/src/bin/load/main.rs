//! The load generator of the benchmark: sends requests to a service over many connections, compares
//! every response with the expected one, and prints measurements as JSON. `cargo xtask bench`
//! decides which service it measures, and how often. The book says why the benchmark does not use
//! an existing tool.

mod connection;
mod open_loop;
mod processor;
mod requests;
mod run;
mod walk;

use clap::{Args, Parser, Subcommand};
use petstore_bench::{
    Load,
    pets::{Filter, Members},
};
use requests::Requests;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    io::{self, Read as _},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
};
use tokio::runtime::{Builder, Runtime};

/// Sends requests to a pet store and checks the responses.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Follow the links of a list and print the positions of its pages
    Walk(walk::Options),
    /// Send requests as fast as responses arrive, or at a rate, and print measurements
    Run(run::Options),
    /// Send one request on each of many connections, and keep them open until standard
    /// input ends
    Idle(LoadOptions),
}

/// The service that receives the requests.
#[derive(Args)]
pub(crate) struct Service {
    /// The address of the service
    #[arg(long)]
    address: SocketAddr,
    /// The API key
    #[arg(long)]
    key: String,
    /// Number of pets in its store
    #[arg(long)]
    pets: i64,
    /// The properties of its pets, and their order
    #[arg(long, default_value = "with-version")]
    members: Members,
}

/// The requests to send.
#[derive(Args)]
pub(crate) struct LoadOptions {
    #[command(flatten)]
    service: Service,
    #[arg(long)]
    connections: usize,
    #[arg(long)]
    load: Load,
    /// Expect every page to be the first page, and every pet to be the first pet
    #[arg(long)]
    fixed: bool,
    /// The pages, as the command `walk` printed them
    #[arg(long)]
    pages: Option<PathBuf>,
    #[arg(long, default_value = "available")]
    filter: Filter,
}

fn main() -> ExitCode {
    match work(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn work(command: Command) -> anyhow::Result<()> {
    // Each connection is an open file.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    )?;
    match command {
        Command::Walk(options) => walk::walk(&options),
        Command::Run(options) => run::run(&options),
        Command::Idle(options) => idle(&options),
    }
}

/// Opens many connections, sends one request on each, and keeps them idle, to measure the memory of
/// a service.
fn idle(options: &LoadOptions) -> anyhow::Result<()> {
    let requests = Requests::read(options)?;
    let mut requesters = Vec::new();
    let runtime = runtime()?;
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

/// Returns a runtime with one thread.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
