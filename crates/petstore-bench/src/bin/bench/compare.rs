//! Compares the candidates: their throughput, and their latency at a fixed rate.
//!
//! All of them run in every round, and each load is sent to one candidate after another, beginning
//! with a different candidate each time. A ratio compares two measurements that are only seconds
//! apart, so anything that slows down the machine for a while affects both. The median of the ratios
//! is reported.

use super::{
    Bench, Report,
    candidates::{Candidate, Candidates, Facts, Kind},
    measure::{self, Medians, Target, valid},
    process::Running,
    progress,
    table::{self, Table},
};
use anyhow::Result;
use petstore_bench::{Load, Measured, median};
use serde::Serialize;

/// How often a round measures creations. They wait for the disk, so their measurements vary more
/// than those of reads.
const CREATIONS: usize = 3;
/// The number of connections for the targets, for the chart, and for the latency. If they were not
/// measured with this number, the highest number is used for the chart and the latency.
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
    /// The medians; `None` if all rounds are invalid.
    pub(crate) medians: Option<Medians>,
    /// The throughput as a share of the baseline's, and as a multiple of the comparison's.
    pub(crate) of_baseline: Option<f64>,
    pub(crate) of_comparison: Option<f64>,
    /// The measurement of each round; `None` if it is invalid.
    rounds: Vec<Option<Measured>>,
}

impl Row {
    fn new(load: Load, connections: usize, candidate: Kind, rate: Option<f64>) -> Self {
        Self {
            load,
            connections,
            candidate,
            rate,
            medians: None,
            of_baseline: None,
            of_comparison: None,
            rounds: Vec::new(),
        }
    }

    pub(crate) fn is(&self, candidate: Kind, load: Load, connections: usize) -> bool {
        (self.candidate, self.load, self.connections) == (candidate, load, connections)
    }

    /// Measures one round.
    fn measure(&mut self, bench: &Bench, target: &Target<'_>, void: &mut Vec<String>) {
        let measured = target.measure(bench, self.load, self.connections, self.rate);
        let rate = if self.rate.is_some() {
            " at a rate"
        } else {
            ""
        };
        let connections = table::connections(self.connections);
        let what = format!("{}, {}{rate}, {connections}", self.candidate, self.load);
        self.rounds.push(valid(void, &what, measured));
    }
}

/// Measures the throughput of all candidates.
pub(crate) fn measure(bench: &Bench, candidates: &Candidates, report: &mut Report) -> Result<()> {
    let idle_connections = if bench.options.quick { 100 } else { 1_000 };
    for candidate in &candidates.all {
        let running = candidates.start(candidate)?;
        let target = target(bench, candidate, &running);
        report.candidates.push(Facts {
            candidate: candidate.kind,
            binary_bytes: candidate.binary_bytes(),
            ready_ms: Vec::new(),
            peak_bytes: Vec::new(),
            idle_bytes: target.idle(bench, idle_connections)?,
            idle_connections,
        });
    }
    for load in Load::ALL {
        for &connections in &bench.options.connections {
            for candidate in &candidates.all {
                let row = Row::new(load, connections, candidate.kind, None);
                report.compare.push(row);
            }
        }
    }
    for round in 0..bench.rounds {
        progress(&format!("round {} of {}", round + 1, bench.rounds));
        one_round(bench, candidates, round, report)?;
    }
    let rows = &report.compare;
    let ratios = rows
        .iter()
        .map(|row| [Kind::Baseline, Kind::Comparison].map(|to| ratio(rows, row, to)));
    let ratios: Vec<_> = ratios.collect();
    for (row, ratios) in report.compare.iter_mut().zip(ratios) {
        row.medians = Medians::of(&row.rounds);
        [row.of_baseline, row.of_comparison] = ratios;
    }
    print(report);
    Ok(())
}

fn one_round(
    bench: &Bench,
    candidates: &Candidates,
    round: usize,
    report: &mut Report,
) -> Result<()> {
    let running = candidates
        .all
        .iter()
        .map(|candidate| candidates.start(candidate));
    let running: Vec<Running> = running.collect::<Result<_>>()?;
    // The rows of one load and one number of connections are neighbours.
    let number = running.len();
    let mut first = round;
    for rows in report.compare.chunks_mut(number) {
        let turns = if rows[0].load == Load::Create {
            CREATIONS
        } else {
            1
        };
        for _ in 0..turns {
            for turn in 0..number {
                let index = (first + turn) % number;
                let (candidate, running) = (&candidates.all[index], &running[index]);
                let mut target = target(bench, candidate, running);
                target.watch = candidates.processes(candidate, running);
                rows[index].measure(bench, &target, &mut report.void);
            }
            first += 1;
        }
    }
    for (facts, running) in report.candidates.iter_mut().zip(&running) {
        facts.ready_ms.push(running.ready_ms());
        facts.peak_bytes.push(running.memory("VmHWM")?);
    }
    Ok(())
}

fn target<'a>(bench: &Bench, candidate: &'a Candidate, running: &'a Running) -> Target<'a> {
    let pages = candidate.pages.display().to_string();
    let responses = candidate.kind.responses().iter().map(ToString::to_string);
    Target {
        running,
        key: &candidate.key,
        pets: bench.pets,
        watch: vec![running.id()],
        arguments: ["--pages".to_owned(), pages]
            .into_iter()
            .chain(responses)
            .collect(),
    }
}

/// Returns the median ratio of the throughput to the throughput of another candidate under the same
/// load.
pub(crate) fn ratio(rows: &[Row], row: &Row, to: Kind) -> Option<f64> {
    let mut others = rows.iter();
    let other = others.find(|other| other.is(to, row.load, row.connections))?;
    measure::ratio(&row.rounds, &other.rounds, |round| {
        round.requests_per_second
    })
}

/// Returns the number of connections for the chart and the latency.
pub(crate) fn usual_connections(rows: &[Row]) -> usize {
    let measured = rows.iter().map(|row| row.connections);
    let usual = measured.clone().find(|&number| number == CONNECTIONS);
    usual.or(measured.max()).unwrap_or(CONNECTIONS)
}

/// Measures the latency at a share of the highest throughput that the candidate reached in this run.
/// Requests are sent at fixed times, not when the previous response has arrived.
pub(crate) fn latency(bench: &Bench, candidates: &Candidates, report: &mut Report) -> Result<()> {
    let connections = usual_connections(&report.compare);
    let measured = report
        .compare
        .iter()
        .filter(|row| row.connections == connections);
    let rows = measured.filter_map(|row| {
        let rate = row.medians.as_ref()?.of.requests_per_second * SHARE;
        Some(Row::new(row.load, connections, row.candidate, Some(rate)))
    });
    let mut rows: Vec<Row> = rows.collect();
    for round in 0..LATENCY_ROUNDS.min(bench.rounds) {
        progress(&format!("latency, round {}", round + 1));
        for candidate in &candidates.all {
            let running = candidates.start(candidate)?;
            let target = target(bench, candidate, &running);
            // A candidate that has just started has to fill its caches first, because the rates
            // were measured with candidates that had run for a while.
            let mut warm_up = Row::new(Load::Mix, connections, candidate.kind, None);
            warm_up.measure(bench, &target, &mut report.void);
            for row in rows
                .iter_mut()
                .filter(|row| row.candidate == candidate.kind)
            {
                row.measure(bench, &target, &mut report.void);
            }
        }
    }
    for row in &mut rows {
        row.medians = Medians::of(&row.rounds);
    }
    for rows in rows.chunk_by(|one, next| one.load == next.load) {
        let title = format!(
            "{} at 70 %, {}",
            rows[0].load,
            table::connections(connections)
        );
        let mut table = Table::new(&[&title, "sent/s", "p50", "p99", "p99.9", "longest"]);
        for row in rows {
            let mut cells = vec![row.candidate.to_string()];
            cells.extend(row.rate.map(|rate| format!("{rate:.0}")));
            cells.extend(Medians::cells(row.medians.as_ref(), |medians| {
                let longest = table::latency(medians.of.max_us);
                [&medians.latencies()[..], &[longest]].concat()
            }));
            table.row(cells);
        }
        println!("\n{table}");
    }
    report.latency = rows;
    Ok(())
}

fn print(report: &Report) {
    let same = |one: &Row, next: &Row| (one.load, one.connections) == (next.load, next.connections);
    for rows in report.compare.chunk_by(same) {
        let title = format!(
            "{}, {}",
            rows[0].load,
            table::connections(rows[0].connections)
        );
        let mut table = Table::new(&[
            &title,
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
        ]);
        for row in rows {
            let mut cells = vec![row.candidate.to_string()];
            cells.extend(Medians::cells(row.medians.as_ref(), |medians| {
                let [p50, p99, p999] = medians.latencies();
                vec![
                    medians.rate(),
                    format!("±{:.0} %", medians.spread * 100.0),
                    table::ratio(row.of_baseline),
                    table::ratio(row.of_comparison),
                    p50,
                    p99,
                    p999,
                    medians.cpu(),
                    format!("{:.1} µs", medians.of.load_cpu_us),
                    format!("{:.1} %", medians.of.stolen * 100.0),
                    format!("{} of {}", medians.counted, medians.rounds),
                ]
            }));
            table.row(cells);
        }
        println!("\n{table}");
    }
    let mut table = Table::new(&[
        "candidate",
        "binary",
        "ready in",
        "peak memory",
        "idle memory",
    ]);
    for facts in &report.candidates {
        let peaks = facts.peak_bytes.iter().map(|&bytes| bytes as f64);
        let binary = Some(facts.binary_bytes as f64).filter(|bytes| *bytes > 0.0);
        let idle = table::mebibytes(facts.idle_bytes as f64);
        let connections = table::connections(facts.idle_connections);
        table.row([
            facts.candidate.to_string(),
            table::or_none(binary, table::mebibytes),
            table::or_none(median(facts.ready_ms.iter().copied()), table::milliseconds),
            table::or_none(median(peaks), table::mebibytes),
            format!("{idle} with {connections}"),
        ]);
    }
    println!("\n{table}");
}
