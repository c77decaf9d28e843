//! Compares the candidates: their throughput, and their latency at a fixed rate.
//!
//! All of them run in every round, and each load is sent to one candidate after another, beginning
//! with a different candidate each time. A ratio compares two measurements that are only seconds
//! apart, so anything that slows down the machine for a while affects both. The median of the ratios
//! is reported.

use super::{
    Bench,
    candidates::{Candidates, Facts, Kind},
    measure::{self, Medians, Target},
    progress, table,
};
use anyhow::Result;
use petstore_bench::{Load, Measured, Work, median, process::memory};
use serde::Serialize;

/// How often a round measures creations. They wait for the disk, so their measurements vary more
/// than those of reads.
const CREATIONS: usize = 3;
/// The number of connections for the targets and for the latency. If they were not measured with
/// this number, the highest number is used for the latency.
pub(crate) const CONNECTIONS: usize = 64;
/// The rate at which the latency is measured, as a share of the highest throughput.
const SHARE: f64 = 0.7;
/// The number of rounds for the latency. It can be small, because the throughput at a fixed rate does
/// not vary. But it must not be too small: if the machine stops for some milliseconds, this alone
/// delays more than one of a hundred requests.
const LATENCY_ROUNDS: usize = 9;

/// A candidate under a load.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) load: Load,
    pub(crate) connections: usize,
    pub(crate) candidate: Kind,
    /// The number of requests that were sent per second; `None` if each connection sent the next
    /// request when a response arrived.
    rate: Option<f64>,
    /// The measurement of each round; `None` if it is invalid.
    pub(crate) rounds: Vec<Option<Measured>>,
}

impl Row {
    fn new(load: Load, connections: usize, candidate: Kind, rate: Option<f64>) -> Self {
        Self {
            load,
            connections,
            candidate,
            rate,
            rounds: Vec::new(),
        }
    }

    /// Measures one round.
    fn measure(&mut self, bench: &Bench, target: &Target) {
        let connections = table::connections(self.connections);
        let rate = self.rate.map_or("", |_| " at a rate");
        let what = format!("{}, {}{rate}, {connections}", self.candidate, self.load);
        let measured = target.measure(bench, &what, self.load, self.connections, self.rate);
        self.rounds.push(measured);
    }

    /// Returns the median ratio of the throughput to the throughput of another candidate under the
    /// same load.
    pub(crate) fn ratio(&self, rows: &[Self], to: Kind) -> Option<f64> {
        let key = (to, self.load, self.connections);
        let mut rows = rows.iter();
        let other = rows.find(|row| (row.candidate, row.load, row.connections) == key)?;
        let throughput = |round: &Measured| round.requests_per_second;
        measure::ratio(&self.rounds, &other.rounds, throughput)
    }
}

/// Measures the throughput of all candidates.
pub(crate) fn measure(bench: &Bench, candidates: &Candidates) -> Result<(Vec<Facts>, Vec<Row>)> {
    let idle_connections = if bench.options.quick { 100 } else { 1_000 };
    let facts = candidates.all.iter().map(|candidate| {
        let target = candidates.start(bench, candidate)?;
        let idle = Work::Idle {
            connections: idle_connections,
            process: target.running.id(),
        };
        Ok(Facts {
            candidate: candidate.kind,
            binary_bytes: candidate.binary_bytes(),
            ready_ms: Vec::new(),
            peak_bytes: Vec::new(),
            idle_bytes: target.load(bench, idle)?,
            idle_connections,
        })
    });
    let mut facts: Vec<Facts> = facts.collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for load in Load::ALL {
        for &connections in &bench.options.connections {
            let kinds = candidates.all.iter().map(|candidate| candidate.kind);
            rows.extend(kinds.map(|kind| Row::new(load, connections, kind, None)));
        }
    }
    for round in 0..bench.rounds {
        progress(&format!("round {} of {}", round + 1, bench.rounds));
        let started = candidates.all.iter();
        let started = started.map(|candidate| candidates.start(bench, candidate));
        let targets: Vec<Target> = started.collect::<Result<_>>()?;
        let mut first = round;
        // The rows of one load and one number of connections are neighbours.
        for rows in rows.chunks_mut(targets.len()) {
            let is_creation = rows[0].load == Load::Create;
            let turns = if is_creation { CREATIONS } else { 1 };
            for _ in 0..turns {
                for turn in 0..targets.len() {
                    let index = (first + turn) % targets.len();
                    rows[index].measure(bench, &targets[index]);
                }
                first += 1;
            }
        }
        for (facts, target) in facts.iter_mut().zip(&targets) {
            facts.ready_ms.push(target.running.ready_ms);
            facts.peak_bytes.push(memory(target.running.id())?.1);
        }
    }
    print(&facts, &rows);
    Ok((facts, rows))
}

/// Measures the latency at a share of the highest throughput that the candidate reached in this run.
/// Requests are sent at fixed times, not when the previous response has arrived.
pub(crate) fn latency(
    bench: &Bench,
    candidates: &Candidates,
    compared: &[Row],
) -> Result<Vec<Row>> {
    let measured = &bench.options.connections;
    let highest = measured.iter().max().copied().unwrap_or(CONNECTIONS);
    let usual = measured.contains(&CONNECTIONS);
    let connections = if usual { CONNECTIONS } else { highest };
    let rows = compared.iter().filter(|row| row.connections == connections);
    let rows = rows.filter_map(|row| {
        let rate = Medians::of(&row.rounds)?.of.requests_per_second * SHARE;
        Some(Row::new(row.load, connections, row.candidate, Some(rate)))
    });
    let mut rows: Vec<Row> = rows.collect();
    for round in 0..LATENCY_ROUNDS.min(bench.rounds) {
        progress(&format!("latency, round {}", round + 1));
        for candidate in &candidates.all {
            let target = candidates.start(bench, candidate)?;
            // A candidate that has just started has to fill its caches first, because the rates
            // were measured with candidates that had run for a while.
            Row::new(Load::Mix, connections, candidate.kind, None).measure(bench, &target);
            let own = rows.iter_mut();
            for row in own.filter(|row| row.candidate == candidate.kind) {
                row.measure(bench, &target);
            }
        }
    }
    for rows in rows.chunk_by(|one, next| one.load == next.load) {
        let connections = table::connections(connections);
        let title = format!("{} at 70 %, {connections}", rows[0].load);
        let head = [&title, "sent/s", "p50", "p99", "p99.9", "longest"];
        let rows = rows.iter().map(|row| {
            let mut first = vec![row.candidate.to_string()];
            first.extend(row.rate.map(|rate| format!("{rate:.0}")));
            Medians::row(first, &row.rounds, |medians| {
                let longest = table::latency(medians.of.max_us);
                [&medians.latencies()[..], &[longest]].concat()
            })
        });
        table::print(&head, rows);
    }
    Ok(rows)
}

fn print(facts: &[Facts], all: &[Row]) {
    for rows in
        all.chunk_by(|one, next| (one.load, one.connections) == (next.load, next.connections))
    {
        let connections = table::connections(rows[0].connections);
        let head = [
            &format!("{}, {connections}", rows[0].load),
            "requests/s",
            "spread",
            "of baseline",
            "of comparison",
            "p50",
            "p99",
            "p99.9",
            "CPU/request",
            "load's",
            "stolen",
            "rounds",
        ];
        let rows = rows.iter().map(|row| {
            Medians::row([row.candidate.to_string()], &row.rounds, |medians| {
                let [p50, p99, p999] = medians.latencies();
                vec![
                    medians.rate(),
                    format!("±{:.0} %", medians.spread * 100.0),
                    table::ratio(row.ratio(all, Kind::Baseline)),
                    table::ratio(row.ratio(all, Kind::Comparison)),
                    p50,
                    p99,
                    p999,
                    medians.cpu(),
                    format!("{:.1} µs", medians.of.load_cpu_us),
                    format!("{:.1} %", medians.of.stolen * 100.0),
                    format!("{} of {}", medians.counted, medians.rounds),
                ]
            })
        });
        table::print(&head, rows);
    }
    let head = [
        "candidate",
        "binary",
        "ready in",
        "peak memory",
        "idle memory",
    ];
    let rows = facts.iter().map(|facts| {
        let peaks = facts.peak_bytes.iter().map(|&bytes| bytes as f64);
        let binary = Some(facts.binary_bytes as f64).filter(|bytes| *bytes > 0.0);
        let idle = table::mebibytes(facts.idle_bytes as f64);
        let connections = table::connections(facts.idle_connections);
        vec![
            facts.candidate.to_string(),
            table::or_none(binary, table::mebibytes),
            table::or_none(median(facts.ready_ms.iter().copied()), table::milliseconds),
            table::or_none(median(peaks), table::mebibytes),
            format!("{idle} with {connections}"),
        ]
    });
    table::print(&head, rows);
}
