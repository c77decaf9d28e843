//! Compares the results with their targets. A missed target is not a failure: the machine
//! may be busy. The README says what limits the results.

use super::{
    Report,
    candidates::Kind,
    client::Client,
    compare::{Row, ratio},
    growth::Growth,
    load::{LOADS, Load},
    table::Table,
};
use serde::Serialize;

const CONNECTIONS: usize = 64;
/// Shares of the baseline and multiples of the comparison.
const RATIOS: [(Load, f64, f64); 3] = [
    (Load::List, 0.48, 2.5),
    (Load::Get, 0.62, 2.0),
    (Load::Create, 0.45, 15.0),
];
/// Multiples of axum and sqlx, both on PostgreSQL.
const RATIOS_ON_POSTGRES: [(Load, f64); 3] =
    [(Load::List, 3.0), (Load::Get, 3.0), (Load::Create, 8.0)];
/// At 70 % of the highest throughput, in milliseconds and as a multiple of the baseline's.
const P99_MS: f64 = 8.0;
const P99_OF_BASELINE: f64 = 3.0;
/// With a million pets, in milliseconds.
const READY_MS: f64 = 50.0;
const READY_PETS: i64 = 1_000_000;
/// With a thousand idle connections, in bytes.
const IDLE_BYTES: f64 = 40e6;
const IDLE_CONNECTIONS: usize = 1_000;
/// The processor time of the client as a multiple of that of bare reqwest: for one call, and for reading a list.
const CLIENT: [f64; 2] = [1.05, 1.02];
/// As a multiple of the cost of the same read with a thousand pets: in the store alone, and over the socket.
const GROWTH: f64 = 1.3;
const GROWTH_OVER_THE_SOCKET: f64 = 1.15;

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
        let row = row(&report.compare, Kind::Service, load);
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
    for (load, multiple) in RATIOS_ON_POSTGRES {
        let row = row(&report.compare, Kind::ServicePostgres, load);
        at_least(
            format!("{load}: of axum and sqlx, on PostgreSQL"),
            multiple,
            row.and_then(|row| ratio(&report.compare, row, Kind::AxumPostgres)),
        );
    }
    let mut at_most = |what: String, bound: f64, measured: Option<f64>| {
        targets.extend(measured.map(|measured| target(what, bound, measured, false)));
    };
    for load in LOADS {
        let p99 = |candidate| {
            let mut rows = report.latency.iter();
            let row = rows.find(|row| row.candidate == candidate && row.load == load)?;
            Some(row.medians.as_ref()?.of.p99_us / 1e3)
        };
        let service = p99(Kind::Service);
        at_most(format!("{load}: p99 at 70 %, ms"), P99_MS, service);
        at_most(
            format!("{load}: the same, of the baseline"),
            P99_OF_BASELINE,
            service.zip(p99(Kind::Baseline)).map(|(own, its)| own / its),
        );
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
        GROWTH_OVER_THE_SOCKET,
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

fn row(rows: &[Row], candidate: Kind, load: Load) -> Option<&Row> {
    rows.iter()
        .find(|row| (row.candidate, row.load, row.connections) == (candidate, load, CONNECTIONS))
}
