//! Compares the results with their targets. A missed target is not a failure: the machine
//! may be busy. The README says what limits the results.

use super::{
    Report, candidates::Kind, client::Client, compare::Row, growth::Growth, load::Load,
    table::Table,
};
use serde::Serialize;

const CONNECTIONS: usize = 64;
/// Shares of the baseline and multiples of the comparison.
const RATIOS: [(Load, f64, f64); 3] = [
    (Load::List, 0.35, 2.5),
    (Load::Get, 0.55, 2.0),
    (Load::Create, 0.50, 15.0),
];
/// At 70 % of the highest throughput, in milliseconds.
const P99_MS: f64 = 10.0;
/// With a million pets, in milliseconds.
const READY_MS: f64 = 50.0;
const READY_PETS: i64 = 1_000_000;
/// With a thousand idle connections, in bytes.
const IDLE_BYTES: f64 = 64e6;
const IDLE_CONNECTIONS: usize = 1_000;
/// The processor time of the client as a multiple of that of bare reqwest: for one call, and for reading a list.
const CLIENT: [f64; 2] = [1.05, 1.02];
/// As a multiple of the cost of the same read with a thousand pets.
const GROWTH: f64 = 1.3;

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
    let mut targets = Vec::new();
    let mut at_least = |what: String, bound: f64, measured: Option<f64>| {
        targets.extend(measured.map(|measured| target(what, bound, measured, true)));
    };
    for (load, baseline, comparison) in RATIOS {
        let row = row(&report.compare, load);
        at_least(
            format!("{load}: of the baseline"),
            baseline,
            row.and_then(|row| row.of_baseline),
        );
        at_least(
            format!("{load}: of the comparison"),
            comparison,
            row.and_then(|row| row.of_comparison),
        );
    }
    let mut at_most = |what: String, bound: f64, measured: Option<f64>| {
        targets.extend(measured.map(|measured| target(what, bound, measured, false)));
    };
    for row in report
        .latency
        .iter()
        .filter(|row| row.candidate == Kind::Service)
    {
        let p99 = row.medians.as_ref().map(|medians| medians.of.p99_us / 1e3);
        at_most(format!("{}: p99 at 70 %, ms", row.load), P99_MS, p99);
    }
    let ready = report.growth.ready_ms.iter();
    let ready = ready.clone().find(|(pets, _)| *pets == READY_PETS);
    at_most(
        "ready with a million pets, ms".to_owned(),
        READY_MS,
        ready.map(|(_, ms)| *ms),
    );
    let facts = report.candidates.iter().find(|facts| {
        facts.candidate == Kind::Service && facts.idle_connections == IDLE_CONNECTIONS
    });
    let idle = facts.map(|facts| facts.idle_bytes as f64 / 1e6);
    at_most(
        "1,000 idle connections, MB".to_owned(),
        IDLE_BYTES / 1e6,
        idle,
    );
    let Growth { store, socket, .. } = &report.growth;
    let in_the_store = store.iter().map(|row| row.ratio).reduce(f64::max);
    at_most(
        "growth: the worst read, in the store".to_owned(),
        GROWTH,
        in_the_store,
    );
    let over_the_socket = socket.iter().filter_map(|row| row.ratio).reduce(f64::max);
    at_most(
        "growth: the worst read, over the socket".to_owned(),
        GROWTH,
        over_the_socket,
    );
    let client = report.client.as_ref().map(Client::processor_ratios);
    for (place, what) in ["a call", "a walk"].into_iter().enumerate() {
        at_most(
            format!("client: {what}, processor time of bare reqwest"),
            CLIENT[place],
            client.map(|ratios| ratios[place]),
        );
    }

    if !targets.is_empty() {
        let mut table = Table::new(&["target", "bound", "measured", ""]);
        for Target {
            what,
            bound,
            measured,
            reached,
        } in &targets
        {
            let reached = if *reached { "reached" } else { "missed" };
            table.row([
                what.clone(),
                bound.clone(),
                format!("{measured:.2}"),
                reached.to_owned(),
            ]);
        }
        println!("\n{table}");
    }
    report.targets = targets;
}

fn target(what: String, bound: f64, measured: f64, at_least: bool) -> Target {
    let (sign, reached) = match at_least {
        true => ('≥', measured >= bound),
        false => ('≤', measured <= bound),
    };
    Target {
        what,
        bound: format!("{sign} {bound}"),
        measured,
        reached,
    }
}

fn row(rows: &[Row], load: Load) -> Option<&Row> {
    rows.iter().find(|row| {
        (row.candidate, row.load, row.connections) == (Kind::Service, load, CONNECTIONS)
    })
}
