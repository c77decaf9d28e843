//! Compares the results with their targets. A missed target is not a failure, because the machine
//! may be busy. The book explains what limits the results.

use super::{
    Report,
    candidates::Kind,
    compare::{CONNECTIONS, Row, ratio},
    table::Table,
};
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

#[derive(Default)]
struct Targets(Vec<Target>);

impl Targets {
    fn at_least(&mut self, what: &str, bound: f64, measured: Option<f64>) {
        self.add(what, format!("≥ {bound}"), measured, |it| it >= bound);
    }

    fn at_most(&mut self, what: &str, bound: f64, measured: Option<f64>) {
        self.add(what, format!("≤ {bound}"), measured, |it| it <= bound);
    }

    /// Adds a target, unless its result was not measured.
    fn add(
        &mut self,
        what: &str,
        bound: String,
        measured: Option<f64>,
        is_reached: impl Fn(f64) -> bool,
    ) {
        self.0.extend(measured.map(|measured| Target {
            what: what.to_owned(),
            bound,
            measured,
            reached: is_reached(measured),
        }));
    }
}

/// Compares the results with all targets, and prints the table.
pub(crate) fn check(report: &mut Report) {
    report.targets = targets(report);
    if report.targets.is_empty() {
        return;
    }
    let mut table = Table::new(&["target", "bound", "measured", ""]);
    for target in &report.targets {
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

fn targets(report: &Report) -> Vec<Target> {
    let mut targets = Targets::default();
    let compare = &report.compare;
    // The smallest throughput as a share of the baseline, as a multiple of the comparison and, on
    // PostgreSQL, as a multiple of axum and sqlx there.
    for (load, of_baseline, of_comparison, of_axum) in [
        (Load::List, 0.48, 2.5, 3.0),
        (Load::Get, 0.62, 2.0, 3.0),
        (Load::Create, 0.45, 15.0, 8.0),
    ] {
        let row = |kind| compare.iter().find(|row| row.is(kind, load, CONNECTIONS));
        let service = row(Kind::Service);
        let measured = service.and_then(|row| row.of_baseline);
        targets.at_least(&format!("{load}: of the baseline"), of_baseline, measured);
        let measured = service.and_then(|row| row.of_comparison);
        targets.at_least(
            &format!("{load}: of the comparison"),
            of_comparison,
            measured,
        );
        let measured = row(Kind::ServicePostgres);
        let measured = measured.and_then(|row| ratio(compare, row, Kind::AxumPostgres));
        let what = format!("{load}: of axum and sqlx, on PostgreSQL");
        targets.at_least(&what, of_axum, measured);
    }
    for load in Load::ALL {
        let service = p99_ms(&report.latency, Kind::Service, load);
        targets.at_most(&format!("{load}: p99 at 70 %, ms"), 8.0, service);
        let baseline = p99_ms(&report.latency, Kind::Baseline, load);
        let measured = service.zip(baseline).map(|(own, other)| own / other);
        targets.at_most(&format!("{load}: the same, of the baseline"), 3.0, measured);
    }
    let growth = &report.growth;
    let mut ready = growth.ready_ms.iter();
    let ready = ready
        .find(|(pets, _)| *pets == READY_PETS)
        .map(|(_, ms)| *ms);
    targets.at_most("ready with a million pets, ms", 50.0, ready);
    let mut facts = report.candidates.iter();
    let idle = facts.find(|facts| {
        facts.candidate == Kind::Service && facts.idle_connections == IDLE_CONNECTIONS
    });
    let idle = idle.map(|facts| facts.idle_bytes as f64 / 1e6);
    targets.at_most("1,000 idle connections, MB", 40.0, idle);
    let worst = growth.store.iter().map(|row| row.ratio).reduce(f64::max);
    targets.at_most("growth: the worst read, in the store", 1.3, worst);
    let ratios = growth.socket.iter().filter_map(|row| row.ratio);
    let worst = ratios.reduce(f64::max);
    targets.at_most("growth: the worst read, over the socket", 1.15, worst);
    if let Some(client) = &report.client {
        let of = |one: &Took, other: &Took| Some(one.processor_us / other.processor_us);
        let call = of(&client.call.client, &client.call.bare);
        targets.at_most("client: a call, processor time of bare reqwest", 1.05, call);
        let walk = of(&client.walk.client, &client.walk.bare);
        targets.at_most("client: a walk, processor time of bare reqwest", 1.02, walk);
    }
    targets.0
}

fn p99_ms(rows: &[Row], candidate: Kind, load: Load) -> Option<f64> {
    let mut rows = rows.iter();
    let row = rows.find(|row| row.candidate == candidate && row.load == load)?;
    Some(row.medians.as_ref()?.of.p99_us / 1e3)
}
