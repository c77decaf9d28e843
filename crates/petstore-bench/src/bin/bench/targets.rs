//! Compares the results with their targets. A missed target is not a failure, because the machine
//! may be busy. The book explains what limits the results.

use super::{Report, candidates::Kind, compare::CONNECTIONS, measure::Medians, table};
use petstore_bench::{Load, Took};
use serde::Serialize;

const READY_PETS: i64 = 1_000_000;
const IDLE_CONNECTIONS: usize = 1_000;

/// A target and its result.
#[derive(Serialize)]
pub(crate) struct Target {
    what: String,
    bound: String,
    measured: f64,
    reached: bool,
}

/// The sign of a bound: the lowest or the highest value that reaches the target.
const LEAST: char = '≥';
const MOST: char = '≤';

/// Compares the results with all targets, and prints the table. Targets whose results were not
/// measured are not in it.
pub(crate) fn check(report: &Report) -> Vec<Target> {
    let targets = throughput(report).into_iter().chain(latency(report));
    let targets = targets.chain(others(report));
    let targets = targets.filter_map(|(what, sign, bound, measured)| {
        let measured = measured?;
        Some(Target {
            what,
            bound: format!("{sign} {bound}"),
            measured,
            reached: match sign {
                LEAST => measured >= bound,
                _ => measured <= bound,
            },
        })
    });
    let targets: Vec<Target> = targets.collect();
    if !targets.is_empty() {
        let rows = targets.iter().map(|target| {
            let reached = if target.reached { "reached" } else { "missed" };
            let measured = format!("{:.2}", target.measured);
            let (what, bound) = (target.what.clone(), target.bound.clone());
            vec![what, bound, measured, reached.to_owned()]
        });
        table::print(&["target", "bound", "measured", ""], rows);
    }
    targets
}

/// A target, the sign of its bound, the bound, and the result.
type Bound = (String, char, f64, Option<f64>);

fn throughput(report: &Report) -> Vec<Bound> {
    let rows = &report.compare;
    let ratio = |load, own, other| {
        let key = (own, load, CONNECTIONS);
        let mut own = rows.iter();
        let own = own.find(|row| (row.candidate, row.load, row.connections) == key)?;
        own.ratio(rows, other)
    };
    // The smallest throughput as a share of the baseline, as a multiple of the comparison and, on
    // PostgreSQL, as a multiple of axum and sqlx there.
    let bounds = [
        (Load::List, 0.48, 2.5, 3.0),
        (Load::Get, 0.62, 2.0, 3.0),
        (Load::Create, 0.45, 15.0, 8.0),
    ];
    let targets = bounds.map(|(load, of_baseline, of_comparison, of_axum)| {
        let baseline = ratio(load, Kind::Service, Kind::Baseline);
        let comparison = ratio(load, Kind::Service, Kind::Comparison);
        let axum = ratio(load, Kind::ServicePostgres, Kind::AxumPostgres);
        let what = |other| format!("{load}: of {other}");
        [
            (what("the baseline"), LEAST, of_baseline, baseline),
            (what("the comparison"), LEAST, of_comparison, comparison),
            (what("axum and sqlx, on PostgreSQL"), LEAST, of_axum, axum),
        ]
    });
    targets.concat()
}

fn latency(report: &Report) -> Vec<Bound> {
    let targets = Load::ALL.map(|load| {
        let p99_ms = |candidate| {
            let mut rows = report.latency.iter();
            let row = rows.find(|row| row.candidate == candidate && row.load == load)?;
            Some(Medians::of(&row.rounds)?.of.p99_us / 1e3)
        };
        let (service, baseline) = (p99_ms(Kind::Service), p99_ms(Kind::Baseline));
        let ratio = service.zip(baseline).map(|(own, other)| own / other);
        [
            (format!("{load}: p99 at 70 %, ms"), MOST, 8.0, service),
            (
                format!("{load}: the same, of the baseline"),
                MOST,
                3.0,
                ratio,
            ),
        ]
    });
    targets.concat()
}

fn others(report: &Report) -> Vec<Bound> {
    let growth = &report.growth;
    let mut ready = growth.ready_ms.iter();
    let ready = ready.find(|(pets, _)| *pets == READY_PETS);
    let mut facts = report.candidates.iter();
    let idle = facts.find(|facts| {
        facts.candidate == Kind::Service && facts.idle_connections == IDLE_CONNECTIONS
    });
    let idle = idle.map(|facts| facts.idle_bytes as f64 / 1e6);
    let ratios = growth.socket.iter().filter_map(|row| growth.ratio(row));
    let socket = ratios.reduce(f64::max);
    let client = report.client.as_ref();
    let of = |[client, bare]: &[Took; 2]| client.processor_us / bare.processor_us;
    let call = client.map(|client| of(&client.call));
    let walk = client.map(|client| of(&client.walk));
    [
        ("ready with a million pets, ms", 50.0, ready.map(|it| it.1)),
        ("1,000 idle connections, MB", 40.0, idle),
        ("growth: the worst read, in the store", 1.3, growth.store),
        ("growth: the worst read, over the socket", 1.15, socket),
        ("client: a call, processor time of bare reqwest", 1.05, call),
        ("client: a walk, processor time of bare reqwest", 1.02, walk),
    ]
    .map(|(what, bound, measured)| (what.to_owned(), MOST, bound, measured))
    .to_vec()
}
