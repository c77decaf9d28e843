//! `cargo xtask bench`: measures the service beside the floor and a peer, its
//! latency at a rate, what growth costs it, the client, and the generator. Here
//! is which parts there are; each is a file below. What is asked of the
//! candidates, and how an answer is judged, is left to the programs of
//! `crates/petstore-bench`, whose README tells what is measured and why so.

mod candidates;
mod client;
mod compare;
mod figures;
mod generation;
mod growth;
mod latency;
mod load;
mod machine;
mod plot;
mod postgres;
mod process;
mod programs;
mod table;
mod targets;

use anyhow::{Context as _, Result};
use candidates::Candidates;
use clap::ValueEnum;
use programs::Programs;
use serde::Serialize;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// What `cargo xtask bench` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Show in a short time that everything works, not how fast it is: small
    /// stores, one short round, the `dev` profile
    #[arg(long)]
    quick: bool,

    /// Measure only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,

    /// Connections at the same time
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_values_t = [1, 64, 512])]
    connections: Vec<usize>,

    /// How long each load is measured in each round
    #[arg(long)]
    seconds: Option<f64>,

    /// Rounds, of which the median counts
    #[arg(long)]
    rounds: Option<usize>,
}

/// A part of the bench.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Part {
    /// The candidates beside each other, as fast as answers come
    Compare,
    /// Latency at 70 % of what `compare` found as the most
    Latency,
    /// What reads cost as a store grows
    Growth,
    /// The client beside bare reqwest
    Client,
    /// Reading, linting and generating
    Generation,
}

/// How much is measured.
struct Extent {
    connections: Vec<usize>,
    seconds: f64,
    warm_up_seconds: f64,
    rounds: usize,
    /// Pets in the store of every candidate.
    pets: i64,
    /// Pets in the stores that show growth, the smallest first.
    grown: Vec<i64>,
    idle_connections: usize,
}

/// What everything has in common.
struct Bench<'root> {
    root: &'root Path,
    extent: Extent,
    programs: Programs,
    /// What is made on the way, and what need not be made again.
    folder: PathBuf,
}

/// What the machine-readable copy holds.
#[derive(Default, Serialize)]
struct Report {
    machine: machine::Machine,
    quick: bool,
    candidates: Vec<candidates::Facts>,
    compare: Vec<compare::Row>,
    latency: Vec<latency::Row>,
    growth: growth::Growth,
    client: Option<client::Client>,
    generation: Vec<generation::Row>,
    targets: Vec<targets::Target>,
    /// Rounds that do not count, and why.
    void: Vec<String>,
}

impl Extent {
    fn of(options: &Options) -> Self {
        let quick = options.quick;
        let either = |short, full| if quick { short } else { full };
        Self {
            connections: options.connections.clone(),
            seconds: options.seconds.unwrap_or(either(0.2, 0.8)),
            warm_up_seconds: either(0.1, 0.2),
            rounds: options.rounds.unwrap_or(if quick { 1 } else { 11 }).max(1),
            pets: if quick { 2_000 } else { 100_000 },
            grown: match quick {
                true => vec![1_000, 20_000],
                false => vec![1_000, 1_000_000, 10_000_000],
            },
            idle_connections: if quick { 100 } else { 1_000 },
        }
    }
}

/// Measures, prints, and leaves a copy in `target/bench`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let wanted = |part| options.only.is_empty() || options.only.contains(&part);
    let programs = Programs::build(root, options.quick)?;
    let folder = programs.target.join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bench = Bench {
        root,
        extent: Extent::of(options),
        programs,
        folder,
    };
    let mut report = Report {
        machine: machine::Machine::this(),
        quick: options.quick,
        ..Report::default()
    };
    println!("{}", report.machine);
    if wanted(Part::Compare) || wanted(Part::Latency) {
        let candidates = Candidates::prepare(&bench)?;
        compare::measure(&bench, &candidates, &mut report)?;
        if wanted(Part::Latency) {
            latency::measure(&bench, &candidates, &mut report)?;
        }
    }
    if wanted(Part::Growth) {
        growth::measure(&bench, &mut report)?;
    }
    if wanted(Part::Client) {
        client::measure(&bench, &mut report)?;
    }
    if wanted(Part::Generation) {
        generation::measure(&bench, &mut report)?;
    }
    targets::hold(&mut report);
    finish(&bench, &report)
}

/// Leaves the copies, and says how it went.
fn finish(bench: &Bench<'_>, report: &Report) -> Result<ExitCode> {
    let text = serde_json::to_string_pretty(report)?;
    let mut files = vec![("bench.json", text)];
    if !report.compare.is_empty() {
        files.push(("bench.svg", plot::svg(&report.compare)));
    }
    for (name, text) in files {
        let path = bench.folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    for void in &report.void {
        println!("void: {void}");
    }
    Ok(match report.void.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Prints to the terminal what is being done, where somebody may wait for it.
fn say(what: &str) {
    eprintln!("bench: {what}");
}

/// The cargo that runs this.
fn cargo() -> std::process::Command {
    std::process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
