//! Runs a PostgreSQL server for the benchmark, with default settings, in a temporary folder and on
//! a Unix socket. The server ends with this process.

use anyhow::{Context as _, Result, bail, ensure};
use petstore_bench::process::output;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use test_support::postgres::{as_user, owner_for, programs};

/// More time than the start takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops the server when standard input is closed, which happens when the benchmark ends for any
/// reason.
const KEEPER: &str = r#""$@" </dev/null >>log 2>&1 & read -r end; kill -QUIT $!; wait"#;

/// A server with its own folder.
pub(crate) struct Cluster {
    programs: PathBuf,
    owner: Option<(u32, u32)>,
    folder: TempDir,
    keeper: Child,
}

impl Cluster {
    /// Starts a server; returns `None` if PostgreSQL is neither installed nor required.
    pub(crate) fn start() -> Result<Option<Self>> {
        let Some(programs) = programs() else {
            ensure!(
                !env::var("PETSTORE_REQUIRE_POSTGRES").is_ok_and(|it| it == "1"),
                "PostgreSQL is not installed, but PETSTORE_REQUIRE_POSTGRES=1 requires it; install it or unset the variable"
            );
            println!("skipped: PostgreSQL is not installed");
            return Ok(None);
        };
        // The path of a Unix socket must be short.
        let folder = tempfile::Builder::new().prefix("bench").tempdir()?;
        let owner = owner_for(folder.path());
        let mut initdb = as_user(&programs.join("initdb"), owner);
        initdb.current_dir(folder.path());
        output(initdb.args(["--auth=trust", "--username=postgres", "-D", "data"]))?;
        let mut keeper = as_user(Path::new("sh"), owner);
        let keeper = keeper
            .args(["-c", KEEPER, "sh"])
            .arg(programs.join("postgres"))
            .args(["-D", "data", "-c", "listen_addresses=", "-k"])
            .arg(folder.path())
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .context("cannot start a shell")?;
        let cluster = Self {
            programs,
            owner,
            folder,
            keeper,
        };
        let begin = Instant::now();
        while let Err(error) = cluster.execute("postgres", "SELECT 1") {
            if begin.elapsed() > PATIENCE {
                let log = fs::read_to_string(cluster.folder.path().join("log"));
                let log = log.unwrap_or_default();
                bail!(error.context(format!("PostgreSQL does not start: {log}")));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(cluster))
    }

    /// Runs SQL in a database.
    pub(crate) fn execute(&self, database: &str, sql: &str) -> Result<()> {
        let mut psql = as_user(&self.programs.join("psql"), self.owner);
        psql.args(["-qX", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"])
            .arg(self.folder.path())
            .args(["-d", database, "-c", sql])
            .current_dir(self.folder.path());
        output(&mut psql).map(drop)
    }

    /// Returns the URL of a database for the service.
    pub(crate) fn url(&self, database: &str) -> String {
        let socket = self.folder.path().display();
        format!("postgres://postgres@/{database}?host={socket}")
    }

    /// Returns the id of the process that started the server and all its processes.
    pub(crate) fn id(&self) -> u32 {
        self.keeper.id()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // If this fails, nothing more can be done.
        let _ended = self.keeper.wait();
    }
}
