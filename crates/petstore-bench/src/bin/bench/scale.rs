//! Measures several servers on one PostgreSQL: the same number of connections is distributed over
//! one, two and four servers.

use super::{
    Bench, Report,
    candidates::{self, FILLED},
    measure::Target,
    postgres::Cluster,
    process::Running,
    progress,
    table::Table,
};
use anyhow::{Result, anyhow};
use petstore_bench::{Load, Measured, median};
use serde::Serialize;
use std::thread;

const SERVERS: [usize; 3] = [1, 2, 4];
const CONNECTIONS: usize = 64;
const LOADS: [Load; 3] = [Load::Get, Load::List, Load::Create];

/// A number of servers under a load.
#[derive(Serialize)]
pub(crate) struct Row {
    load: Load,
    servers: usize,
    /// The sum over all servers, for each round.
    requests_per_second: Vec<f64>,
    /// The highest value of all servers, for each round.
    p99_us: Vec<f64>,
}

pub(crate) fn measure(bench: &Bench, report: &mut Report) -> Result<()> {
    let Some(cluster) = Cluster::start()? else {
        println!("skipped: PostgreSQL is not installed");
        return Ok(());
    };
    progress("several servers on one PostgreSQL");
    let key = candidates::fill_on(&cluster, bench)?;
    let folder = bench.temporary("scale")?;
    let database = cluster.url(FILLED);
    let mut table = Table::new(&["load, PostgreSQL", "servers", "requests/s", "longest p99"]);
    for servers in SERVERS {
        let start = |number| {
            let mut server = bench.program("petstore-server");
            let log = folder.path().join(format!("{number}.log"));
            Running::start(candidates::serve(&mut server, &database), &log)
        };
        let running: Vec<Running> = (0..servers).map(start).collect::<Result<_>>()?;
        for load in LOADS {
            let (mut requests_per_second, mut p99_us) = (Vec::new(), Vec::new());
            for _ in 0..bench.rounds {
                match together(bench, &running, &key, load) {
                    Ok(measured) => {
                        let rates = measured.iter().map(|one| one.requests_per_second);
                        requests_per_second.push(rates.sum());
                        p99_us.push(measured.iter().map(|one| one.p99_us).fold(0.0, f64::max));
                    }
                    Err(error) => report
                        .void
                        .push(format!("{load}, {servers} servers: {error:#}")),
                }
            }
            let cell = |values: &[f64], factor: f64, unit: &str| {
                let middle = median(values.iter().copied());
                middle.map_or("void".to_owned(), |it| format!("{:.0}{unit}", it / factor))
            };
            table.row([
                load.to_string(),
                servers.to_string(),
                cell(&requests_per_second, 1.0, ""),
                cell(&p99_us, 1e3, " ms"),
            ]);
            report.scale.push(Row {
                load,
                servers,
                requests_per_second,
                p99_us,
            });
        }
    }
    println!("\n{table}");
    Ok(())
}

/// Sends a load to all servers at the same time.
fn together(bench: &Bench, running: &[Running], key: &str, load: Load) -> Result<Vec<Measured>> {
    let connections = CONNECTIONS / running.len();
    let one = |running| {
        let target = Target {
            running,
            key,
            pets: bench.pets,
            watch: Vec::new(),
            arguments: Vec::new(),
        };
        target.measure(bench, load, connections, None)
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
