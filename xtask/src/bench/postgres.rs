//! Runs a PostgreSQL server for the benchmark, with default settings, in a temporary folder and on
//! a Unix socket. The server ends with this process.

use super::programs::output;
use anyhow::{Context as _, Result, bail};
use std::{
    env, fs,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// More time than the start takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops the server when standard input is closed, which happens when the benchmark ends for any
/// reason.
const KEEPER: &str = r#""$@" </dev/null >>log 2>&1 & read -r end; kill -QUIT $!; wait"#;

/// A server with its own folder.
pub(super) struct Cluster {
    programs: PathBuf,
    owner: Option<(u32, u32)>,
    folder: TempDir,
    keeper: Child,
}

impl Cluster {
    /// Starts a server; returns `None` if PostgreSQL is not installed.
    pub(super) fn start() -> Result<Option<Self>> {
        let Some(programs) = programs() else {
            return Ok(None);
        };
        // The path of a Unix socket must be short.
        let folder = tempfile::Builder::new().prefix("bench").tempdir()?;
        let owner = owner(folder.path())?;
        let mut initdb = command(&programs, "initdb", owner);
        initdb.current_dir(folder.path());
        output(initdb.args(["--auth=trust", "--username=postgres", "-D", "data"]))?;
        let mut keeper = command(Path::new(""), "sh", owner);
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
                bail!(error.context(format!(
                    "PostgreSQL does not start: {}",
                    log.unwrap_or_default()
                )));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(cluster))
    }

    /// Runs SQL in a database.
    pub(super) fn execute(&self, database: &str, sql: &str) -> Result<()> {
        let mut psql = command(&self.programs, "psql", self.owner);
        psql.args(["-qX", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"])
            .arg(self.folder.path())
            .args(["-d", database, "-c", sql])
            .current_dir(self.folder.path());
        output(&mut psql).map(drop)
    }

    /// Returns the URL of a database for the service.
    pub(super) fn url(&self, database: &str) -> String {
        let socket = self.folder.path().display();
        format!("postgres://postgres@/{database}?host={socket}")
    }

    /// Returns the URL for programs that require a host in it. The host is not used.
    pub(super) fn url_with_host(&self, database: &str) -> String {
        self.url(database)
            .replace("postgres@/", "postgres@localhost/")
    }

    /// Returns the id of the process that started the server and all its processes.
    pub(super) fn id(&self) -> u32 {
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

/// Returns the user that runs PostgreSQL, which does not run as root. If this process is root,
/// PostgreSQL runs as the user `postgres`, who becomes the owner of the folder.
fn owner(folder: &Path) -> Result<Option<(u32, u32)>> {
    if fs::metadata(folder)?.uid() != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").context("cannot read the list of users")?;
    let user = users.lines().find(|line| line.starts_with("postgres:"));
    let fields: Vec<&str> = user
        .context("PostgreSQL cannot run as root, and there is no user `postgres` to run it")?
        .split(':')
        .collect();
    let number = |field: usize| -> Option<u32> { fields.get(field)?.parse().ok() };
    let owner = number(2).zip(number(3));
    let (uid, gid) = owner.context("the user `postgres` has no numeric id")?;
    chown(folder, Some(uid), Some(gid))?;
    Ok(Some((uid, gid)))
}

fn command(folder: &Path, program: &str, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(folder.join(program));
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

/// Returns the program folder of the newest server that Debian installs, or the one in `PATH`.
fn programs() -> Option<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut versions: Vec<(u32, PathBuf)> = installed
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let path = env::var_os("PATH").unwrap_or_default();
    debian.chain(env::split_paths(&path)).find(|folder| {
        ["initdb", "postgres", "psql"]
            .iter()
            .all(|name| folder.join(name).is_file())
    })
}
