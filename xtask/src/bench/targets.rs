//! Compares the results with their targets. A missed target is not a failure, because the machine
//! may be busy. The book explains what limits the results.

use super::{
    Report,
    candidates::Kind,
    compare::{Row, ratio},
    load::Load,
    table::Table,
};
use serde::Serialize;
use std::fmt;

const CONNECTIONS: usize = 64;
const READY_PETS: i64 = 1_000_000;
const IDLE_CONNECTIONS: usize = 1_000;

/// What a target is about.
#[derive(Clone, Copy)]
enum Figure {
    /// Throughput, as a share of the baseline's.
    OfBaseline(Load),
    /// Throughput, as a multiple of the comparison's.
    OfComparison(Load),
    /// Throughput on PostgreSQL, as a multiple of axum and sqlx there.
    OfAxumOnPostgres(Load),
    /// The 99th percentile of the latency at 70 % of the highest throughput, in milliseconds.
    P99(Load),
    /// The same latency, as a multiple of the baseline's.
    P99OfBaseline(Load),
    /// The time until ready, in milliseconds, with a million pets.
    Ready,
    /// The memory in megabytes, with a thousand idle connections.
    Idle,
    /// The cost of a read as a multiple of the cost with a thousand pets.
    GrowthInTheStore,
    GrowthOverTheSocket,
    /// The processor time of the client, as a multiple of the processor time of bare reqwest.
    ClientCall,
    ClientWalk,
}

enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

const TARGETS: [(Figure, Bound); 23] = {
    use Bound::{AtLeast, AtMost};
    use Figure::*;
    use Load::{Create, Get, List, Mix};
    [
        (OfBaseline(List), AtLeast(0.48)),
        (OfComparison(List), AtLeast(2.5)),
        (OfBaseline(Get), AtLeast(0.62)),
        (OfComparison(Get), AtLeast(2.0)),
        (OfBaseline(Create), AtLeast(0.45)),
        (OfComparison(Create), AtLeast(15.0)),
        (OfAxumOnPostgres(List), AtLeast(3.0)),
        (OfAxumOnPostgres(Get), AtLeast(3.0)),
        (OfAxumOnPostgres(Create), AtLeast(8.0)),
        (P99(List), AtMost(8.0)),
        (P99OfBaseline(List), AtMost(3.0)),
        (P99(Get), AtMost(8.0)),
        (P99OfBaseline(Get), AtMost(3.0)),
        (P99(Mix), AtMost(8.0)),
        (P99OfBaseline(Mix), AtMost(3.0)),
        (P99(Create), AtMost(8.0)),
        (P99OfBaseline(Create), AtMost(3.0)),
        (Ready, AtMost(50.0)),
        (Idle, AtMost(40.0)),
        (GrowthInTheStore, AtMost(1.3)),
        (GrowthOverTheSocket, AtMost(1.15)),
        (ClientCall, AtMost(1.05)),
        (ClientWalk, AtMost(1.02)),
    ]
};

/// A target and its result.
#[derive(Serialize)]
pub(super) struct Target {
    what: String,
    bound: String,
    measured: f64,
    reached: bool,
}

/// Compares the results with all targets, and prints the table.
pub(super) fn check(report: &mut Report) {
    let targets = TARGETS.iter().filter_map(|(figure, bound)| {
        let measured = figure.measured(report)?;
        let (bound, reached) = match bound {
            Bound::AtLeast(bound) => (format!("≥ {bound}"), measured >= *bound),
            Bound::AtMost(bound) => (format!("≤ {bound}"), measured <= *bound),
        };
        Some(Target {
            what: figure.to_string(),
            bound,
            measured,
            reached,
        })
    });
    let targets: Vec<Target> = targets.collect();
    if !targets.is_empty() {
        let mut table = Table::new(&["target", "bound", "measured", ""]);
        for target in &targets {
            let reached = if target.reached { "reached" } else { "missed" };
            table.row([
                target.what.clone(),
                target.bound.clone(),
                format!("{:.2}", target.measured),
                reached.to_owned(),
            ]);
        }
        println!("\n{table}");
    }
    report.targets = targets;
}

impl Figure {
    /// Returns the result; `None` if it was not measured.
    fn measured(self, report: &Report) -> Option<f64> {
        let ratios = || Some(report.client.as_ref()?.processor_ratios());
        match self {
            Figure::OfBaseline(load) => row(report, Kind::Service, load)?.of_baseline,
            Figure::OfComparison(load) => row(report, Kind::Service, load)?.of_comparison,
            Figure::OfAxumOnPostgres(load) => {
                let row = row(report, Kind::ServicePostgres, load)?;
                ratio(&report.compare, row, Kind::AxumPostgres)
            }
            Figure::P99(load) => p99_ms(report, Kind::Service, load),
            Figure::P99OfBaseline(load) => {
                let service = p99_ms(report, Kind::Service, load)?;
                Some(service / p99_ms(report, Kind::Baseline, load)?)
            }
            Figure::Ready => {
                let mut ready = report.growth.ready_ms.iter();
                Some(ready.find(|(pets, _)| *pets == READY_PETS)?.1)
            }
            Figure::Idle => {
                let facts = report.candidates.iter().find(|facts| {
                    facts.candidate == Kind::Service && facts.idle_connections == IDLE_CONNECTIONS
                });
                Some(facts?.idle_bytes as f64 / 1e6)
            }
            Figure::GrowthInTheStore => {
                let rows = report.growth.store.iter();
                rows.map(|row| row.ratio).reduce(f64::max)
            }
            Figure::GrowthOverTheSocket => {
                let rows = report.growth.socket.iter();
                rows.filter_map(|row| row.ratio).reduce(f64::max)
            }
            Figure::ClientCall => ratios().map(|[call, _]| call),
            Figure::ClientWalk => ratios().map(|[_, walk]| walk),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::OfBaseline(load) => write!(f, "{load}: of the baseline"),
            Figure::OfComparison(load) => write!(f, "{load}: of the comparison"),
            Figure::OfAxumOnPostgres(load) => write!(f, "{load}: of axum and sqlx, on PostgreSQL"),
            Figure::P99(load) => write!(f, "{load}: p99 at 70 %, ms"),
            Figure::P99OfBaseline(load) => write!(f, "{load}: the same, of the baseline"),
            Figure::Ready => f.write_str("ready with a million pets, ms"),
            Figure::Idle => f.write_str("1,000 idle connections, MB"),
            Figure::GrowthInTheStore => f.write_str("growth: the worst read, in the store"),
            Figure::GrowthOverTheSocket => f.write_str("growth: the worst read, over the socket"),
            Figure::ClientCall => f.write_str("client: a call, processor time of bare reqwest"),
            Figure::ClientWalk => f.write_str("client: a walk, processor time of bare reqwest"),
        }
    }
}

fn row(report: &Report, candidate: Kind, load: Load) -> Option<&Row> {
    let mut rows = report.compare.iter();
    rows.find(|row| (row.candidate, row.load, row.connections) == (candidate, load, CONNECTIONS))
}

fn p99_ms(report: &Report, candidate: Kind, load: Load) -> Option<f64> {
    let mut rows = report.latency.iter();
    let row = rows.find(|row| row.candidate == candidate && row.load == load)?;
    Some(row.medians.as_ref()?.of.p99_us / 1e3)
}
