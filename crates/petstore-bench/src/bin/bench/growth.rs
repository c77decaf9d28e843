//! Measures the cost of reads as a store grows: in the store itself, and over the socket, where
//! services on all stores receive requests in turn.

use super::{
    Bench, candidates,
    measure::{self, Medians, Target},
    progress, table,
};
use anyhow::{Context as _, Result};
use petstore_bench::{Load, Measured, Place, Work, pets::Filter, process::output};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// The maximum number of pets on a page. It is large, so that following the pages to the middle of
/// a store takes few requests.
const LIMIT: usize = 100;
/// The number of pages in the middle of a store that are requested.
const PAGES: usize = 2_000;
const CONNECTIONS: usize = 64;
/// There are many short rounds, to distinguish a ratio close to 1 from 1.
const ROUNDS: usize = 7;

/// The kinds of reads: their names, their loads, and their filters.
const READS: [(&str, Load, Filter); 4] = [
    ("first page", Load::List, Filter::All),
    (MIDDLE, Load::List, Filter::All),
    ("a filtered page", Load::List, Filter::Sold),
    ("get", Load::Get, Filter::All),
];
const MIDDLE: &str = "a page in the middle";

#[derive(Default, Serialize)]
pub(crate) struct Growth {
    /// The highest ratio of the time for a read of the store, without the service, to the time for
    /// the same read of the smallest store.
    pub(crate) store: Option<f64>,
    pub(crate) socket: Vec<SocketRow>,
    files: Vec<FileRow>,
    /// The time from start to ready of the service on each store, in milliseconds.
    pub(crate) ready_ms: Vec<(i64, f64)>,
}

/// A read over the socket.
#[derive(Serialize)]
pub(crate) struct SocketRow {
    read: &'static str,
    pets: i64,
    rounds: Vec<Option<Measured>>,
}

/// Measurements of the whole file of a store.
#[derive(Serialize)]
struct FileRow {
    pets: i64,
    bytes: u64,
    /// Creations over the socket.
    creations: Vec<Option<Measured>>,
    /// The time of `petstore-server backup`.
    backup_ms: f64,
}

impl Growth {
    /// Returns the ratio of the processor time per request to the processor time on the smallest
    /// store.
    pub(crate) fn ratio(&self, row: &SocketRow) -> Option<f64> {
        let smallest = self.socket.iter().find(|other| other.read == row.read)?;
        measure::ratio(&row.rounds, &smallest.rounds, |round| round.cpu_us)
    }
}

pub(crate) fn measure(bench: &Bench) -> Result<Growth> {
    let stores = stores(bench)?;
    let mut growth = Growth {
        store: Some(in_the_store(bench, &stores)?),
        ..Growth::default()
    };
    let folder = bench.temporary("grown")?;
    // The services, and the positions of pages in the middle of their stores.
    let mut targets = Vec::new();
    for (pets, store) in &stores {
        let mut target = candidates::service(bench, *pets, store, folder.path())?;
        target.service.filter = Filter::All;
        growth.ready_ms.push((*pets, target.running.ready_ms));
        let middle = walk_to_the_middle(bench, &target)?;
        targets.push((target, middle));
    }
    progress("growth, over the socket");
    for (read, load, filter) in READS {
        let mut rows: Vec<SocketRow> = Vec::new();
        for (target, middle) in &mut targets {
            target.service.filter = filter;
            // The other reads need no positions.
            target.service.pages = match read {
                MIDDLE => middle.clone(),
                _ => Vec::new(),
            };
            rows.push(SocketRow {
                read,
                pets: target.service.pets,
                rounds: Vec::new(),
            });
        }
        for _ in 0..rounds(bench) {
            for ((target, _), row) in targets.iter().zip(&mut rows) {
                let what = format!("{read} of {} pets", row.pets);
                let measured = target.measure(bench, &what, load, CONNECTIONS, None);
                row.rounds.push(measured);
            }
        }
        growth.socket.extend(rows);
    }
    drop(targets);
    for (pets, store) in &stores {
        growth.files.push(whole_file(bench, *pets, store)?);
    }
    print(&growth);
    Ok(growth)
}

fn rounds(bench: &Bench) -> usize {
    ROUNDS.min(bench.rounds * 2)
}

/// Creates the stores once, the smallest first, because ten million pets take a while.
fn stores(bench: &Bench) -> Result<Vec<(i64, PathBuf)>> {
    let grown: &[i64] = match (bench.options.quick, bench.options.large) {
        (true, _) => &[1_000, 20_000],
        (false, false) => &[1_000, 1_000_000, 10_000_000],
        (false, true) => &[1_000, 1_000_000, 10_000_000, 100_000_000],
    };
    let folder = bench.folder.join("stores");
    fs::create_dir_all(&folder)?;
    let made = grown.iter().map(|&pets| {
        let store = folder.join(format!("{pets}.db"));
        if !store.exists() {
            progress(&format!("filling a store with {pets} pets"));
            // An incomplete store has another name.
            let unfinished = folder.join(format!("{pets}.unfinished"));
            if unfinished.exists() {
                fs::remove_file(&unfinished)?;
            }
            candidates::fill(bench, &unfinished, pets)?;
            fs::rename(&unfinished, &store)?;
        }
        Ok((pets, store))
    });
    made.collect()
}

/// Runs the program that reads from all stores, prints its table, and returns the highest ratio, which
/// is in the last column.
fn in_the_store(bench: &Bench, stores: &[(i64, PathBuf)]) -> Result<f64> {
    progress("growth, in the store");
    let mut growth = bench.program("examples/growth");
    let text = output(growth.args(stores.iter().map(|(_, store)| store)))?;
    println!("\n{}", text.trim_end());
    let mut rows = text.lines().skip(1);
    let worst = rows.try_fold(0.0, |worst: f64, row| {
        let ratio = row.split_whitespace().next_back()?.parse().ok()?;
        Some(worst.max(ratio))
    });
    worst.context("the example `growth` printed a table in an unexpected format")
}

fn walk_to_the_middle(bench: &Bench, target: &Target) -> Result<Vec<Place>> {
    let pets = target.service.pets;
    progress(&format!("walking to the middle of {pets} pets"));
    let most = (usize::try_from(pets)? / 2 / LIMIT).max(1);
    let keep = PAGES.min(most / 2 + 1);
    let limit = LIMIT;
    target.load(bench, Work::Walk { limit, most, keep })
}

/// Copies a store as a backup does, and creates pets in the copy, so that the store does not change
/// for the next run.
fn whole_file(bench: &Bench, pets: i64, store: &Path) -> Result<FileRow> {
    progress(&format!("creations and a backup, {pets} pets"));
    let folder = bench.temporary("copy")?;
    let copy = folder.path().join("copy.db");
    let mut backup = bench.program("petstore-server");
    backup.args(["backup", "--database", &candidates::sqlite(store)]);
    let begin = Instant::now();
    output(backup.arg(&copy))?;
    let backup_ms = begin.elapsed().as_secs_f64() * 1e3;
    let bytes = fs::metadata(&copy)?.len();
    let target = candidates::service(bench, pets, &copy, folder.path())?;
    let what = format!("creations in a store of {pets} pets");
    let measure = |_| target.measure(bench, &what, Load::Create, CONNECTIONS, None);
    Ok(FileRow {
        pets,
        bytes,
        creations: (0..rounds(bench)).map(measure).collect(),
        backup_ms,
    })
}

fn print(growth: &Growth) {
    let head = [
        "read, over the socket",
        "pets",
        "requests/s",
        "p50",
        "p99",
        "CPU/request",
        "ratio",
    ];
    let rows = growth.socket.iter().map(|row| {
        let first = [row.read.to_owned(), row.pets.to_string()];
        Medians::row(first, &row.rounds, |medians| {
            let [p50, p99, _] = medians.latencies();
            let ratio = table::ratio(growth.ratio(row));
            vec![medians.rate(), p50, p99, medians.cpu(), ratio]
        })
    });
    table::print(&head, rows);
    let head = ["pets", "file", "creations/s", "CPU/creation", "backup"];
    let rows = growth.files.iter().map(|row| {
        let creations = Medians::of(&row.creations);
        let [rate, cpu] = creations.map_or_else(
            || ["void", "-"].map(str::to_owned),
            |medians| [medians.rate(), medians.cpu()],
        );
        vec![
            row.pets.to_string(),
            table::mebibytes(row.bytes as f64),
            rate,
            cpu,
            table::milliseconds(row.backup_ms),
        ]
    });
    table::print(&head, rows);
    for (pets, ready) in &growth.ready_ms {
        println!("ready with {pets} pets in {}", table::milliseconds(*ready));
    }
}
