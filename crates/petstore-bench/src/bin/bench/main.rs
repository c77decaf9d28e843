//! Measures the service together with a baseline and comparisons, its latency at a fixed rate, its
//! reads on growing stores, the client, and the generator. Each part is one file in this folder. The
//! programs `load` and `client` send the requests and check the responses. `cargo xtask bench` compiles
//! and starts this program, in the root of the workspace. The page about the benchmark in the book
//! explains what is measured and why.

mod candidates;
mod client;
mod compare;
mod generation;
mod growth;
mod measure;
mod postgres;
mod scale;
mod table;
mod targets;

use anyhow::{Context as _, Result};
use candidates::Candidates;
use clap::{Parser, ValueEnum};
use procfs::{CpuInfo, Current as _, LoadAverage, Meminfo};
use serde::Serialize;
use std::{
    env, fs, mem,
    path::PathBuf,
    process::{Command, ExitCode},
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

/// Measure the service beside a baseline and other implementations
///
/// Exits with 0 if every response was correct, and with 1 if not; the speed does not change the exit
/// code.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Options {
    /// Check quickly that everything works, without measuring the speed: small
    /// stores, one short round, the `dev` profile
    #[arg(long)]
    quick: bool,

    /// Measure only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,

    /// Compare with these other implementations
    #[arg(long, value_enum, default_value_t)]
    peers: Selection,

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

/// The peers to measure.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
enum Selection {
    /// Those on axum
    #[default]
    Usual,
    /// The service without events, and no other implementation
    Events,
    /// All of them
    All,
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

/// The inputs that all parts need.
struct Bench {
    options: Options,
    /// The root of the workspace.
    root: PathBuf,
    /// The folder of the compiled programs.
    programs: PathBuf,
    /// The folder for temporary files, and for files that are kept for the next run.
    folder: PathBuf,
    rounds: usize,
    /// The number of pets in the store of every candidate.
    pets: i64,
    /// Measurements that do not count, with the reason.
    void: Mutex<Vec<String>>,
}

/// The content of the machine-readable report.
#[derive(Default, Serialize)]
struct Report {
    /// The machine, because absolute measurements have no meaning without it.
    machine: String,
    /// Seconds since 1970-01-01T00:00:00Z.
    time: u64,
    quick: bool,
    candidates: Vec<candidates::Facts>,
    compare: Vec<compare::Row>,
    latency: Vec<compare::Row>,
    growth: growth::Growth,
    scale: Vec<scale::Row>,
    client: Option<petstore_bench::ClientReport>,
    generation: Vec<generation::Row>,
    targets: Vec<targets::Target>,
    void: Vec<String>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let program = env::current_exe()?;
    let mut folders = program.ancestors().skip(1);
    let programs = folders.next().context("a program is in a folder")?;
    let folder = folders.next().unwrap_or(programs).join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let quick = options.quick;
    let bench = Bench {
        root: env::current_dir()?,
        programs: programs.to_owned(),
        folder,
        rounds: options.rounds.unwrap_or(if quick { 1 } else { 11 }).max(1),
        pets: if quick { 2_000 } else { 100_000 },
        options,
        void: Mutex::default(),
    };
    let mut report = Report {
        machine: machine()?,
        time: SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        quick,
        ..Report::default()
    };
    println!("{}", report.machine);
    let wanted = |part| bench.options.only.is_empty() || bench.options.only.contains(&part);
    if wanted(Part::Compare) || wanted(Part::Latency) {
        let candidates = Candidates::prepare(&bench)?;
        (report.candidates, report.compare) = compare::measure(&bench, &candidates)?;
        if wanted(Part::Latency) {
            report.latency = compare::latency(&bench, &candidates, &report.compare)?;
        }
    }
    if wanted(Part::Growth) {
        report.growth = growth::measure(&bench)?;
    }
    if wanted(Part::Scale) {
        report.scale = scale::measure(&bench)?;
    }
    if wanted(Part::Client) {
        report.client = Some(client::measure(&bench)?);
    }
    if wanted(Part::Generation) {
        report.generation = generation::measure(&bench)?;
    }
    report.targets = targets::check(&report);
    let mut void = bench.void.lock().unwrap_or_else(PoisonError::into_inner);
    report.void = mem::take(&mut void);
    let path = bench.folder.join("bench.json");
    fs::write(&path, serde_json::to_string_pretty(&report)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    for void in &report.void {
        println!("void: {void}");
    }
    Ok(ExitCode::from(u8::from(!report.void.is_empty())))
}

impl Bench {
    /// Returns the command of a compiled program.
    fn program(&self, name: &str) -> Command {
        Command::new(self.programs.join(name))
    }

    /// Returns a folder that is removed at the end. It is in the target folder, because a temporary
    /// folder may be in memory, where nothing has to be synced to a disk.
    fn temporary(&self, prefix: &str) -> Result<tempfile::TempDir> {
        let mut folder = tempfile::Builder::new();
        Ok(folder.prefix(prefix).tempdir_in(&self.folder)?)
    }

    /// Records that a measurement does not count. The benchmark then exits with 1.
    fn record_void(&self, what: String) {
        let mut void = self.void.lock().unwrap_or_else(PoisonError::into_inner);
        void.push(what);
    }
}

/// Describes the machine. If the load average of the last minute is higher than some tenths, the
/// machine was busy with something else.
fn machine() -> Result<String> {
    let processors = CpuInfo::current()?;
    let model = processors.model_name(0).unwrap_or("unknown");
    let number = processors.num_cores();
    let memory = Meminfo::current()?.mem_total / 1024;
    let linux = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let load = LoadAverage::current()?.one;
    Ok(format!(
        "{number} processors ({model}), {memory} kB of memory, Linux {}; load before: {load}",
        linux.trim()
    ))
}

/// Prints the progress to stderr.
fn progress(what: &str) {
    eprintln!("bench: {what}");
}
