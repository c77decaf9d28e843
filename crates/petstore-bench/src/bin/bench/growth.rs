//! Measures the cost of reads as a store grows: in the store itself, and over the socket, where
//! services on all stores receive requests in turn.

use super::{
    Bench, Report, candidates,
    measure::{self, Medians, Target, load, valid},
    process::{Running, output},
    progress,
    table::{self, Table},
};
use anyhow::{Context as _, Result};
use petstore_bench::{Load, Measured};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// The maximum number of pets on a page. It is large, so that following the pages to the middle of
/// a store takes few requests.
const LIMIT: i64 = 100;
/// The number of pages in the middle of a store that are requested.
const PAGES: i64 = 2_000;
const CONNECTIONS: usize = 64;
/// There are many short rounds, to distinguish a ratio close to 1 from 1.
const ROUNDS: usize = 7;

/// The kinds of reads: their names, their loads, and their filters.
const READS: [(&str, Load, &str); 4] = [
    ("first page", Load::List, "all"),
    (MIDDLE, Load::List, "all"),
    ("a filtered page", Load::List, "sold"),
    ("get", Load::Get, "all"),
];
const MIDDLE: &str = "a page in the middle";

#[derive(Default, Serialize)]
pub(crate) struct Growth {
    pub(crate) store: Vec<StoreRow>,
    pub(crate) socket: Vec<SocketRow>,
    files: Vec<FileRow>,
    /// The time from start to ready of the service on each store, in milliseconds.
    pub(crate) ready_ms: Vec<(i64, f64)>,
}

/// A read of the store, without the service.
#[derive(Serialize)]
pub(crate) struct StoreRow {
    read: String,
    pets: i64,
    cost_us: f64,
    /// The ratio to the time for the smallest store.
    pub(crate) ratio: f64,
}

/// A read over the socket.
#[derive(Serialize)]
pub(crate) struct SocketRow {
    read: &'static str,
    pets: i64,
    medians: Option<Medians>,
    /// The ratio of the processor time per request to the processor time on the smallest store.
    pub(crate) ratio: Option<f64>,
    rounds: Vec<Option<Measured>>,
}

/// Measurements of the whole file of a store.
#[derive(Serialize)]
struct FileRow {
    pets: i64,
    bytes: u64,
    /// Creations over the socket.
    creations: Option<Medians>,
    /// The time of `petstore-server backup`.
    backup_ms: f64,
}

/// A store and the service that runs on it.
struct GrownStore {
    pets: i64,
    key: String,
    running: Running,
    /// The file with the positions of pages in the middle.
    middle: PathBuf,
}

impl GrownStore {
    fn target(&self, arguments: &[&str]) -> Target<'_> {
        Target {
            running: &self.running,
            key: &self.key,
            pets: self.pets,
            watch: vec![self.running.id()],
            arguments: arguments.iter().map(ToString::to_string).collect(),
        }
    }
}

pub(crate) fn measure(bench: &Bench, report: &mut Report) -> Result<()> {
    let stores = stores(bench)?;
    let (rows, text) = in_the_store(bench, &stores)?;
    report.growth.store = rows;
    println!("\n{}", text.trim_end());

    let folder = bench.temporary("grown")?;
    let started = stores.iter().map(|(pets, store)| {
        let mut started = start(bench, *pets, store, folder.path())?;
        walk_to_the_middle(bench, &mut started)?;
        Ok(started)
    });
    let grown_stores = started.collect::<Result<Vec<_>>>()?;
    let ready = |store: &GrownStore| (store.pets, store.running.ready_ms());
    report.growth.ready_ms = grown_stores.iter().map(ready).collect();
    progress("growth, over the socket");
    for read in READS {
        let rows = over_the_socket(bench, &grown_stores, read, &mut report.void);
        report.growth.socket.extend(rows);
    }
    drop(grown_stores);
    for (pets, store) in &stores {
        let row = whole_file(bench, *pets, store, &mut report.void)?;
        report.growth.files.push(row);
    }
    print(&report.growth);
    Ok(())
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

/// Runs the program that reads from all stores, and returns its rows and its output.
fn in_the_store(bench: &Bench, stores: &[(i64, PathBuf)]) -> Result<(Vec<StoreRow>, String)> {
    progress("growth, in the store");
    let mut growth = bench.program("examples/growth");
    let text = output(growth.args(stores.iter().map(|(_, store)| store)))?;
    let rows = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [read @ .., pets, cost, _, ratio] = fields.as_slice() else {
            return None;
        };
        Some(StoreRow {
            read: read.join(" "),
            pets: pets.parse().ok()?,
            cost_us: cost.parse().ok()?,
            ratio: ratio.parse().ok()?,
        })
    });
    let rows: Option<Vec<_>> = rows.collect();
    let rows = rows.context("the example `growth` printed a table in an unexpected format")?;
    Ok((rows, text))
}

fn start(bench: &Bench, pets: i64, store: &Path, folder: &Path) -> Result<GrownStore> {
    let log = folder.join(format!("{pets}.log"));
    let (running, key) = candidates::service(bench, store, &log)?;
    Ok(GrownStore {
        pets,
        key,
        running,
        middle: folder.join(format!("{pets}.json")),
    })
}

fn walk_to_the_middle(bench: &Bench, store: &mut GrownStore) -> Result<()> {
    let pets = store.pets;
    progress(&format!("walking to the middle of {pets} pets"));
    let most = (pets / 2 / LIMIT).max(1);
    let mut walk = load(bench, "walk", &store.running, &store.key, pets);
    walk.args(["--filter", "all", "--limit", &LIMIT.to_string()])
        .args(["--most", &most.to_string()])
        .args(["--keep", &PAGES.min(most / 2 + 1).to_string()]);
    Ok(fs::write(&store.middle, output(&mut walk)?)?)
}

fn over_the_socket(
    bench: &Bench,
    stores: &[GrownStore],
    (read, load, filter): (&'static str, Load, &str),
    void: &mut Vec<String>,
) -> Vec<SocketRow> {
    let mut of_stores = vec![Vec::new(); stores.len()];
    for _ in 0..rounds(bench) {
        for (store, rounds) in stores.iter().zip(&mut of_stores) {
            let middle = store.middle.display().to_string();
            let arguments = ["--filter", filter, "--pages", &middle];
            // The other reads need no positions.
            let needed = if read == MIDDLE { 4 } else { 2 };
            let target = store.target(&arguments[..needed]);
            let measured = target.measure(bench, load, CONNECTIONS, None);
            let what = format!("{read} of {} pets", store.pets);
            rounds.push(valid(void, &what, measured));
        }
    }
    let smallest = of_stores[0].clone();
    let rows = stores
        .iter()
        .zip(of_stores)
        .map(|(store, rounds)| SocketRow {
            read,
            pets: store.pets,
            medians: Medians::of(&rounds),
            ratio: measure::ratio(&rounds, &smallest, |round| round.cpu_us),
            rounds,
        });
    rows.collect()
}

/// Copies a store as a backup does, and creates pets in the copy, so that the store does not change
/// for the next run.
fn whole_file(bench: &Bench, pets: i64, store: &Path, void: &mut Vec<String>) -> Result<FileRow> {
    progress(&format!("creations and a backup, {pets} pets"));
    let folder = bench.temporary("copy")?;
    let copy = folder.path().join("copy.db");
    let mut backup = bench.program("petstore-server");
    backup.args(["backup", "--database", &candidates::sqlite(store)]);
    let begin = Instant::now();
    output(backup.arg(&copy))?;
    let backup_ms = begin.elapsed().as_secs_f64() * 1e3;
    let bytes = fs::metadata(&copy)?.len();
    let started = start(bench, pets, &copy, folder.path())?;
    let target = started.target(&[]);
    let what = format!("creations in a store of {pets} pets");
    let measured = (0..rounds(bench)).map(|_| {
        let measured = target.measure(bench, Load::Create, CONNECTIONS, None);
        valid(void, &what, measured)
    });
    Ok(FileRow {
        pets,
        bytes,
        creations: Medians::of(&measured.collect::<Vec<_>>()),
        backup_ms,
    })
}

fn print(growth: &Growth) {
    let mut table = Table::new(&[
        "read, over the socket",
        "pets",
        "requests/s",
        "p50",
        "p99",
        "CPU/request",
        "ratio",
    ]);
    for row in &growth.socket {
        let mut cells = vec![row.read.to_owned(), row.pets.to_string()];
        cells.extend(Medians::cells(row.medians.as_ref(), |medians| {
            let [p50, p99, _] = medians.latencies();
            let ratio = table::ratio(row.ratio);
            vec![medians.rate(), p50, p99, medians.cpu(), ratio]
        }));
        table.row(cells);
    }
    println!("\n{table}");
    let mut table = Table::new(&["pets", "file", "creations/s", "CPU/creation", "backup"]);
    for row in &growth.files {
        let creations = row.creations.as_ref();
        let [rate, cpu] = creations.map_or_else(
            || ["void", "-"].map(str::to_owned),
            |medians| [medians.rate(), medians.cpu()],
        );
        table.row([
            row.pets.to_string(),
            table::mebibytes(row.bytes as f64),
            rate,
            cpu,
            table::milliseconds(row.backup_ms),
        ]);
    }
    println!("\n{table}");
    for (pets, ready) in &growth.ready_ms {
        println!("ready with {pets} pets in {}", table::milliseconds(*ready));
    }
}
