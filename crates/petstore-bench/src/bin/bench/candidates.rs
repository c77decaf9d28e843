//! Compiles or installs each candidate of the benchmark, fills its store with the same data, and
//! starts it. Each round uses its own copies of the stores, so that pets created in one round do not
//! affect another round.

use super::{
    Bench, Selection, measure,
    postgres::Cluster,
    process::{Running, output},
    progress,
};
use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use serde::Serialize;
use std::{
    env,
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The key for candidates that do not create keys.
const KEY: &str = "a-key-that-every-request-shows";
/// The database for the service on PostgreSQL.
pub(crate) const FILLED: &str = "filled";

/// Fills a database on PostgreSQL with the pets that the example `seed` of petstore-store generates.
/// `name` is the SQL for their names in the type of the column.
fn fill_postgres(cluster: &Cluster, database: &str, name: &str, pets: i64) -> Result<()> {
    let few = (pets / 25).max(1);
    let insert = format!(
        "INSERT INTO pets (name, category_id, status)
         SELECT {name}, n % 1000,
            CASE WHEN n % {few} = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'available' WHEN n % 4 = 2 THEN 'pending' END
         FROM generate_series(1, {pets}) AS n ORDER BY n"
    );
    cluster.execute(database, &insert)?;
    cluster.execute(database, "VACUUM ANALYZE pets")
}

/// The tables of the service's own store and a plain index, for the peer on PostgreSQL.
const PEER_TABLES: &str = "
    CREATE TABLE pets (
        id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name        text   NOT NULL,
        category_id bigint NOT NULL,
        status      text
    );
    CREATE INDEX pets_by_status ON pets (status, id);
    CREATE TABLE api_keys (hash bytea PRIMARY KEY, revoked_at timestamptz)";

/// The candidates in the order of the tables. All but the first one and the last four are peers: other implementations of the
/// same operations, each of which is in a folder of `peers` and has its own lock file.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Bare hyper.
    Baseline,
    /// axum and sqlx.
    Comparison,
    /// axum and rusqlite, with group commit and a cache of keys.
    AxumRusqlite,
    /// FastAPI.
    Fastapi,
    /// Fastify and better-sqlite3.
    Fastify,
    /// axum and sqlx on PostgreSQL.
    AxumPostgres,
    /// The service on SQLite.
    Service,
    /// The service on PostgreSQL.
    ServicePostgres,
    /// The service on SQLite, which records no events.
    WithoutEvents,
    /// The service on PostgreSQL, which records no events.
    WithoutEventsPostgres,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Baseline => "baseline",
            Kind::Comparison => "comparison",
            Kind::AxumRusqlite => "axum, rusqlite",
            Kind::Fastapi => "FastAPI",
            Kind::Fastify => "Fastify",
            Kind::AxumPostgres => "axum, PostgreSQL",
            Kind::Service => "service",
            Kind::ServicePostgres => "service, PostgreSQL",
            Kind::WithoutEvents => "no events",
            Kind::WithoutEventsPostgres => "no events, PostgreSQL",
        })
    }
}

impl Kind {
    fn is_on_postgres(self) -> bool {
        matches!(
            self,
            Kind::AxumPostgres | Kind::ServicePostgres | Kind::WithoutEventsPostgres
        )
    }

    fn is_without_events(self) -> bool {
        matches!(self, Kind::WithoutEvents | Kind::WithoutEventsPostgres)
    }

    fn is_service(self) -> bool {
        matches!(self, Kind::Service | Kind::ServicePostgres) || self.is_without_events()
    }

    /// Returns the arguments of `load` that describe its responses.
    pub(crate) fn responses(self) -> &'static [&'static str] {
        match self {
            // It always sends the same responses.
            Kind::Baseline => &["--fixed", "--members", "as-declared"],
            Kind::Fastify => &["--members", "required-first"],
            // `load` expects these members by default.
            kind if kind.is_service() => &[],
            _ => &["--members", "as-declared"],
        }
    }

    /// Returns the beginning of the command of a candidate: the program, and arguments for an
    /// interpreter. Compiles or installs a peer.
    fn program(self, bench: &Bench) -> Result<Vec<OsString>> {
        let compiled = match self {
            Kind::Baseline => bench.programs.join("baseline"),
            Kind::Comparison => rust(bench, "axum-sqlx", "axum-sqlx")?,
            Kind::AxumPostgres => rust(bench, "axum-sqlx", "axum-sqlx-postgres")?,
            Kind::AxumRusqlite => rust(bench, "axum-rusqlite", "petstore-bench-axum-rusqlite")?,
            Kind::Fastapi => return python(bench),
            Kind::Fastify => return javascript(bench),
            _ => bench.programs.join("petstore-server"),
        };
        Ok(vec![compiled.into()])
    }
}

/// Compiles a peer.
fn rust(bench: &Bench, folder: &str, program: &str) -> Result<PathBuf> {
    // With `--quick`, the workspace's target folder is used, because most dependencies are already
    // compiled there. Programs that are measured are compiled separately.
    let (target, profile, built) = match bench.options.quick {
        true => ("..", "dev", "debug"),
        false => ("../comparison", "release", "release"),
    };
    let target = bench.folder.join(target);
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build
        .current_dir(peer(bench, folder))
        .args(["build", "--locked", "--quiet", "--profile", profile])
        .args(["--bin", program, "--target-dir"])
        .arg(&target);
    output(&mut build)?;
    Ok(target.join(built).join(program))
}

/// Returns the folder of a peer.
fn peer(bench: &Bench, folder: &str) -> PathBuf {
    progress(&format!("preparing {folder}"));
    bench.root.join("crates/petstore-bench/peers").join(folder)
}

/// Installs the pinned packages into a virtual environment.
fn python(bench: &Bench) -> Result<Vec<OsString>> {
    let source = peer(bench, "fastapi");
    let folder = bench.folder.join("../peers/fastapi");
    fs::create_dir_all(bench.folder.join("../peers"))?;
    let mut environment = Command::new(bench.root.join(".ci/venv"));
    output(
        environment
            .arg(&folder)
            .arg(source.join("requirements.txt")),
    )?;
    Ok(vec![
        folder.join("bin/python").into(),
        source.join("main.py").into(),
    ])
}

/// Installs the pinned packages into a copy of the folder.
fn javascript(bench: &Bench) -> Result<Vec<OsString>> {
    let source = peer(bench, "fastify");
    let folder = bench.folder.join("../peers/fastify");
    fs::create_dir_all(&folder)?;
    for name in ["main.js", "package.json", "package-lock.json"] {
        let copied = fs::copy(source.join(name), folder.join(name));
        copied.with_context(|| format!("cannot copy {name} to {}", folder.display()))?;
    }
    let mut install = Command::new("npm");
    install.current_dir(&folder);
    output(install.args(["ci", "--no-audit", "--no-fund"]))?;
    Ok(vec!["node".into(), folder.join("main.js").into()])
}

/// Measurements that do not depend on a load.
#[derive(Serialize)]
pub(crate) struct Facts {
    pub(crate) candidate: Kind,
    /// The size of the program; 0 if an interpreter runs it.
    pub(crate) binary_bytes: u64,
    /// The time from start to ready, in milliseconds, for each round.
    pub(crate) ready_ms: Vec<f64>,
    /// The maximum memory under all loads, in bytes, for each round.
    pub(crate) peak_bytes: Vec<u64>,
    /// The memory with many idle connections, in bytes.
    pub(crate) idle_bytes: u64,
    pub(crate) idle_connections: usize,
}

/// A candidate with a filled store.
pub(crate) struct Candidate {
    pub(crate) kind: Kind,
    pub(crate) key: String,
    /// The file with the positions of its pages, as the program `load` printed them.
    pub(crate) pages: PathBuf,
    program: Vec<OsString>,
    /// The filled file or, on PostgreSQL, the name of the filled database.
    database: String,
}

pub(crate) struct Candidates {
    pub(crate) all: Vec<Candidate>,
    cluster: Option<Cluster>,
    /// The folder for the files of the rounds.
    folder: tempfile::TempDir,
}

impl Candidates {
    /// Fills a store for each candidate and collects the positions of its pages.
    pub(crate) fn prepare(bench: &Bench) -> Result<Self> {
        progress("filling the stores");
        let cluster = Cluster::start()?;
        let required = env::var("PETSTORE_REQUIRE_POSTGRES").is_ok_and(|it| it == "1");
        ensure!(
            cluster.is_some() || !required,
            "PostgreSQL is not installed, but PETSTORE_REQUIRE_POSTGRES=1 requires it; install it or unset the variable"
        );
        let mut candidates = Self {
            all: Vec::new(),
            cluster,
            folder: bench.temporary("round")?,
        };
        for &kind in Kind::value_variants() {
            let is_usual =
                !kind.is_without_events() && !matches!(kind, Kind::Fastapi | Kind::Fastify);
            let is_chosen = match bench.options.peers {
                Selection::Usual => is_usual,
                Selection::Events => kind == Kind::Baseline || kind.is_service(),
                Selection::All => true,
            };
            let is_possible = !kind.is_on_postgres() || candidates.cluster.is_some();
            if is_possible && is_chosen {
                candidates.all.push(candidates.filled(kind, bench)?);
            }
        }
        if candidates.cluster.is_none() {
            println!("skipped: PostgreSQL is not installed");
        }
        for candidate in &candidates.all {
            let kind = candidate.kind;
            if kind != Kind::Baseline {
                let running = candidates.start(candidate)?;
                let mut walk = measure::load(bench, "walk", &running, &candidate.key, bench.pets);
                let text = output(walk.args(kind.responses()));
                fs::write(
                    &candidate.pages,
                    text.with_context(|| format!("{kind}: its pages"))?,
                )?;
            }
        }
        // The baseline has only one page, but receives requests of the same length.
        let pages = |kind| candidates.all.iter().find(|it| it.kind == kind);
        if let (Some(baseline), Some(service)) = (pages(Kind::Baseline), pages(Kind::Service)) {
            fs::copy(&service.pages, &baseline.pages)?;
        }
        Ok(candidates)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn cluster(&self) -> Result<&Cluster> {
        self.cluster.as_ref().context("PostgreSQL is not installed")
    }

    /// Prepares a candidate and fills its store.
    fn filled(&self, kind: Kind, bench: &Bench) -> Result<Candidate> {
        let program = kind.program(bench)?;
        let file = self.path(&format!("{kind}.db"));
        let mut database = file.display().to_string();
        let mut key = KEY.to_owned();
        match kind {
            Kind::Baseline => database = bench.pets.to_string(),
            Kind::Service | Kind::WithoutEvents => {
                fill(bench, &file, bench.pets)?;
                key = create_key(bench, &sqlite(&file))?;
            }
            Kind::ServicePostgres => {
                database = FILLED.to_owned();
                key = fill_on(self.cluster()?, bench)?;
            }
            Kind::WithoutEventsPostgres => {
                let mut with = self.all.iter();
                let with = with.find(|it| it.kind == Kind::ServicePostgres);
                let with = with.context("it is filled before the service without events")?;
                (database, key) = (with.database.clone(), with.key.clone());
            }
            Kind::AxumPostgres => {
                database = "peer".to_owned();
                let cluster = self.cluster()?;
                cluster.execute("postgres", &format!("CREATE DATABASE {database}"))?;
                cluster.execute(&database, PEER_TABLES)?;
                let insert = format!("INSERT INTO api_keys (hash) VALUES (sha256('{KEY}'))");
                cluster.execute(&database, &insert)?;
                fill_postgres(cluster, &database, "'pet number ' || n", bench.pets)?;
            }
            _ => {
                // The stores of all peers on SQLite have the same content.
                let seed = rust(bench, "axum-rusqlite", "petstore-bench-axum-rusqlite")?;
                let pets = bench.pets.to_string();
                output(Command::new(seed).args(["seed", &database, &pets, KEY]))?;
            }
        }
        Ok(Candidate {
            kind,
            key,
            pages: self.path(&format!("{kind}.json")),
            program,
            database,
        })
    }

    /// Starts a candidate on a copy of its database.
    pub(crate) fn start(&self, candidate: &Candidate) -> Result<Running> {
        let Candidate { kind, database, .. } = candidate;
        let mut command = command(&candidate.program);
        if *kind == Kind::Baseline {
            command.arg(database);
        } else if kind.is_on_postgres() {
            let (cluster, copy) = (self.cluster()?, format!("{database}_round"));
            for sql in [
                format!("DROP DATABASE IF EXISTS {copy} (FORCE)"),
                format!("CREATE DATABASE {copy} TEMPLATE {database}"),
                // Writes the pages of the copy to the disk now, so that this does not happen
                // during the round.
                "CHECKPOINT".to_owned(),
            ] {
                cluster.execute("postgres", &sql)?;
            }
            match kind {
                Kind::AxumPostgres => command.arg(cluster.url_with_host(&copy)),
                _ => serve(&mut command, &cluster.url(&copy)),
            };
        } else {
            let copy = self.copy(database)?;
            match kind.is_service() {
                true => serve(&mut command, &sqlite(&copy)),
                false => command.arg(copy),
            };
        }
        if kind.is_without_events() {
            command.args(["--events", "off"]);
        }
        Running::start(&mut command, &self.path(&format!("{kind}.log")))
    }

    /// Returns the processes whose processor time counts for a candidate, including the processes
    /// of its database.
    pub(crate) fn processes(&self, candidate: &Candidate, running: &Running) -> Vec<u32> {
        let database = self.cluster.as_ref().map(Cluster::id);
        let database = database.filter(|_| candidate.kind.is_on_postgres());
        [running.id()].into_iter().chain(database).collect()
    }

    fn copy(&self, file: &str) -> Result<PathBuf> {
        let copy = format!("{file}.copy");
        for suffix in ["", "-wal", "-shm"] {
            let left = format!("{copy}{suffix}");
            if Path::new(&left).exists() {
                fs::remove_file(left)?;
            }
        }
        fs::copy(file, &copy)?;
        fs::File::open(&copy)?.sync_all()?;
        Ok(copy.into())
    }
}

impl Candidate {
    pub(crate) fn binary_bytes(&self) -> u64 {
        // If the program is an interpreter in PATH, the size of the binary has no meaning.
        fs::metadata(&self.program[0]).map_or(0, |program| program.len())
    }
}

fn command(program: &[OsString]) -> Command {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]);
    command
}

/// Creates an SQLite store with pets.
pub(crate) fn fill(bench: &Bench, database: &Path, pets: i64) -> Result<()> {
    let mut seed = bench.program("examples/seed");
    output(seed.arg(database).arg(pets.to_string())).map(drop)
}

/// Creates the database [`FILLED`] with the pets of the service, and a key.
pub(crate) fn fill_on(cluster: &Cluster, bench: &Bench) -> Result<String> {
    cluster.execute("postgres", &format!("CREATE DATABASE {FILLED}"))?;
    let key = create_key(bench, &cluster.url(FILLED))?;
    let name = "convert_to('pet number ' || n, 'UTF8')";
    fill_postgres(cluster, FILLED, name, bench.pets)?;
    Ok(key)
}

/// Creates a key in the store of the service.
fn create_key(bench: &Bench, database: &str) -> Result<String> {
    let server = || bench.program("petstore-server");
    // An earlier version does not have the flag, but creates the store together with the key.
    let _made = server()
        .args(["migrate", "--create", "--database", database])
        .output()?;
    let key = output(server().args(["key", "create", "bench", "--database", database]))?;
    ensure!(!key.trim().is_empty(), "`key create` printed no key");
    Ok(key.trim().to_owned())
}

/// Starts the service on a store; returns it with a new key.
pub(crate) fn service(bench: &Bench, store: &Path, log: &Path) -> Result<(Running, String)> {
    let database = sqlite(store);
    let key = create_key(bench, &database)?;
    let running = Running::start(serve(&mut bench.program("petstore-server"), &database), log)?;
    Ok((running, key))
}

pub(crate) fn sqlite(database: &Path) -> String {
    format!("sqlite:{}", database.display())
}

/// Adds the arguments of the service: the defaults except for one, and the log format JSON.
pub(crate) fn serve<'command>(
    command: &'command mut Command,
    database: &str,
) -> &'command mut Command {
    command
        .args(["serve", "--log-format", "json", "--database", database])
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
        // All connections use one key, and a key may use at most three quarters of the limit.
        .args(["--max-in-flight", "1024"])
}
