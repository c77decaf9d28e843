//! Compiles or installs each candidate of the benchmark, fills its store with the same data, and
//! starts it. Each round uses its own copies of the stores, so that pets created in one round do not
//! affect another round.

use super::{Bench, Selection, measure::Target, postgres::Cluster, progress};
use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;
use petstore_bench::{
    Place, Work,
    pets::{Members, PAGE},
    process::{Running, output},
};
use serde::Serialize;
use std::{
    env, fmt, fs,
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

    /// Returns the properties of its pets, and their order.
    fn members(self) -> Members {
        match self {
            Kind::Fastify => Members::RequiredFirst,
            kind if kind.is_service() => Members::WithVersion,
            _ => Members::AsDeclared,
        }
    }

    /// Returns the program of a candidate, or an interpreter and its program. Compiles or installs a
    /// peer.
    fn program(self, bench: &Bench) -> Result<Vec<PathBuf>> {
        let compiled = match self {
            Kind::Baseline => bench.programs.join("baseline"),
            Kind::Comparison => rust(bench, "axum-sqlx", "axum-sqlx")?,
            Kind::AxumPostgres => rust(bench, "axum-sqlx", "axum-sqlx-postgres")?,
            Kind::AxumRusqlite => rust(bench, "axum-rusqlite", "petstore-bench-axum-rusqlite")?,
            Kind::Fastapi => return python(bench),
            Kind::Fastify => return javascript(bench),
            _ => bench.programs.join("petstore-server"),
        };
        Ok(vec![compiled])
    }
}

/// Compiles a program of a peer.
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
        // The manifest of the main workspace has the profiles.
        .arg("--config")
        .arg(bench.root.join("Cargo.toml"))
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
fn python(bench: &Bench) -> Result<Vec<PathBuf>> {
    let source = peer(bench, "fastapi");
    let folder = bench.folder.join("../peers/fastapi");
    fs::create_dir_all(bench.folder.join("../peers"))?;
    let mut environment = Command::new(bench.root.join(".ci/venv"));
    environment.args([&folder, &source.join("requirements.txt")]);
    output(&mut environment)?;
    Ok(vec![folder.join("bin/python"), source.join("main.py")])
}

/// Installs the pinned packages into a copy of the folder.
fn javascript(bench: &Bench) -> Result<Vec<PathBuf>> {
    let source = peer(bench, "fastify");
    let folder = bench.folder.join("../peers/fastify");
    fs::create_dir_all(&folder)?;
    for name in ["main.js", "package.json", "package-lock.json"] {
        let copied = fs::copy(source.join(name), folder.join(name));
        copied.with_context(|| format!("cannot copy {name} to {}", folder.display()))?;
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--no-audit", "--no-fund"]);
    output(install.current_dir(&folder))?;
    Ok(vec!["node".into(), folder.join("main.js")])
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
    key: String,
    /// The positions of its pages.
    pages: Vec<Place>,
    program: Vec<PathBuf>,
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
        let mut candidates = Self {
            all: Vec::new(),
            cluster: Cluster::start()?,
            folder: bench.temporary("round")?,
        };
        for &kind in Kind::value_variants() {
            let is_script = matches!(kind, Kind::Fastapi | Kind::Fastify);
            let is_chosen = match bench.options.peers {
                Selection::Usual => !is_script && !kind.is_without_events(),
                Selection::Events => kind == Kind::Baseline || kind.is_service(),
                Selection::All => true,
            };
            let is_possible = !kind.is_on_postgres() || candidates.cluster.is_some();
            if is_possible && is_chosen {
                candidates.all.push(candidates.filled(kind, bench)?);
            }
        }
        for index in 1..candidates.all.len() {
            let target = candidates.start(bench, &candidates.all[index])?;
            let (limit, most, keep) = (PAGE, usize::MAX, usize::MAX);
            let pages = target.load(bench, Work::Walk { limit, most, keep });
            let candidate = &mut candidates.all[index];
            candidate.pages = pages.with_context(|| format!("{}: its pages", candidate.kind))?;
        }
        // The baseline, which is the first, has only one page, but receives requests of the same
        // length.
        let mut all = candidates.all.iter();
        let service = all.find(|candidate| candidate.kind == Kind::Service);
        candidates.all[0].pages = service.map_or_else(Vec::new, |it| it.pages.clone());
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
            pages: Vec::new(),
            program,
            database,
        })
    }

    /// Starts a candidate on a copy of its database. The processor time of the database counts, too.
    pub(crate) fn start(&self, bench: &Bench, candidate: &Candidate) -> Result<Target> {
        let Candidate { kind, database, .. } = candidate;
        let mut command = Command::new(&candidate.program[0]);
        command.args(&candidate.program[1..]);
        let url = match kind {
            Kind::Baseline => database.clone(),
            // The peer requires a host in the URL, but does not use it.
            Kind::AxumPostgres => {
                let url = self.copy_on_postgres(database)?;
                url.replace("postgres@/", "postgres@localhost/")
            }
            kind if kind.is_on_postgres() => self.copy_on_postgres(database)?,
            kind if kind.is_service() => sqlite(&copy(database)?),
            _ => copy(database)?.display().to_string(),
        };
        match kind.is_service() {
            true => serve(&mut command, &url),
            false => command.arg(url),
        };
        if kind.is_without_events() {
            command.args(["--events", "off"]);
        }
        let running = Running::start(&mut command, &self.path(&format!("{kind}.log")))?;
        let mut target = Target::new(running, candidate.key.clone(), bench.pets);
        let cluster = self.cluster.as_ref().filter(|_| kind.is_on_postgres());
        target.watch.extend(cluster.map(Cluster::id));
        target.service.members = kind.members();
        // The baseline always sends the same responses.
        target.service.fixed = *kind == Kind::Baseline;
        target.service.pages = candidate.pages.clone();
        Ok(target)
    }

    /// Copies a database and returns the URL of the copy.
    fn copy_on_postgres(&self, database: &str) -> Result<String> {
        let (cluster, copy) = (self.cluster()?, format!("{database}_round"));
        for sql in [
            format!("DROP DATABASE IF EXISTS {copy} (FORCE)"),
            format!("CREATE DATABASE {copy} TEMPLATE {database}"),
            // Writes the pages of the copy to the disk now, so that this does not happen during the
            // round.
            "CHECKPOINT".to_owned(),
        ] {
            cluster.execute("postgres", &sql)?;
        }
        Ok(cluster.url(&copy))
    }
}

/// Copies an SQLite file and returns the copy.
fn copy(file: &str) -> Result<PathBuf> {
    let copy = format!("{file}.copy");
    for suffix in ["", "-wal", "-shm"] {
        let earlier = format!("{copy}{suffix}");
        if Path::new(&earlier).exists() {
            fs::remove_file(earlier)?;
        }
    }
    fs::copy(file, &copy)?;
    fs::File::open(&copy)?.sync_all()?;
    Ok(copy.into())
}

impl Candidate {
    pub(crate) fn binary_bytes(&self) -> u64 {
        // If the program is an interpreter in PATH, the size of the binary has no meaning.
        fs::metadata(&self.program[0]).map_or(0, |program| program.len())
    }
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

/// Starts the service on a store with pets, with a new key and a log in a folder.
pub(crate) fn service(bench: &Bench, pets: i64, store: &Path, folder: &Path) -> Result<Target> {
    let database = sqlite(store);
    let key = create_key(bench, &database)?;
    let mut server = bench.program("petstore-server");
    let log = folder.join(format!("{pets}.log"));
    let running = Running::start(serve(&mut server, &database), &log)?;
    Ok(Target::new(running, key, pets))
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
