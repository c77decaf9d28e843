//! Fills the store of each candidate of the benchmark with the same data and starts the candidate.
//! Each round uses its own copies, so that pets created in one round do not affect another round.

use super::{
    Bench, load,
    peers::{self, Peer, Stores},
    postgres::Cluster,
    process::Running,
    programs::output,
    progress,
};
use anyhow::{Context as _, Result, bail, ensure};
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
pub(super) const FILLED: &str = "filled";

/// Returns the SQL that generates the same pets as the example `seed` of petstore-store.
fn fill_postgres(pets: i64) -> String {
    let few = (pets / 25).max(1);
    format!(
        "INSERT INTO pets (name, category_id, status)
         SELECT convert_to('pet number ' || n, 'UTF8'), n % 1000,
            CASE WHEN n % {few} = 0 THEN 'sold' WHEN n % 4 = 1 THEN 'available' WHEN n % 4 = 2 THEN 'pending' END
         FROM generate_series(1, {pets}) AS n ORDER BY n;
         VACUUM ANALYZE pets"
    )
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Bare hyper.
    Baseline,
    /// Bare actix-web.
    Actix,
    /// axum and sqlx.
    Comparison,
    /// axum and rusqlite, with group commit and a cache of keys.
    AxumRusqlite,
    /// The code that openapi-to-rust generates, on the same store as
    /// [`AxumRusqlite`](Self::AxumRusqlite).
    OpenapiToRust,
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
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Baseline => "baseline",
            Kind::Actix => "actix-web",
            Kind::Comparison => "comparison",
            Kind::AxumRusqlite => "axum, rusqlite",
            Kind::OpenapiToRust => "openapi-to-rust",
            Kind::Fastapi => "FastAPI",
            Kind::Fastify => "Fastify",
            Kind::AxumPostgres => "axum, PostgreSQL",
            Kind::Service => "service",
            Kind::ServicePostgres => "service, PostgreSQL",
        })
    }
}

impl Kind {
    /// Whether its lists do not contain a link to the next page.
    fn sends_no_link(self) -> bool {
        self == Kind::OpenapiToRust
    }

    /// Returns the arguments of `load` that describe the members of its pets.
    pub(super) fn members(self) -> &'static [&'static str] {
        match self {
            Kind::OpenapiToRust => &["--members", "sorted"],
            Kind::Fastify => &["--members", "required-first"],
            // `load` expects these members by default.
            Kind::Service | Kind::ServicePostgres => &[],
            _ => &["--members", "as-declared"],
        }
    }
}

/// Measurements that do not depend on a load.
#[derive(Serialize)]
pub(super) struct Facts {
    pub(super) candidate: Kind,
    /// The size of the program; 0 if an interpreter runs it.
    pub(super) binary_bytes: u64,
    /// The time from start to ready, in milliseconds, for each round.
    pub(super) ready_ms: Vec<f64>,
    /// The maximum memory under all loads, in bytes, for each round.
    pub(super) peak_bytes: Vec<u64>,
    /// The memory with many idle connections, in bytes.
    pub(super) idle_bytes: u64,
    pub(super) idle_connections: usize,
}

/// A candidate with a filled store.
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) key: String,
    /// The file with the positions of its pages, as the program `load` printed them.
    pub(super) pages: PathBuf,
    /// The program, followed by the arguments before its own arguments.
    program: Vec<OsString>,
    database: Database,
}

/// The storage of a candidate.
enum Database {
    /// No store. It sends the pets of a store with this number of pets.
    Nothing(i64),
    /// The filled file.
    Sqlite(PathBuf),
    /// The filled database on PostgreSQL.
    Postgres(String),
}

pub(super) struct Candidates {
    pub(super) all: Vec<Candidate>,
    cluster: Option<Cluster>,
    /// The folder for the files of the rounds. It is removed at the end.
    folder: tempfile::TempDir,
}

impl Candidates {
    /// Fills a store for each candidate and collects the positions of its pages.
    pub(super) fn prepare(bench: &Bench<'_>) -> Result<Self> {
        progress("filling the stores");
        // The folder is in the target folder, because a temporary folder may be in memory, where
        // nothing has to be synced to a disk.
        let folder = tempfile::Builder::new()
            .prefix("round")
            .tempdir_in(&bench.folder)?;
        let mut all = Self {
            all: Vec::new(),
            cluster: Cluster::start()?,
            folder,
        };
        all.all.push(all.baseline(bench));
        for peer in peers::selected(bench.peers) {
            all.all.extend(all.peer(peer, bench)?);
        }
        all.all.push(all.service(bench)?);
        match &all.cluster {
            Some(cluster) => all.all.push(all.service_on(cluster, bench)?),
            None => {
                let required = env::var("PETSTORE_REQUIRE_POSTGRES").is_ok_and(|it| it == "1");
                ensure!(
                    !required,
                    "PostgreSQL is not installed, but PETSTORE_REQUIRE_POSTGRES=1 requires it; install it or unset the variable"
                );
                println!("skipped: PostgreSQL is not installed");
            }
        }
        for candidate in &all.all {
            if candidate.is_fixed() || candidate.kind.sends_no_link() {
                continue;
            }
            let running = all.start(candidate)?;
            let members = candidate.kind.members().iter();
            let members: Vec<String> = members.map(ToString::to_string).collect();
            let text = load::walk(bench, &running, &candidate.key, bench.extent.pets, &members);
            let text = text.with_context(|| format!("{}: its pages", candidate.kind))?;
            fs::write(&candidate.pages, text)?;
        }
        for candidate in &all.all {
            let like = match candidate.kind {
                // These candidates have only one page, but receive requests of the same length.
                Kind::Baseline | Kind::Actix => Kind::Service,
                // The store is the same, so the positions are the same.
                Kind::OpenapiToRust => Kind::AxumRusqlite,
                _ => continue,
            };
            if let Some(like) = all.all.iter().find(|other| other.kind == like) {
                fs::copy(&like.pages, &candidate.pages)?;
            }
        }
        Ok(all)
    }

    fn baseline(&self, bench: &Bench<'_>) -> Candidate {
        Candidate {
            kind: Kind::Baseline,
            key: KEY.to_owned(),
            pages: self.folder.path().join("baseline.json"),
            program: vec![bench.programs.baseline.clone().into()],
            database: Database::Nothing(bench.extent.pets),
        }
    }

    /// Prepares a peer and fills its store; returns `None` if PostgreSQL is not installed.
    fn peer(&self, peer: &Peer, bench: &Bench<'_>) -> Result<Option<Candidate>> {
        let database = match (peer.stores, &self.cluster) {
            (Stores::Nothing, _) => Database::Nothing(bench.extent.pets),
            (Stores::Sqlite, _) => {
                Database::Sqlite(self.folder.path().join(format!("{}.db", peer.kind)))
            }
            (Stores::Postgres, Some(cluster)) => {
                let name = format!("{:?}", peer.kind).to_lowercase();
                cluster.execute("postgres", &format!("CREATE DATABASE {name}"))?;
                Database::Postgres(name)
            }
            (Stores::Postgres, None) => return Ok(None),
        };
        let candidate = Candidate {
            kind: peer.kind,
            key: KEY.to_owned(),
            pages: self.folder.path().join(format!("{}.json", peer.kind)),
            program: peer.build(bench.root, &bench.programs.target, bench.quick)?,
            database,
        };
        let mut seed = candidate.command();
        match (&candidate.database, &self.cluster) {
            (Database::Sqlite(file), _) => seed.arg("seed").arg(file),
            (Database::Postgres(name), Some(cluster)) => {
                seed.arg("seed").arg(cluster.url_with_host(name))
            }
            _ => return Ok(Some(candidate)),
        };
        output(seed.arg(bench.extent.pets.to_string()).arg(KEY))?;
        Ok(Some(candidate))
    }

    fn service(&self, bench: &Bench<'_>) -> Result<Candidate> {
        let database = self.folder.path().join("service.db");
        fill(bench, &database, bench.extent.pets)?;
        Ok(Candidate {
            kind: Kind::Service,
            key: key(bench, &sqlite(&database))?,
            pages: self.folder.path().join("service.json"),
            program: vec![bench.programs.server.clone().into()],
            database: Database::Sqlite(database),
        })
    }

    fn service_on(&self, cluster: &Cluster, bench: &Bench<'_>) -> Result<Candidate> {
        Ok(Candidate {
            kind: Kind::ServicePostgres,
            key: fill_on(cluster, bench)?,
            pages: self.folder.path().join("postgres.json"),
            program: vec![bench.programs.server.clone().into()],
            database: Database::Postgres(FILLED.to_owned()),
        })
    }

    /// Starts a candidate on a copy of its database.
    pub(super) fn start(&self, candidate: &Candidate) -> Result<Running> {
        let mut command = candidate.command();
        let log = self.folder.path().join(format!("{}.log", candidate.kind));
        match (&candidate.database, &self.cluster) {
            (Database::Nothing(pets), _) => command.arg(pets.to_string()),
            (Database::Sqlite(file), _) => {
                let copy = self.copy(candidate.kind, file)?;
                match candidate.kind {
                    Kind::Service => serve(&mut command, &sqlite(&copy)),
                    _ => command.arg("serve").arg(copy),
                }
            }
            (Database::Postgres(filled), Some(cluster)) => {
                let copy = format!("{filled}_round");
                for sql in [
                    format!("DROP DATABASE IF EXISTS {copy} (FORCE)"),
                    format!("CREATE DATABASE {copy} TEMPLATE {filled}"),
                    // Writes the pages of the copy to the disk now, so that this does not happen
                    // during the round.
                    "CHECKPOINT".to_owned(),
                ] {
                    cluster.execute("postgres", &sql)?;
                }
                match candidate.kind {
                    Kind::ServicePostgres => serve(&mut command, &cluster.url(&copy)),
                    _ => command.arg("serve").arg(cluster.url_with_host(&copy)),
                }
            }
            (Database::Postgres(_), None) => bail!("{}: PostgreSQL ended", candidate.kind),
        };
        Running::start(&mut command, &log)
    }

    /// Returns the processes whose processor time counts for a candidate, including the processes
    /// of its database.
    pub(super) fn processes(&self, candidate: &Candidate, running: &Running) -> Vec<u32> {
        let database = self.cluster.as_ref();
        let database = database.filter(|_| matches!(candidate.database, Database::Postgres(_)));
        let database = database.map(Cluster::id);
        [Some(running.id()), database]
            .into_iter()
            .flatten()
            .collect()
    }

    fn copy(&self, kind: Kind, file: &Path) -> Result<PathBuf> {
        let copy = self.folder.path().join(format!("{kind}.copy"));
        for suffix in ["", "-wal", "-shm"] {
            let mut name = copy.clone().into_os_string();
            name.push(suffix);
            if Path::new(&name).exists() {
                fs::remove_file(&name)?;
            }
        }
        fs::copy(file, &copy)?;
        fs::File::open(&copy)?.sync_all()?;
        Ok(copy)
    }
}

impl Candidate {
    pub(super) fn binary_bytes(&self) -> Result<u64> {
        // If the program is an interpreter in PATH, the size of the binary has no meaning.
        Ok(fs::metadata(&self.program[0]).map_or(0, |program| program.len()))
    }

    /// Whether it always sends the same responses.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.database, Database::Nothing(_))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        command
    }
}

/// Creates an SQLite store with pets.
pub(super) fn fill(bench: &Bench<'_>, database: &Path, pets: i64) -> Result<()> {
    let mut seed = Command::new(&bench.programs.seed);
    output(seed.arg(database).arg(pets.to_string())).map(drop)
}

/// Creates the database [`FILLED`] with the pets of the service, and a key.
pub(super) fn fill_on(cluster: &Cluster, bench: &Bench<'_>) -> Result<String> {
    cluster.execute("postgres", &format!("CREATE DATABASE {FILLED}"))?;
    let key = key(bench, &cluster.url(FILLED))?;
    for sql in fill_postgres(bench.extent.pets).split(';') {
        cluster.execute(FILLED, sql)?;
    }
    Ok(key)
}

/// Creates a key in the store of the service.
pub(super) fn key(bench: &Bench<'_>, database: &str) -> Result<String> {
    let mut command = Command::new(&bench.programs.server);
    command.args(["migrate", "--create", "--database", database]);
    // An earlier version does not have the flag, but creates the store together with the key.
    let _made = command.output()?;
    let mut command = Command::new(&bench.programs.server);
    command.args(["key", "create", "bench", "--database", database]);
    let key = output(&mut command)?.trim().to_owned();
    ensure!(!key.is_empty(), "`key create` printed no key");
    Ok(key)
}

pub(super) fn sqlite(database: &Path) -> String {
    format!("sqlite:{}", database.display())
}

/// Adds the arguments of the service: the defaults except for one, and the log format JSON.
pub(super) fn serve<'command>(
    command: &'command mut Command,
    database: &str,
) -> &'command mut Command {
    command
        .args(["serve", "--log-format", "json", "--database", database])
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
        // All connections use one key, and a key may use at most three quarters of the limit.
        .args(["--max-in-flight", "1024"])
}
