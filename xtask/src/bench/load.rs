//! Runs the program `load`, which asks and judges, and reads what it found.

use super::{
    Bench,
    candidates::{Candidate, Kind},
    process::Running,
    programs::output,
};
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

/// What is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Load {
    List,
    Get,
    Mix,
    Create,
}

/// In the order in which they are measured: what is created comes last.
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

    /// How often a round asks for it: creates wait for a disk, and one measure of
    /// them lies further from the next than one of reads does.
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

/// What a run took.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Measured {
    pub(super) requests_per_second: f64,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) p999_us: f64,
    pub(super) max_us: f64,
    /// Processor time of the candidate for a request, in microseconds.
    pub(super) cpu_us: f64,
    /// The same of the load itself.
    pub(super) load_cpu_us: f64,
    /// The share of the processors' time that the hypervisor gave to others,
    /// from 0 to 1.
    pub(super) stolen: f64,
}

/// What is measured while more of the machine is taken away says little of the
/// candidate: it is measured again, a few times at most. Each time after a pause,
/// since a hypervisor gives more to those who asked for little.
const STOLEN: f64 = 0.02;
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// Beyond this, a measure that could not be had better counts only where fewer
/// than a quarter are better (`figures`).
const DISTURBED: f64 = 0.05;

impl Measured {
    pub(super) fn is_disturbed(&self) -> bool {
        self.stolen > DISTURBED
    }
}

/// A candidate that runs.
pub(super) struct Asked<'a> {
    pub(super) running: &'a Running,
    pub(super) key: &'a str,
    pub(super) pets: i64,
    /// Processes whose time is measured.
    pub(super) watch: Vec<u32>,
    /// More arguments, such as where the pages are.
    pub(super) arguments: Vec<String>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(
        bench: &Bench<'_>,
        candidate: &'a Candidate,
        running: &'a Running,
        watch: Vec<u32>,
    ) -> Self {
        let mut arguments = vec!["--pages".to_owned(), shown(&candidate.pages)];
        if candidate.kind == Kind::Floor {
            arguments.push("--fixed".to_owned());
        }
        Self {
            running,
            key: &candidate.key,
            pets: bench.extent.pets,
            watch,
            arguments,
        }
    }

    /// Asks over so many connections, at a rate or as fast as answers come; of
    /// several tries, the one with the least that was stolen counts.
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

/// Where the pages of a list are, as JSON.
pub(super) fn walk(
    bench: &Bench<'_>,
    running: &Running,
    key: &str,
    pets: i64,
    arguments: &[String],
) -> Result<String> {
    output(command(bench, "walk", running, key, pets).args(arguments))
}

/// The memory of a candidate in bytes while so many connections are idle.
pub(super) fn idle(
    bench: &Bench<'_>,
    candidate: &Candidate,
    running: &Running,
    connections: usize,
) -> Result<u64> {
    let mut command = command(bench, "idle", running, &candidate.key, bench.extent.pets);
    command.args(["--connections", &connections.to_string()]);
    if candidate.kind == Kind::Floor {
        command.arg("--fixed");
    }
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

/// Under `SCHED_BATCH`, so that waking up takes the processor from nobody: on a
/// machine of its own a load would not stop the service for each answer.
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

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
