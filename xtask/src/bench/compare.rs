//! Compares the candidates. All of them run in every round, and each load is sent to one candidate
//! after another, beginning with a different candidate each time. A ratio compares two measurements
//! that are only seconds apart, so anything that slows down the machine for a while affects both.
//! The median of the ratios is reported.

use super::{
    Bench, Report,
    candidates::{Candidate, Candidates, Facts, Kind},
    figures::{self, Medians, median},
    load::{self, LOADS, Load, Measured, MeasuredCandidate},
    process::Running,
    progress,
    table::{self, Table},
};
use anyhow::Result;
use serde::Serialize;
use std::iter;

/// A candidate under a load.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) load: Load,
    pub(super) connections: usize,
    pub(super) candidate: Kind,
    /// The medians; `None` if all rounds are invalid.
    pub(super) medians: Option<Medians>,
    /// The throughput as a share of the baseline's, and as a multiple of the comparison's.
    pub(super) of_baseline: Option<f64>,
    pub(super) of_comparison: Option<f64>,
    /// The measurement of each round; `None` if it is invalid.
    rounds: Vec<Option<Measured>>,
}

impl Row {
    fn key(&self) -> (Kind, Load, usize) {
        (self.candidate, self.load, self.connections)
    }
}

pub(super) fn measure(
    bench: &Bench<'_>,
    candidates: &Candidates,
    report: &mut Report,
) -> Result<()> {
    for candidate in &candidates.all {
        report.candidates.push(Facts {
            candidate: candidate.kind,
            binary_bytes: candidate.binary_bytes()?,
            ready_ms: Vec::new(),
            peak_bytes: Vec::new(),
            idle_bytes: idle(bench, candidates, candidate)?,
            idle_connections: bench.extent.idle_connections,
        });
        for load in LOADS {
            for &connections in &bench.extent.connections {
                report.compare.push(Row {
                    load,
                    connections,
                    candidate: candidate.kind,
                    medians: None,
                    of_baseline: None,
                    of_comparison: None,
                    rounds: Vec::new(),
                });
            }
        }
    }
    for round in 0..bench.extent.rounds {
        progress(&format!("round {} of {}", round + 1, bench.extent.rounds));
        one_round(bench, candidates, round, report)?;
    }
    conclude(&mut report.compare);
    print(report);
    Ok(())
}

fn one_round(
    bench: &Bench<'_>,
    candidates: &Candidates,
    round: usize,
    report: &mut Report,
) -> Result<()> {
    let running = candidates.all.iter().map(|candidate| {
        let running = candidates.start(candidate)?;
        Ok((candidate, running))
    });
    let running: Vec<(&Candidate, Running)> = running.collect::<Result<_>>()?;
    let loads = LOADS.into_iter().flat_map(|load| {
        let connections = bench.extent.connections.iter();
        connections.flat_map(move |&connections| iter::repeat_n((load, connections), load.turns()))
    });
    for (place, (load, connections)) in loads.enumerate() {
        for turn in 0..running.len() {
            let (candidate, running) = &running[(turn + place + round) % running.len()];
            let watch = candidates.processes(candidate, running);
            let measured_candidate = MeasuredCandidate::new(bench, candidate, running, watch);
            let measured = measured_candidate.measure(bench, load, connections, None);
            let kind = candidate.kind;
            let void = |error: &anyhow::Error| {
                report.void.push(format!(
                    "{kind}, {load}, {connections} connections: {error:#}"
                ));
            };
            let measured = measured.inspect_err(void).ok();
            let key = (kind, load, connections);
            let mut rows = report.compare.iter_mut();
            if let Some(row) = rows.find(|row| row.key() == key) {
                row.rounds.push(measured);
            }
        }
    }
    for (candidate, running) in &running {
        let mut facts = report.candidates.iter_mut();
        if let Some(facts) = facts.find(|facts| facts.candidate == candidate.kind) {
            facts.ready_ms.push(running.ready.as_secs_f64() * 1e3);
            facts.peak_bytes.push(running.memory("VmHWM")?);
        }
    }
    Ok(())
}

fn idle(bench: &Bench<'_>, candidates: &Candidates, candidate: &Candidate) -> Result<u64> {
    let running = candidates.start(candidate)?;
    load::idle(bench, candidate, &running, bench.extent.idle_connections)
}

/// Computes the medians, and the ratios to the baseline and to the comparison under the same load.
fn conclude(rows: &mut [Row]) {
    let ratios: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                ratio(rows, row, Kind::Baseline),
                ratio(rows, row, Kind::Comparison),
            )
        })
        .collect();
    for (row, (of_baseline, of_comparison)) in rows.iter_mut().zip(ratios) {
        row.medians = Medians::of(row.rounds.iter().flatten());
        (row.of_baseline, row.of_comparison) = (of_baseline, of_comparison);
    }
}

/// Returns the median ratio of the throughput to the throughput of another candidate under the same
/// load.
pub(super) fn ratio(rows: &[Row], row: &Row, to: Kind) -> Option<f64> {
    let key = (to, row.load, row.connections);
    let other = rows.iter().find(|other| other.key() == key)?;
    let pairs = row.rounds.iter().zip(&other.rounds);
    let pairs = pairs.filter_map(|(own, other)| Some((own.as_ref()?, other.as_ref()?)));
    figures::ratio(pairs, |measured| measured.requests_per_second)
}

fn print(report: &Report) {
    let mut connections: Vec<usize> = report.compare.iter().map(|row| row.connections).collect();
    connections.sort_unstable();
    connections.dedup();
    for load in LOADS {
        for &connections in &connections {
            let title = format!("{load}, {}", table::connections(connections));
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
            let of_load = |row: &&Row| row.load == load && row.connections == connections;
            for row in report.compare.iter().filter(of_load) {
                table.row(cells(row));
            }
            println!("\n{table}");
        }
    }
    let mut table = Table::new(&[
        "candidate",
        "binary",
        "ready in",
        "peak memory",
        "idle memory",
    ]);
    for facts in &report.candidates {
        table.row([
            facts.candidate.to_string(),
            match facts.binary_bytes {
                0 => table::none(),
                bytes => table::mebibytes(bytes as f64),
            },
            median(facts.ready_ms.iter().copied()).map_or_else(table::none, table::milliseconds),
            median(facts.peak_bytes.iter().map(|&bytes| bytes as f64))
                .map_or_else(table::none, table::mebibytes),
            format!(
                "{} with {}",
                table::mebibytes(facts.idle_bytes as f64),
                table::connections(facts.idle_connections)
            ),
        ]);
    }
    println!("\n{table}");
}

fn cells(row: &Row) -> Vec<String> {
    let name = row.candidate.to_string();
    let Some(medians) = &row.medians else {
        return vec![name, "void".to_owned()];
    };
    let Medians {
        of,
        spread,
        counted,
        rounds,
    } = medians;
    vec![
        name,
        format!("{:.0}", of.requests_per_second),
        format!("±{:.0} %", spread * 100.0),
        row.of_baseline
            .map_or_else(table::none, |ratio| format!("{ratio:.2}")),
        row.of_comparison
            .map_or_else(table::none, |ratio| format!("{ratio:.2}")),
        table::latency(of.p50_us),
        table::latency(of.p99_us),
        table::latency(of.p999_us),
        format!("{:.1} µs", of.cpu_us),
        format!("{:.1} µs", of.load_cpu_us),
        format!("{:.1} %", of.stolen * 100.0),
        format!("{counted} of {rounds}"),
    ]
}
