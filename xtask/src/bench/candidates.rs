//! Fills each candidate of the bench with the same data and starts it. Each round uses
//! its own copies, so that creations of one round do not affect another.

use super::{Bench, load, postgres::Cluster, process::Running, programs::output, progress};
use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The key of the candidates that do not create keys.
const KEY: &str = "a-key-that-every-request-shows";
/// The filled database on PostgreSQL, and its copy for a round.
const FILLED: &str = "filled";
const ROUND: &str = "round";

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
    /// axum and sqlx.
    Comparison,
    /// The service on SQLite.
    Service,
    /// The service on PostgreSQL.
    ServicePostgres,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Baseline => "baseline",
            Kind::Comparison => "comparison",
            Kind::Service => "service",
            Kind::ServicePostgres => "service, PostgreSQL",
        })
    }
}

/// Measurements that do not depend on a load.
#[derive(Serialize)]
pub(super) struct Facts {
    pub(super) candidate: Kind,
    pub(super) binary_bytes: u64,
    /// Time from start to ready, in milliseconds, for each round.
    pub(super) ready_ms: Vec<f64>,
    /// Maximum memory under all loads, in bytes, for each round.
    pub(super) peak_bytes: Vec<u64>,
    /// Memory with many idle connections, in bytes.
    pub(super) idle_bytes: u64,
    pub(super) idle_connections: usize,
}

/// A candidate with a filled store.
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) key: String,
    /// The file with the positions of its pages, as the program `load` printed them.
    pub(super) pages: PathBuf,
    program: PathBuf,
    /// The filled database, if it is a file.
    database: PathBuf,
}

pub(super) struct Candidates {
    pub(super) all: Vec<Candidate>,
    cluster: Option<Cluster>,
    /// The folder for the files of the rounds; removed at the end.
    folder: tempfile::TempDir,
}

impl Candidates {
    /// Fills a store for each candidate and collects the positions of its pages.
    pub(super) fn prepare(bench: &Bench<'_>) -> Result<Self> {
        progress("filling the stores");
        // In the target folder, because a temporary folder may be in memory, where
        // nothing has to be synced.
        let folder = tempfile::Builder::new()
            .prefix("round")
            .tempdir_in(&bench.folder)?;
        let mut all = Self {
            all: Vec::new(),
            cluster: Cluster::start()?,
            folder,
        };
        all.all.push(all.baseline(bench));
        all.all.push(all.comparison(bench)?);
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
            let running = all.start(candidate)?;
            let text = match candidate.kind {
                Kind::Baseline => continue,
                _ => load::walk(bench, &running, &candidate.key, bench.extent.pets, &[]),
            };
            let text = text.with_context(|| format!("{}: its pages", candidate.kind))?;
            fs::write(&candidate.pages, text)?;
        }
        let service = all
            .all
            .iter()
            .find(|candidate| candidate.kind == Kind::Service);
        if let Some(service) = service {
            // The baseline has one page, but receives requests of the same length.
            fs::copy(&service.pages, &all.all[0].pages)?;
        }
        Ok(all)
    }

    fn baseline(&self, bench: &Bench<'_>) -> Candidate {
        Candidate {
            kind: Kind::Baseline,
            key: KEY.to_owned(),
            pages: self.folder.path().join("baseline.json"),
            program: bench.programs.baseline.clone(),
            database: bench.extent.pets.to_string().into(),
        }
    }

    fn comparison(&self, bench: &Bench<'_>) -> Result<Candidate> {
        let database = self.folder.path().join("comparison.db");
        let mut seed = Command::new(&bench.programs.comparison);
        seed.arg("seed").arg(&database);
        output(seed.arg(bench.extent.pets.to_string()).arg(KEY))?;
        Ok(Candidate {
            kind: Kind::Comparison,
            key: KEY.to_owned(),
            pages: self.folder.path().join("comparison.json"),
            program: bench.programs.comparison.clone(),
            database,
        })
    }

    fn service(&self, bench: &Bench<'_>) -> Result<Candidate> {
        let database = self.folder.path().join("service.db");
        fill(bench, &database, bench.extent.pets)?;
        Ok(Candidate {
            kind: Kind::Service,
            key: key(bench, &sqlite(&database))?,
            pages: self.folder.path().join("service.json"),
            program: bench.programs.server.clone(),
            database,
        })
    }

    fn service_on(&self, cluster: &Cluster, bench: &Bench<'_>) -> Result<Candidate> {
        cluster.execute("postgres", &format!("CREATE DATABASE {FILLED}"))?;
        let key = key(bench, &cluster.url(FILLED))?;
        for sql in fill_postgres(bench.extent.pets).split(';') {
            cluster.execute(FILLED, sql)?;
        }
        Ok(Candidate {
            kind: Kind::ServicePostgres,
            key,
            pages: self.folder.path().join("postgres.json"),
            program: bench.programs.server.clone(),
            database: PathBuf::new(),
        })
    }

    /// Starts a candidate on a copy of its database.
    pub(super) fn start(&self, candidate: &Candidate) -> Result<Running> {
        let mut command = Command::new(&candidate.program);
        let log = self.folder.path().join(format!("{}.log", candidate.kind));
        match (candidate.kind, &self.cluster) {
            (Kind::Baseline, _) => command.arg(&candidate.database),
            (Kind::Comparison, _) => command.arg("serve").arg(self.copy(candidate)?),
            (Kind::ServicePostgres, Some(cluster)) => {
                cluster.execute(
                    "postgres",
                    &format!("DROP DATABASE IF EXISTS {ROUND} (FORCE)"),
                )?;
                cluster.execute(
                    "postgres",
                    &format!("CREATE DATABASE {ROUND} TEMPLATE {FILLED}"),
                )?;
                // Writes what the copy left to be written, so that the round does not
                // have to.
                cluster.execute("postgres", "CHECKPOINT")?;
                serve(&mut command, &cluster.url(ROUND))
            }
            _ => serve(&mut command, &sqlite(&self.copy(candidate)?)),
        };
        Running::start(&mut command, &log)
    }

    /// Returns the processes whose time counts for a candidate, including those of its
    /// database.
    pub(super) fn processes(&self, candidate: &Candidate, running: &Running) -> Vec<u32> {
        let database = self.cluster.as_ref();
        let database = database.filter(|_| candidate.kind == Kind::ServicePostgres);
        let database = database.map(Cluster::id);
        [Some(running.id()), database]
            .into_iter()
            .flatten()
            .collect()
    }

    fn copy(&self, candidate: &Candidate) -> Result<PathBuf> {
        let copy = self.folder.path().join(format!("{}.copy", candidate.kind));
        for suffix in ["", "-wal", "-shm"] {
            let mut name = copy.clone().into_os_string();
            name.push(suffix);
            if Path::new(&name).exists() {
                fs::remove_file(&name)?;
            }
        }
        fs::copy(&candidate.database, &copy)?;
        fs::File::open(&copy)?.sync_all()?;
        Ok(copy)
    }
}

impl Candidate {
    pub(super) fn binary_bytes(&self) -> Result<u64> {
        Ok(fs::metadata(&self.program)?.len())
    }
}

/// Creates an SQLite store with pets.
pub(super) fn fill(bench: &Bench<'_>, database: &Path, pets: i64) -> Result<()> {
    let mut seed = Command::new(&bench.programs.seed);
    output(seed.arg(database).arg(pets.to_string())).map(drop)
}

/// Creates a key in a store of the service.
pub(super) fn key(bench: &Bench<'_>, database: &str) -> Result<String> {
    let mut command = Command::new(&bench.programs.server);
    command.args(["migrate", "--create", "--database", database]);
    // An earlier version does not have the flag, and makes the store with the key.
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

/// Adds the arguments of the service: every default but one, and the log as JSON.
pub(super) fn serve<'command>(
    command: &'command mut Command,
    database: &str,
) -> &'command mut Command {
    command
        .args(["serve", "--log-format", "json", "--database", database])
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
        // All connections have one key, which gets three quarters.
        .args(["--max-in-flight", "1024"])
}
