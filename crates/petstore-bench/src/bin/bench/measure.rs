//! Runs the program `load`, which sends requests and checks responses, and computes the medians and
//! the spread of its measurements.

use super::{Bench, table};
use anyhow::Result;
use petstore_bench::{
    Job, Load, Measured, Run, Service, Work, median,
    pets::{Filter, Members},
    process::{Running, output_with},
};
use serde::de::DeserializeOwned;
use std::{process::Command, thread, time::Duration};

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
pub(crate) struct Target {
    pub(crate) running: Running,
    pub(crate) service: Service,
    /// The processes whose processor time is measured.
    pub(crate) watch: Vec<u32>,
}

impl Target {
    pub(crate) fn new(running: Running, key: String, pets: i64) -> Self {
        Self {
            service: Service {
                address: running.address,
                key,
                pets,
                members: Members::WithVersion,
                fixed: false,
                filter: Filter::Available,
                pages: Vec::new(),
            },
            watch: vec![running.id()],
            running,
        }
    }

    /// Measures a load over a number of connections, at a fixed rate or as fast as responses
    /// arrive. If a response was wrong, returns `None` and records why.
    pub(crate) fn measure(
        &self,
        bench: &Bench,
        what: &str,
        load: Load,
        connections: usize,
        rate: Option<f64>,
    ) -> Option<Measured> {
        let quick = bench.options.quick;
        let seconds = bench.options.seconds;
        let run = Run {
            load,
            connections,
            seconds: seconds.unwrap_or(if quick { 0.2 } else { 0.8 }),
            warm_up_seconds: if quick { 0.1 } else { 0.2 },
            rate,
            watch: self.watch.clone(),
        };
        let measured = self.calmest(bench, &run);
        let record = |error: &anyhow::Error| bench.record_void(format!("{what}: {error:#}"));
        measured.inspect_err(record).ok()
    }

    /// Repeats a run while too much time is stolen. The one with the smallest share of stolen time
    /// counts.
    fn calmest(&self, bench: &Bench, run: &Run) -> Result<Measured> {
        let once = || self.load::<Measured>(bench, Work::Run(run.clone()));
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

    /// Runs the load and returns what it prints. It runs under `SCHED_BATCH`, so that it does not
    /// preempt the service when it wakes up. A load on another machine would not interrupt the service
    /// for each response either.
    pub(crate) fn load<T: DeserializeOwned>(&self, bench: &Bench, work: Work) -> Result<T> {
        let service = self.service.clone();
        let job = serde_json::to_string(&Job { service, work })?;
        let mut command = Command::new("chrt");
        command
            .args(["--batch", "0"])
            .arg(bench.programs.join("load"));
        Ok(serde_json::from_str(&output_with(&mut command, &job)?)?)
    }
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
pub(crate) struct Medians {
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

    /// Returns a row of a table: its first cells, and the cells of the medians. One cell says that
    /// there are no medians.
    pub(crate) fn row(
        first: impl Into<Vec<String>>,
        rounds: &[Option<Measured>],
        cells: impl Fn(&Self) -> Vec<String>,
    ) -> Vec<String> {
        let medians = Self::of(rounds);
        let cells = medians.map_or_else(|| vec!["void".to_owned()], |medians| cells(&medians));
        [first.into(), cells].concat()
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
                stolen,
                ..Measured::default()
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
