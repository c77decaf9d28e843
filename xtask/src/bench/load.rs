//! Runs the program `load`, which sends requests and checks responses, and reads its
//! measurements.

use super::{Bench, candidates::Candidate, process::Running, programs::output};
use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// The requests of a load.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Load {
    List,
    Get,
    Mix,
    Create,
}

/// The loads in the order in which they are measured. Creations come last.
pub(super) const LOADS: [Load; 4] = [Load::List, Load::Get, Load::Mix, Load::Create];

impl Load {
    fn name(self) -> &'static str {
        match self {
            Load::List => "list",
            Load::Get => "get",
            Load::Mix => "mix",
            Load::Create => "create",
        }
    }

    /// How often a round measures the load. Creations wait for the disk, so their measurements vary
    /// more than those of reads.
    pub(super) fn turns(self) -> usize {
        match self {
            Load::List | Load::Get | Load::Mix => 1,
            Load::Create => 3,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Load::List => "list of 20, filtered",
            Load::Get => "get",
            Load::Mix => "90 lists, 9 gets, 1 create",
            Load::Create => "create",
        })
    }
}

/// The measurements of one run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Measured {
    pub(super) requests_per_second: f64,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) p999_us: f64,
    pub(super) max_us: f64,
    /// The processor time of the candidate per request, in microseconds.
    pub(super) cpu_us: f64,
    /// The processor time of the load per request, in microseconds.
    pub(super) load_cpu_us: f64,
    /// The share of the processor time that the hypervisor gave to other machines, from 0 to 1.
    pub(super) stolen: f64,
}

/// If the hypervisor took a larger share of the processor time, the measurement says little about
/// the candidate. It is then repeated, at most a few times, each time after a pause, because a hypervisor
/// gives more time to machines that have used little.
const STOLEN: f64 = 0.02;
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// A measurement with a larger share counts only if fewer than a quarter of the
/// measurements have a smaller one (see `figures`).
const DISTURBED: f64 = 0.05;

impl Measured {
    pub(super) fn is_disturbed(&self) -> bool {
        self.stolen > DISTURBED
    }
}

/// A running candidate, and how the load connects to it.
pub(super) struct MeasuredCandidate<'a> {
    pub(super) running: &'a Running,
    pub(super) key: &'a str,
    pub(super) pets: i64,
    /// The processes whose processor time is measured.
    pub(super) watch: Vec<u32>,
    /// Further arguments, such as the positions of the pages.
    pub(super) arguments: Vec<String>,
}

impl<'a> MeasuredCandidate<'a> {
    pub(super) fn new(
        bench: &Bench<'_>,
        candidate: &'a Candidate,
        running: &'a Running,
        watch: Vec<u32>,
    ) -> Self {
        let mut arguments = vec!["--pages".to_owned(), path_argument(&candidate.pages)];
        if candidate.is_fixed() {
            arguments.push("--fixed".to_owned());
        }
        arguments.extend(candidate.kind.members().iter().map(ToString::to_string));
        Self {
            running,
            key: &candidate.key,
            pets: bench.extent.pets,
            watch,
            arguments,
        }
    }

    /// Measures a load over a number of connections, at a fixed rate or as fast as responses
    /// arrive. If the measurement is repeated, the one with the smallest share of stolen time
    /// counts.
    pub(super) fn measure(
        &self,
        bench: &Bench<'_>,
        load: Load,
        connections: usize,
        rate: Option<f64>,
    ) -> Result<Measured> {
        let mut best = self.measure_once(bench, load, connections, rate)?;
        for _ in 1..TRIES {
            if best.stolen <= STOLEN {
                break;
            }
            thread::sleep(PAUSE);
            let again = self.measure_once(bench, load, connections, rate)?;
            if again.stolen < best.stolen {
                best = again;
            }
        }
        Ok(best)
    }

    fn measure_once(
        &self,
        bench: &Bench<'_>,
        load: Load,
        connections: usize,
        rate: Option<f64>,
    ) -> Result<Measured> {
        let mut command = command(bench, "run", self.running, self.key, self.pets);
        command
            .args(["--load", load.name()])
            .args(["--connections", &connections.to_string()])
            .args(["--seconds", &bench.extent.seconds.to_string()])
            .args([
                "--warm-up-seconds",
                &bench.extent.warm_up_seconds.to_string(),
            ])
            .args(&self.arguments);
        for id in &self.watch {
            command.args(["--watch", &id.to_string()]);
        }
        if let Some(rate) = rate {
            command.args(["--rate", &rate.to_string()]);
        }
        Ok(serde_json::from_str(&output(&mut command)?)?)
    }
}

/// Returns the positions of the pages of a list, as JSON.
pub(super) fn walk(
    bench: &Bench<'_>,
    running: &Running,
    key: &str,
    pets: i64,
    arguments: &[String],
) -> Result<String> {
    output(command(bench, "walk", running, key, pets).args(arguments))
}

/// Returns the memory of a candidate, in bytes, while this number of connections are idle.
pub(super) fn idle(
    bench: &Bench<'_>,
    candidate: &Candidate,
    running: &Running,
    connections: usize,
) -> Result<u64> {
    let mut command = command(bench, "idle", running, &candidate.key, bench.extent.pets);
    command.args(["--connections", &connections.to_string()]);
    if candidate.is_fixed() {
        command.arg("--fixed");
    }
    command.args(candidate.kind.members());
    let load = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut load = load.with_context(|| format!("cannot start {command:?}"))?;
    let mut line = String::new();
    if let Some(stdout) = load.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    let memory = running.memory("VmRSS");
    drop(load.stdin.take());
    let status = load.wait()?;
    ensure!(status.success(), "{command:?} failed: {status}");
    memory
}

/// Builds the command of the load. It runs under `SCHED_BATCH`, so that it does not preempt the
/// service when it wakes up. A load on another machine would not interrupt the service for each
/// response either.
fn command(bench: &Bench<'_>, what: &str, running: &Running, key: &str, pets: i64) -> Command {
    let mut command = Command::new("chrt");
    command
        .args(["--batch", "0"])
        .arg(&bench.programs.load)
        .arg(what)
        .args(["--address", &running.address.to_string()])
        .args(["--key", key])
        .args(["--pets", &pets.to_string()]);
    command
}

pub(super) fn path_argument(path: &Path) -> String {
    path.display().to_string()
}
