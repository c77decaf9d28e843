//! The load of the bench: asks a service for pets over many connections, holds
//! every answer against what it has to be, and prints what it took as JSON. Who
//! is asked, how often and beside whom is left to `cargo xtask bench`; why this
//! is no tool that exists is told in the README.

mod asks;
mod connection;
mod idle;
mod open_loop;
mod processor;
mod run;
mod walk;

use asks::Load;
use clap::{Args, Parser, Subcommand};
use petstore_bench::pets::Filter;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

/// Asks a pet store for pets.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Walk along a list and print where its pages are
    Walk(walk::Options),
    /// Ask as fast as answers come, or at a rate, and print what it took
    Run(run::Options),
    /// Ask once on each of many connections, and keep them until the standard
    /// input ends
    Idle(idle::Options),
}

/// Who is asked.
#[derive(Args, Clone)]
pub(crate) struct Service {
    /// Where it listens
    #[arg(long)]
    address: SocketAddr,
    /// The API key
    #[arg(long)]
    key: String,
    /// How many pets it was filled with
    #[arg(long)]
    pets: i64,
}

/// What is asked for.
#[derive(Args, Clone)]
pub(crate) struct Asked {
    #[arg(long)]
    load: Load,
    /// Whether every page is the first one, and every pet
    #[arg(long)]
    fixed: bool,
    /// The pages, as `walk` printed them
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
        Command::Idle(options) => idle::idle(&options),
    }
}
