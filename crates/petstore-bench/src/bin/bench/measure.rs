//! Runs the program `load`, which sends requests and checks responses, and computes the medians and
//! the spread of its measurements.

use super::{
    Bench,
    process::{Running, output, spawn},
    table,
};
use anyhow::{Result, ensure};
use petstore_bench::{Load, Measured, median};
use serde::Serialize;
use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// If the hypervisor took a larger share of the processor time, the measurement says little about
/// the candidate. It is then repeated, at most a few times, each time after a pause, because a hypervisor
/// gives more time to machines that have used little.
const STOLEN: f64 = 0.02;
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// A measurement with a larger share counts only if fewer than a quarter of the measurements have a
/// smaller one.
const DISTURBED: f64 = 0.05;

/// A running service that receives requests.
pub(crate) struct Target<'a> {
    pub(crate) running: &'a Running,
    pub(crate) key: &'a str,
    pub(crate) pets: i64,
    /// The processes whose processor time is measured.
    pub(crate) watch: Vec<u32>,
    /// Further arguments, such as the positions of the pages.
    pub(crate) arguments: Vec<String>,
}

impl Target<'_> {
    /// Measures a load over a number of connections, at a fixed rate or as fast as responses
    /// arrive. If the measurement is repeated, the one with the smallest share of stolen time
    /// counts.
    pub(crate) fn measure(
        &self,
        bench: &Bench,
        kind: Load,
        connections: usize,
        rate: Option<f64>,
    ) -> Result<Measured> {
        let quick = bench.options.quick;
        let seconds = bench.options.seconds;
        let seconds = seconds.unwrap_or(if quick { 0.2 } else { 0.8 });
        let mut command = load(bench, "run", self.running, self.key, self.pets);
        command
            .args(["--load", &format!("{kind:?}").to_lowercase()])
            .args(["--connections", &connections.to_string()])
            .args(["--seconds", &seconds.to_string()])
            .args(["--warm-up-seconds", if quick { "0.1" } else { "0.2" }])
            .args(&self.arguments);
        for id in &self.watch {
            command.args(["--watch", &id.to_string()]);
        }
        if let Some(rate) = rate {
            command.args(["--rate", &rate.to_string()]);
        }
        let mut once = || -> Result<Measured> { Ok(serde_json::from_str(&output(&mut command)?)?) };
        let mut best = once()?;
        for _ in 1..TRIES {
            if best.stolen <= STOLEN {
                break;
            }
            thread::sleep(PAUSE);
            let again = once()?;
            if again.stolen < best.stolen {
                best = again;
            }
        }
        Ok(best)
    }

    /// Returns the memory of the service, in bytes, while this number of connections are idle.
    pub(crate) fn idle(&self, bench: &Bench, connections: usize) -> Result<u64> {
        let mut command = load(bench, "idle", self.running, self.key, self.pets);
        command
            .args(["--load", "list", "--connections", &connections.to_string()])
            .args(&self.arguments)
            .stdin(Stdio::piped());
        let (mut load, _) = spawn(&mut command)?;
        let memory = self.running.memory("VmRSS");
        drop(load.stdin.take());
        let status = load.wait()?;
        ensure!(status.success(), "{command:?} failed: {status}");
        memory
    }
}

/// Builds the command of the load. It runs under `SCHED_BATCH`, so that it does not preempt the
/// service when it wakes up. A load on another machine would not interrupt the service for each
/// response either.
pub(crate) fn load(bench: &Bench, what: &str, running: &Running, key: &str, pets: i64) -> Command {
    let mut command = Command::new("chrt");
    command
        .args(["--batch", "0"])
        .arg(bench.programs.join("load"))
        .arg(what)
        .args(["--address", &running.address.to_string()])
        .args(["--key", key])
        .args(["--pets", &pets.to_string()]);
    command
}

/// Returns the measurement of a round. If a response was wrong, returns `None` and records why.
pub(crate) fn valid(
    void: &mut Vec<String>,
    what: &str,
    round: Result<Measured>,
) -> Option<Measured> {
    let record = |error: &anyhow::Error| void.push(format!("{what}: {error:#}"));
    round.inspect_err(record).ok()
}

/// Returns the median ratio of two measurements of the same round, over the rounds that count.
pub(crate) fn ratio(
    rounds: &[Option<Measured>],
    others: &[Option<Measured>],
    of: fn(&Measured) -> f64,
) -> Option<f64> {
    let pairs = rounds.iter().zip(others);
    let pairs = pairs.filter_map(|(own, other)| Some((own.as_ref()?, other.as_ref()?)));
    let pairs = counted(pairs.collect(), |(own, other)| own.stolen.max(other.stolen));
    median(pairs.iter().map(|(own, other)| of(own) / of(other)))
}

/// Selects the measurements that count. If the hypervisor took little processor time during at
/// least a quarter of the measurements, only those count.
fn counted<T>(rounds: Vec<T>, stolen: impl Fn(&T) -> f64) -> Vec<T> {
    let is_calm = |round: &T| stolen(round) <= DISTURBED;
    let calm = rounds.iter().filter(|&round| is_calm(round)).count();
    let enough = calm > 0 && calm * 4 >= rounds.len();
    let counts = |round: &T| !enough || is_calm(round);
    rounds.into_iter().filter(counts).collect()
}

/// The medians over the rounds that count. Each field is computed separately.
#[derive(Clone, Serialize)]
pub(crate) struct Medians {
    #[serde(flatten)]
    pub(crate) of: Measured,
    /// Half of the difference between the lowest and the highest throughput, as a share of the
    /// median.
    pub(crate) spread: f64,
    /// The number of measurements that count, and the number of all measurements.
    pub(crate) counted: usize,
    pub(crate) rounds: usize,
}

impl Medians {
    /// Returns the medians; `None` if there are no valid measurements.
    pub(crate) fn of(all: &[Option<Measured>]) -> Option<Self> {
        let rounds = counted(all.iter().flatten().collect(), |round| round.stolen);
        let middle = |field: fn(&Measured) -> f64| median(rounds.iter().map(|round| field(round)));
        let requests_per_second = middle(|round| round.requests_per_second)?;
        let rates = rounds.iter().map(|round| round.requests_per_second);
        let (least, most) = (rates.clone().reduce(f64::min)?, rates.reduce(f64::max)?);
        Some(Self {
            of: Measured {
                requests_per_second,
                p50_us: middle(|round| round.p50_us)?,
                p99_us: middle(|round| round.p99_us)?,
                p999_us: middle(|round| round.p999_us)?,
                max_us: middle(|round| round.max_us)?,
                cpu_us: middle(|round| round.cpu_us)?,
                load_cpu_us: middle(|round| round.load_cpu_us)?,
                stolen: middle(|round| round.stolen)?,
            },
            spread: (most - least) / 2.0 / requests_per_second,
            counted: rounds.len(),
            rounds: all.iter().flatten().count(),
        })
    }

    /// Returns the cells of a table; one cell says that there are no medians.
    pub(crate) fn cells(
        medians: Option<&Self>,
        cells: impl Fn(&Self) -> Vec<String>,
    ) -> Vec<String> {
        medians.map_or_else(|| vec!["void".to_owned()], cells)
    }

    pub(crate) fn rate(&self) -> String {
        format!("{:.0}", self.of.requests_per_second)
    }

    pub(crate) fn cpu(&self) -> String {
        format!("{:.1} µs", self.of.cpu_us)
    }

    /// Returns p50, p99 and p99.9 for a table.
    pub(crate) fn latencies(&self) -> [String; 3] {
        [self.of.p50_us, self.of.p99_us, self.of.p999_us].map(table::latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn medians(rounds: &[(f64, f64)]) -> Option<Medians> {
        let measured = |&(requests_per_second, stolen): &(f64, f64)| {
            Some(Measured {
                requests_per_second,
                p50_us: 1.0,
                p99_us: 2.0,
                p999_us: 3.0,
                max_us: 4.0,
                cpu_us: 5.0,
                load_cpu_us: 6.0,
                stolen,
            })
        };
        Medians::of(&rounds.iter().map(measured).collect::<Vec<_>>())
    }

    #[test]
    fn the_spread_is_half_the_range_of_the_rounds() {
        let medians_of = medians(&[(90.0, 0.0), (100.0, 0.0), (130.0, 0.0)]).expect("rounds");
        assert_eq!(medians_of.of.requests_per_second, 100.0);
        assert_eq!(medians_of.spread, 0.2);
        assert!(medians(&[]).is_none());
    }

    #[test]
    fn rounds_with_stolen_cpu_time_are_ignored_unless_nearly_all_rounds_have_stolen_time() {
        let measured = |calm| {
            let rounds = [(10.0, 0.4), (20.0, 0.4), (90.0, calm), (30.0, 0.4)];
            let medians = medians(&rounds).expect("four rounds");
            let rate = medians.of.requests_per_second;
            (rate, medians.counted, medians.rounds)
        };
        assert_eq!(measured(0.05), (90.0, 1, 4));
        assert_eq!(measured(0.06), (25.0, 4, 4));
    }
}
