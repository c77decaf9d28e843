//! Measures the latency at 70 % of the highest throughput that the candidate reached in this run.
//! Requests are sent at fixed times, not when the previous response has arrived.

use super::{
    Bench, Report,
    candidates::{Candidates, Kind},
    figures::Medians,
    load::{LOADS, Load, Measured, MeasuredCandidate},
    progress,
    table::{self, Table},
};
use anyhow::Result;
use serde::Serialize;

/// The rate, as a share of the highest throughput.
const SHARE: f64 = 0.7;
/// The number of rounds. It can be small, because the throughput at a fixed rate does not vary. But
/// it must not be too small: if the machine stops for some milliseconds, this alone delays more
/// than one of a hundred requests.
const ROUNDS: usize = 9;
/// The number of connections if `compare` did not measure 64 connections.
const CONNECTIONS: usize = 64;

/// A candidate under a load at a fixed rate.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) load: Load,
    pub(super) connections: usize,
    pub(super) candidate: Kind,
    /// The number of requests that were sent per second.
    rate: f64,
    pub(super) medians: Option<Medians>,
    rounds: Vec<Measured>,
}

pub(super) fn measure(
    bench: &Bench<'_>,
    candidates: &Candidates,
    report: &mut Report,
) -> Result<()> {
    let measured = &bench.extent.connections;
    let connections = match measured.contains(&CONNECTIONS) {
        true => Some(&CONNECTIONS),
        false => measured.iter().max(),
    };
    let Some(&connections) = connections else {
        return Ok(());
    };
    let mut rows: Vec<Row> = LOADS
        .into_iter()
        .flat_map(|load| {
            let peaks = report.compare.iter();
            peaks
                .filter(move |row| row.load == load && row.connections == connections)
                .filter_map(move |row| {
                    Some(Row {
                        load,
                        connections,
                        candidate: row.candidate,
                        rate: row.medians.as_ref()?.of.requests_per_second * SHARE,
                        medians: None,
                        rounds: Vec::new(),
                    })
                })
        })
        .collect();
    for round in 0..ROUNDS.min(bench.extent.rounds) {
        progress(&format!("latency, round {}", round + 1));
        for candidate in &candidates.all {
            let running = candidates.start(candidate)?;
            let measured_candidate =
                MeasuredCandidate::new(bench, candidate, &running, vec![running.id()]);
            // A candidate that has just started has to fill its caches first, because the rates
            // were measured with candidates that had run for a while.
            if let Err(error) = measured_candidate.measure(bench, Load::Mix, connections, None) {
                report
                    .void
                    .push(format!("{}, before the rates: {error:#}", candidate.kind));
            }
            for row in rows
                .iter_mut()
                .filter(|row| row.candidate == candidate.kind)
            {
                match measured_candidate.measure(bench, row.load, connections, Some(row.rate)) {
                    Ok(measured) => row.rounds.push(measured),
                    Err(error) => report.void.push(format!(
                        "{}, {} at a rate: {error:#}",
                        row.candidate, row.load
                    )),
                }
            }
        }
    }
    for row in &mut rows {
        row.medians = Medians::of(row.rounds.iter());
    }
    print(&rows, connections);
    report.latency = rows;
    Ok(())
}

fn print(rows: &[Row], connections: usize) {
    for load in LOADS {
        let title = format!("{load} at 70 %, {}", table::connections(connections));
        let mut table = Table::new(&[&title, "sent/s", "p50", "p99", "p99.9", "longest"]);
        for row in rows.iter().filter(|row| row.load == load) {
            let mut cells = vec![row.candidate.to_string(), format!("{:.0}", row.rate)];
            match &row.medians {
                None => cells.push("void".to_owned()),
                Some(Medians { of, .. }) => {
                    cells.extend([of.p50_us, of.p99_us, of.p999_us, of.max_us].map(table::latency))
                }
            }
            table.row(cells);
        }
        println!("\n{table}");
    }
}
