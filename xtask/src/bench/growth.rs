//! Measures the cost of reads as a store grows: in the store itself, and over the socket, where
//! three services run on three stores and receive requests in turn.

use super::{
    Bench, Report, candidates,
    figures::{Medians, ratio},
    load::{Load, Measured, MeasuredCandidate, path_argument, walk},
    process::Running,
    programs::output,
    progress,
    table::{self, Table},
};
use anyhow::{Context as _, Result};
use serde::Serialize;
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
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

/// A kind of read.
#[derive(Clone, Copy, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Read {
    FirstPage,
    MiddlePage,
    FilteredPage,
    Get,
}

const READS: [Read; 4] = [
    Read::FirstPage,
    Read::MiddlePage,
    Read::FilteredPage,
    Read::Get,
];

impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Read::FirstPage => "first page",
            Read::MiddlePage => "a page in the middle",
            Read::FilteredPage => "a filtered page",
            Read::Get => "get",
        })
    }
}

#[derive(Default, Serialize)]
pub(super) struct Growth {
    pub(super) store: Vec<StoreRow>,
    pub(super) socket: Vec<SocketRow>,
    pub(super) files: Vec<FileRow>,
    /// The time from start to ready of the service on each store, in milliseconds.
    pub(super) ready_ms: Vec<(i64, f64)>,
}

/// A read of the store, without the service.
#[derive(Serialize)]
pub(super) struct StoreRow {
    read: String,
    pets: i64,
    cost_us: f64,
    /// The ratio to the time for the smallest store.
    pub(super) ratio: f64,
}

/// A read over the socket.
#[derive(Serialize)]
pub(super) struct SocketRow {
    read: Read,
    pets: i64,
    medians: Option<Medians>,
    /// The ratio of the processor time per request to the processor time on the smallest store.
    pub(super) ratio: Option<f64>,
    rounds: Vec<Measured>,
}

/// Measurements of the whole file of a store.
#[derive(Serialize)]
pub(super) struct FileRow {
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
    middle: PathBuf,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<()> {
    let stores = stores(bench)?;
    let (rows, text) = in_the_store(bench, &stores)?;
    report.growth.store = rows;
    println!("\n{}", text.trim_end());

    let folder = tempfile::Builder::new()
        .prefix("grown")
        .tempdir_in(&bench.folder)?;
    let grown_stores = stores
        .iter()
        .map(|(pets, store)| start_on(bench, *pets, store, folder.path()))
        .collect::<Result<Vec<_>>>()?;
    let ready = |store: &GrownStore| (store.pets, store.running.ready.as_secs_f64() * 1e3);
    report.growth.ready_ms = grown_stores.iter().map(ready).collect();
    over_the_socket(bench, &grown_stores, report);
    drop(grown_stores);
    for (pets, store) in &stores {
        let row = whole_file(bench, *pets, store, folder.path(), &mut report.void)?;
        report.growth.files.push(row);
    }
    print(&report.growth);
    Ok(())
}

/// Creates the stores once, because ten million pets take a while.
fn stores(bench: &Bench<'_>) -> Result<Vec<(i64, PathBuf)>> {
    let folder = bench.folder.join("stores");
    fs::create_dir_all(&folder)?;
    let made = bench.extent.grown.iter().map(|&pets| {
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
fn in_the_store(bench: &Bench<'_>, stores: &[(i64, PathBuf)]) -> Result<(Vec<StoreRow>, String)> {
    progress("growth, in the store");
    let mut growth = Command::new(&bench.programs.growth);
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

fn start_on(bench: &Bench<'_>, pets: i64, store: &Path, folder: &Path) -> Result<GrownStore> {
    let database = candidates::sqlite(store);
    let key = candidates::key(bench, &database)?;
    let mut command = Command::new(&bench.programs.server);
    let log = folder.join(format!("{pets}.log"));
    let running = Running::start(candidates::serve(&mut command, &database), &log)?;
    progress(&format!("walking to the middle of {pets} pets"));
    let most = (pets / 2 / LIMIT).max(1);
    let arguments = [
        ("--filter", "all".to_owned()),
        ("--limit", LIMIT.to_string()),
        ("--most", most.to_string()),
        ("--keep", PAGES.min(most / 2 + 1).to_string()),
    ];
    let arguments = arguments.map(|(name, value)| [name.to_owned(), value]);
    let middle = folder.join(format!("{pets}.json"));
    fs::write(
        &middle,
        walk(bench, &running, &key, pets, &arguments.concat())?,
    )?;
    Ok(GrownStore {
        pets,
        key,
        running,
        middle,
    })
}

fn over_the_socket(bench: &Bench<'_>, stores: &[GrownStore], report: &mut Report) {
    progress("growth, over the socket");
    let mut rows = Vec::new();
    for read in READS {
        let mut of_read: Vec<SocketRow> = stores
            .iter()
            .map(|store| SocketRow {
                read,
                pets: store.pets,
                medians: None,
                ratio: None,
                rounds: Vec::new(),
            })
            .collect();
        for _ in 0..ROUNDS.min(bench.extent.rounds * 2) {
            for (store, row) in stores.iter().zip(&mut of_read) {
                let (load, arguments) = arguments(read, store);
                let measured_candidate = MeasuredCandidate {
                    running: &store.running,
                    key: &store.key,
                    pets: store.pets,
                    watch: vec![store.running.id()],
                    arguments,
                };
                match measured_candidate.measure(bench, load, CONNECTIONS, None) {
                    Ok(measured) => row.rounds.push(measured),
                    Err(error) => report
                        .void
                        .push(format!("{read} of {} pets: {error:#}", store.pets)),
                }
            }
        }
        rows.extend(concluded(of_read));
    }
    report.growth.socket = rows;
}

/// Copies a store as a backup does, and creates pets in the copy, so that the store does not change
/// for the next run.
fn whole_file(
    bench: &Bench<'_>,
    pets: i64,
    store: &Path,
    folder: &Path,
    void: &mut Vec<String>,
) -> Result<FileRow> {
    progress(&format!("creations and a backup, {pets} pets"));
    let folder = tempfile::Builder::new().tempdir_in(folder)?;
    let copy = folder.path().join("copy.db");
    let mut command = Command::new(&bench.programs.server);
    command
        .args(["backup", "--database", &candidates::sqlite(store)])
        .arg(&copy);
    let begin = Instant::now();
    output(&mut command)?;
    let backup_ms = begin.elapsed().as_secs_f64() * 1e3;
    let bytes = fs::metadata(&copy)?.len();
    let database = candidates::sqlite(&copy);
    let key = candidates::key(bench, &database)?;
    let mut command = Command::new(&bench.programs.server);
    let log = folder.path().join("copy.log");
    let running = Running::start(candidates::serve(&mut command, &database), &log)?;
    let measured_candidate = MeasuredCandidate {
        running: &running,
        key: &key,
        pets,
        watch: vec![running.id()],
        arguments: Vec::new(),
    };
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS.min(bench.extent.rounds * 2) {
        match measured_candidate.measure(bench, Load::Create, CONNECTIONS, None) {
            Ok(measured) => rounds.push(measured),
            Err(error) => void.push(format!("creations in a store of {pets} pets: {error:#}")),
        }
    }
    Ok(FileRow {
        pets,
        bytes,
        creations: Medians::of(rounds.iter()),
        backup_ms,
    })
}

fn arguments(read: Read, store: &GrownStore) -> (Load, Vec<String>) {
    let filter = |name: &str| vec!["--filter".to_owned(), name.to_owned()];
    match read {
        Read::FirstPage => (Load::List, filter("all")),
        Read::FilteredPage => (Load::List, filter("sold")),
        Read::Get => (Load::Get, Vec::new()),
        Read::MiddlePage => {
            let pages = ["--pages".to_owned(), path_argument(&store.middle)];
            (Load::List, [filter("all"), pages.to_vec()].concat())
        }
    }
}

/// Computes the medians, and the ratios to the smallest store.
fn concluded(mut rows: Vec<SocketRow>) -> Vec<SocketRow> {
    let first = rows
        .first()
        .map(|row| row.rounds.clone())
        .unwrap_or_default();
    for row in &mut rows {
        row.ratio = ratio(row.rounds.iter().zip(&first), |round| round.cpu_us);
        row.medians = Medians::of(row.rounds.iter());
    }
    rows
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
        let mut cells = vec![row.read.to_string(), row.pets.to_string()];
        match &row.medians {
            None => cells.push("void".to_owned()),
            Some(Medians { of, .. }) => cells.extend([
                format!("{:.0}", of.requests_per_second),
                table::latency(of.p50_us),
                table::latency(of.p99_us),
                format!("{:.1} µs", of.cpu_us),
                row.ratio
                    .map_or_else(table::none, |ratio| format!("{ratio:.2}")),
            ]),
        }
        table.row(cells);
    }
    println!("\n{table}");
    let mut table = Table::new(&["pets", "file", "creations/s", "CPU/creation", "backup"]);
    for row in &growth.files {
        let mut cells = vec![row.pets.to_string(), table::mebibytes(row.bytes as f64)];
        match &row.creations {
            None => cells.extend(["void".to_owned(), table::none()]),
            Some(Medians { of, .. }) => cells.extend([
                format!("{:.0}", of.requests_per_second),
                format!("{:.1} µs", of.cpu_us),
            ]),
        }
        cells.push(table::milliseconds(row.backup_ms));
        table.row(cells);
    }
    println!("\n{table}");
    for (pets, ready) in &growth.ready_ms {
        println!("ready with {pets} pets in {}", table::milliseconds(*ready));
    }
}
