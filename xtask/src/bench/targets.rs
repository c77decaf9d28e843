//! What is to be reached, and whether it was. A figure that is missed fails
//! nothing: the machine may be busy, and the README says what bounds it.

use super::{Report, candidates::Kind, compare::Row, growth::Growth, load::Load, table::Table};
use serde::Serialize;

const CONNECTIONS: usize = 64;
/// Shares of the floor and multiples of the peer.
const RATIOS: [(Load, f64, f64); 3] = [
    (Load::List, 0.35, 2.5),
    (Load::Get, 0.55, 2.0),
    (Load::Create, 0.50, 15.0),
];
/// At 70 % of the most, in milliseconds.
const P99_MS: f64 = 10.0;
/// With a million pets, in milliseconds.
const READY_MS: f64 = 50.0;
const READY_PETS: i64 = 1_000_000;
/// With a thousand idle connections, in bytes.
const IDLE_BYTES: f64 = 64e6;
const IDLE_CONNECTIONS: usize = 1_000;
/// Of what the same read costs with a thousand pets.
const GROWTH: f64 = 1.3;

/// A figure to reach.
#[derive(Serialize)]
pub(super) struct Target {
    what: String,
    bound: String,
    found: f64,
    reached: bool,
}

/// Holds what was found against all of them, and prints it.
pub(super) fn hold(report: &mut Report) {
    let mut targets = Vec::new();
    let mut at_least = |what: String, bound: f64, found: Option<f64>| {
        targets.extend(found.map(|found| target(what, bound, found, true)));
    };
    for (load, floor, peer) in RATIOS {
        let row = row(&report.compare, load);
        at_least(
            format!("{load}: of the floor"),
            floor,
            row.and_then(|row| row.of_floor),
        );
        at_least(
            format!("{load}: of the peer"),
            peer,
            row.and_then(|row| row.of_peer),
        );
    }
    let mut at_most = |what: String, bound: f64, found: Option<f64>| {
        targets.extend(found.map(|found| target(what, bound, found, false)));
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

    if !targets.is_empty() {
        let mut table = Table::new(&["to reach", "bound", "found", ""]);
        for Target {
            what,
            bound,
            found,
            reached,
        } in &targets
        {
            let reached = if *reached { "reached" } else { "missed" };
            table.row([
                what.clone(),
                bound.clone(),
                format!("{found:.2}"),
                reached.to_owned(),
            ]);
        }
        println!("\n{table}");
    }
    report.targets = targets;
}

fn target(what: String, bound: f64, found: f64, at_least: bool) -> Target {
    let (sign, reached) = match at_least {
        true => ('≥', found >= bound),
        false => ('≤', found <= bound),
    };
    Target {
        what,
        bound: format!("{sign} {bound}"),
        found,
        reached,
    }
}

fn row(rows: &[Row], load: Load) -> Option<&Row> {
    rows.iter().find(|row| {
        (row.candidate, row.load, row.connections) == (Kind::Service, load, CONNECTIONS)
    })
}
