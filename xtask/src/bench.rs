//! Runs `cargo xtask bench`: measures the service together with a baseline and comparisons, its
//! latency at a fixed rate, its reads on growing stores, the client, and the generator. Each part
//! is one file in the folder `bench`. The programs in `crates/petstore-bench` send the requests and check
//! the responses. The page about the benchmark in the book explains what is measured and why.

mod candidates;
mod client;
mod compare;
mod figures;
mod generation;
mod growth;
mod latency;
mod load;
mod machine;
mod peers;
mod plot;
mod postgres;
mod process;
mod programs;
mod scale;
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

/// The options of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Check quickly that everything works, without measuring the speed: small
    /// stores, one short round, the `dev` profile
    #[arg(long)]
    quick: bool,

    /// Measure only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,

    /// Compare with these other implementations
    #[arg(long, value_enum, default_value_t)]
    peers: peers::Selection,

    /// Measure `growth` with up to a hundred million pets; this needs 15 GB in the target folder
    #[arg(long)]
    large: bool,

    /// Numbers of connections
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_values_t = [1, 64, 512])]
    connections: Vec<usize>,

    /// Seconds for which each load is measured in each round
    #[arg(long)]
    seconds: Option<f64>,

    /// Number of rounds, whose median is reported
    #[arg(long)]
    rounds: Option<usize>,
}

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Part {
    /// All candidates; each connection sends the next request when the response has arrived
    Compare,
    /// Latency at 70 % of the highest throughput that `compare` measured
    Latency,
    /// The cost of reads as a store grows
    Growth,
    /// Several servers on one PostgreSQL
    Scale,
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
    /// The number of pets in the store of every candidate.
    pets: i64,
    /// The numbers of pets in the stores of the part `growth`, the smallest first.
    grown: Vec<i64>,
    idle_connections: usize,
}

/// The inputs that all parts need.
struct Bench<'root> {
    root: &'root Path,
    extent: Extent,
    programs: Programs,
    /// The folder for temporary files, and for files that are kept for the next run.
    folder: PathBuf,
    quick: bool,
    peers: peers::Selection,
}

/// The content of the machine-readable report.
#[derive(Default, Serialize)]
struct Report {
    machine: machine::Machine,
    quick: bool,
    candidates: Vec<candidates::Facts>,
    compare: Vec<compare::Row>,
    latency: Vec<latency::Row>,
    growth: growth::Growth,
    scale: Vec<scale::Row>,
    client: Option<client::Client>,
    generation: Vec<generation::Row>,
    targets: Vec<targets::Target>,
    /// Measurements that do not count, with the reason.
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
            grown: match (quick, options.large) {
                (true, _) => vec![1_000, 20_000],
                (false, false) => vec![1_000, 1_000_000, 10_000_000],
                (false, true) => vec![1_000, 1_000_000, 10_000_000, 100_000_000],
            },
            idle_connections: if quick { 100 } else { 1_000 },
        }
    }
}

/// Runs the benchmark, prints the results, and writes a copy to `target/bench`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let wanted = |part| options.only.is_empty() || options.only.contains(&part);
    let programs = Programs::build(root, options.quick)?;
    let folder = programs.target.join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let bench = Bench {
        root,
        extent: Extent::of(options),
        programs,
        folder,
        quick: options.quick,
        peers: options.peers,
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
    if wanted(Part::Scale) {
        scale::measure(&bench, &mut report)?;
    }
    if wanted(Part::Client) {
        client::measure(&bench, &mut report)?;
    }
    if wanted(Part::Generation) {
        generation::measure(&bench, &mut report)?;
    }
    targets::check(&mut report);
    finish(&bench, &report)
}

/// Writes the copies of the report. Fails if a measurement does not count.
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

/// Prints the progress to stderr.
fn progress(what: &str) {
    eprintln!("bench: {what}");
}

/// Returns the command of the cargo that runs this program.
fn cargo() -> std::process::Command {
    std::process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
