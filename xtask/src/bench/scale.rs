//! Measures several servers on one PostgreSQL: the same number of connections is distributed over
//! one, two and four servers.

use super::{
    Bench, Report,
    candidates::{self, FILLED},
    figures::median,
    load::{Load, Measured, MeasuredCandidate},
    postgres::Cluster,
    process::Running,
    progress,
    table::Table,
};
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::thread;

const SERVERS: [usize; 3] = [1, 2, 4];
const CONNECTIONS: usize = 64;
const LOADS: [Load; 3] = [Load::Get, Load::List, Load::Create];

/// A number of servers under a load.
#[derive(Serialize)]
pub(super) struct Row {
    load: Load,
    servers: usize,
    /// The sum over all servers, for each round.
    requests_per_second: Vec<f64>,
    /// The highest value of all servers, for each round.
    p99_us: Vec<f64>,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<()> {
    let Some(cluster) = Cluster::start()? else {
        println!("skipped: PostgreSQL is not installed");
        return Ok(());
    };
    progress("several servers on one PostgreSQL");
    let key = candidates::fill_on(&cluster, bench)?;
    let folder = tempfile::Builder::new()
        .prefix("scale")
        .tempdir_in(&bench.folder)?;
    let database = cluster.url(FILLED);
    for servers in SERVERS {
        let start = |number| {
            let mut command = std::process::Command::new(&bench.programs.server);
            let log = folder.path().join(format!("{number}.log"));
            Running::start(candidates::serve(&mut command, &database), &log)
        };
        let running: Vec<Running> = (0..servers).map(start).collect::<Result<_>>()?;
        for load in LOADS {
            let mut row = Row {
                load,
                servers,
                requests_per_second: Vec::new(),
                p99_us: Vec::new(),
            };
            for _ in 0..bench.extent.rounds {
                match together(bench, &running, &key, load) {
                    Ok(measured) => {
                        let rates = measured.iter().map(|one| one.requests_per_second);
                        row.requests_per_second.push(rates.sum());
                        let longest = measured.iter().map(|one| one.p99_us).fold(0.0, f64::max);
                        row.p99_us.push(longest);
                    }
                    Err(error) => report
                        .void
                        .push(format!("{load}, {servers} servers: {error:#}")),
                }
            }
            report.scale.push(row);
        }
    }
    print(&report.scale);
    Ok(())
}

/// Sends a load to all servers at the same time.
fn together(
    bench: &Bench<'_>,
    running: &[Running],
    key: &str,
    load: Load,
) -> Result<Vec<Measured>> {
    let connections = CONNECTIONS / running.len();
    let one = |running| {
        let measured_candidate = MeasuredCandidate {
            running,
            key,
            pets: bench.extent.pets,
            watch: Vec::new(),
            arguments: Vec::new(),
        };
        measured_candidate.measure(bench, load, connections, None)
    };
    thread::scope(|scope| {
        let all: Vec<_> = running
            .iter()
            .map(|running| scope.spawn(move || one(running)))
            .collect();
        let ended = all.into_iter().map(|one| one.join());
        ended
            .map(|one| one.map_err(|_| anyhow!("a load panicked"))?)
            .collect()
    })
}

fn print(rows: &[Row]) {
    let mut table = Table::new(&["load, PostgreSQL", "servers", "requests/s", "longest p99"]);
    for row in rows {
        let cell = |values: &[f64], factor: f64, unit: &str| {
            median(values.iter().copied()).map_or_else(
                || "void".to_owned(),
                |it| format!("{:.0}{unit}", it / factor),
            )
        };
        table.row([
            row.load.to_string(),
            row.servers.to_string(),
            cell(&row.requests_per_second, 1.0, ""),
            cell(&row.p99_us, 1e3, " ms"),
        ]);
    }
    println!("\n{table}");
}
