//! Who is measured: how each is filled with the same pets, and how it starts on
//! them. Each round gets its own copy, so that what one round creates weighs on
//! no other.

use super::{Bench, load, postgres::Cluster, process::Running, programs::output, say};
use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A key for those who do not make keys.
const KEY: &str = "a-key-that-every-request-shows";
/// The filled database on PostgreSQL, and the copy of a round.
const FILLED: &str = "filled";
const ROUND: &str = "round";

/// As the example `seed` of petstore-store fills an SQLite store.
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
    Floor,
    /// axum and sqlx.
    Peer,
    /// The service on SQLite.
    Service,
    /// The service on PostgreSQL.
    ServicePostgres,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Floor => "floor",
            Kind::Peer => "peer",
            Kind::Service => "service",
            Kind::ServicePostgres => "service, PostgreSQL",
        })
    }
}

/// What does not depend on a load.
#[derive(Serialize)]
pub(super) struct Facts {
    pub(super) candidate: Kind,
    pub(super) binary_bytes: u64,
    /// From start to ready, each time, in milliseconds.
    pub(super) ready_ms: Vec<f64>,
    /// The most memory that it took under all loads, each time, in bytes.
    pub(super) peak_bytes: Vec<u64>,
    /// Memory with many idle connections, in bytes.
    pub(super) idle_bytes: u64,
    pub(super) idle_connections: usize,
}

/// A candidate that is filled.
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) key: String,
    /// Where its pages are, as the program `load` printed them.
    pub(super) pages: PathBuf,
    program: PathBuf,
    /// The filled database, where it is a file.
    database: PathBuf,
}

pub(super) struct Candidates {
    pub(super) all: Vec<Candidate>,
    cluster: Option<Cluster>,
    /// What the rounds leave; removed at the end.
    folder: tempfile::TempDir,
}

impl Candidates {
    /// Fills a store for each, and walks along its pages.
    pub(super) fn prepare(bench: &Bench<'_>) -> Result<Self> {
        say("filling the stores");
        // Where the target is, since a temporary folder may be in memory, where
        // nothing needs to be synced.
        let folder = tempfile::Builder::new()
            .prefix("round")
            .tempdir_in(&bench.folder)?;
        let mut all = Self {
            all: Vec::new(),
            cluster: Cluster::start()?,
            folder,
        };
        all.all.push(all.floor(bench));
        all.all.push(all.peer(bench)?);
        all.all.push(all.service(bench)?);
        match &all.cluster {
            Some(cluster) => all.all.push(all.service_on(cluster, bench)?),
            None => {
                let required = env::var("PETSTORE_REQUIRE_POSTGRES").is_ok_and(|it| it == "1");
                ensure!(
                    !required,
                    "PostgreSQL is not installed, and PETSTORE_REQUIRE_POSTGRES=1 asks for it"
                );
                println!("skipped: PostgreSQL is not installed");
            }
        }
        for candidate in &all.all {
            let running = all.start(candidate)?;
            let text = match candidate.kind {
                Kind::Floor => continue,
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
            // The floor has one page, but is asked with as many bytes.
            fs::copy(&service.pages, &all.all[0].pages)?;
        }
        Ok(all)
    }

    fn floor(&self, bench: &Bench<'_>) -> Candidate {
        Candidate {
            kind: Kind::Floor,
            key: KEY.to_owned(),
            pages: self.folder.path().join("floor.json"),
            program: bench.programs.floor.clone(),
            database: bench.extent.pets.to_string().into(),
        }
    }

    fn peer(&self, bench: &Bench<'_>) -> Result<Candidate> {
        let database = self.folder.path().join("peer.db");
        let mut seed = Command::new(&bench.programs.peer);
        seed.arg("seed").arg(&database);
        output(seed.arg(bench.extent.pets.to_string()).arg(KEY))?;
        Ok(Candidate {
            kind: Kind::Peer,
            key: KEY.to_owned(),
            pages: self.folder.path().join("peer.json"),
            program: bench.programs.peer.clone(),
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
            (Kind::Floor, _) => command.arg(&candidate.database),
            (Kind::Peer, _) => command.arg("serve").arg(self.copy(candidate)?),
            (Kind::ServicePostgres, Some(cluster)) => {
                cluster.execute(
                    "postgres",
                    &format!("DROP DATABASE IF EXISTS {ROUND} (FORCE)"),
                )?;
                cluster.execute(
                    "postgres",
                    &format!("CREATE DATABASE {ROUND} TEMPLATE {FILLED}"),
                )?;
                // What the copy left to be written is not for the round to pay.
                cluster.execute("postgres", "CHECKPOINT")?;
                serve(&mut command, &cluster.url(ROUND))
            }
            _ => serve(&mut command, &sqlite(&self.copy(candidate)?)),
        };
        Running::start(&mut command, &log)
    }

    /// The processes whose time is a candidate's: with those of its database.
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

/// Makes an SQLite store with pets.
pub(super) fn fill(bench: &Bench<'_>, database: &Path, pets: i64) -> Result<()> {
    let mut seed = Command::new(&bench.programs.seed);
    output(seed.arg(database).arg(pets.to_string())).map(drop)
}

/// Makes a key in a store of the service.
pub(super) fn key(bench: &Bench<'_>, database: &str) -> Result<String> {
    let mut command = Command::new(&bench.programs.server);
    command.args(["key", "create", "bench", "--database", database]);
    let key = output(&mut command)?.trim().to_owned();
    ensure!(!key.is_empty(), "`key create` printed no key");
    Ok(key)
}

pub(super) fn sqlite(database: &Path) -> String {
    format!("sqlite:{}", database.display())
}

/// The service as it is run: every default, and the log as JSON.
pub(super) fn serve<'command>(
    command: &'command mut Command,
    database: &str,
) -> &'command mut Command {
    command
        .args(["serve", "--log-format", "json", "--database", database])
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
}
