//! Measures several servers on one PostgreSQL: the same number of connections is distributed over
//! one, two and four servers.

use super::{
    Bench,
    candidates::{self, FILLED},
    measure::Target,
    postgres::Cluster,
    progress, table,
};
use anyhow::Result;
use petstore_bench::{Load, Measured, median, process::Running};
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
    /// The measurements of all servers, for each round.
    rounds: Vec<Vec<Measured>>,
}

pub(crate) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let Some(cluster) = Cluster::start()? else {
        return Ok(rows);
    };
    progress("several servers on one PostgreSQL");
    let key = candidates::fill_on(&cluster, bench)?;
    let folder = bench.temporary("scale")?;
    for servers in SERVERS {
        let start = |number| {
            let mut server = bench.program("petstore-server");
            let log = folder.path().join(format!("{number}.log"));
            candidates::serve(&mut server, &cluster.url(FILLED));
            let running = Running::start(&mut server, &log)?;
            Ok(Target::new(running, key.clone(), bench.pets))
        };
        let targets: Vec<Target> = (0..servers).map(start).collect::<Result<_>>()?;
        for load in LOADS {
            let rounds = (0..bench.rounds).filter_map(|_| together(bench, &targets, load));
            rows.push(Row {
                load,
                servers,
                rounds: rounds.collect(),
            });
        }
    }
    print(&rows);
    Ok(rows)
}

/// Sends a load to all servers at the same time.
fn together(bench: &Bench, targets: &[Target], load: Load) -> Option<Vec<Measured>> {
    let what = &format!("{load}, {} servers", targets.len());
    let connections = CONNECTIONS / targets.len();
    thread::scope(|scope| {
        let measure = |target| {
            scope.spawn(move || Target::measure(target, bench, what, load, connections, None))
        };
        let threads: Vec<_> = targets.iter().map(measure).collect();
        let measured = threads.into_iter().map(|thread| thread.join());
        measured
            .map(|one| one.expect("it does not panic"))
            .collect()
    })
}

fn print(rows: &[Row]) {
    let rows = rows.iter().map(|row| {
        let figure = |of: fn(&[Measured]) -> f64, unit: &str| {
            let middle = median(row.rounds.iter().map(|servers| of(servers)));
            middle.map_or("void".to_owned(), |figure| format!("{figure:.0}{unit}"))
        };
        let sum = |servers: &[Measured]| servers.iter().map(|one| one.requests_per_second).sum();
        let longest_ms = |servers: &[Measured]| {
            let p99_us = servers.iter().map(|one| one.p99_us);
            p99_us.fold(0.0, f64::max) / 1e3
        };
        vec![
            row.load.to_string(),
            row.servers.to_string(),
            figure(sum, ""),
            figure(longest_ms, " ms"),
        ]
    });
    let head = ["load, PostgreSQL", "servers", "requests/s", "longest p99"];
    table::print(&head, rows);
}
