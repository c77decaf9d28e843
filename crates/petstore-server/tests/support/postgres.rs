//! Runs a PostgreSQL server for tests in a temporary folder. It listens only on a Unix socket. It
//! is stopped and removed when the test process ends, even if the test process crashes.

use petstore_store::DatabaseUrl;
use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};
pub use test_support::postgres::{as_user, hand_over, owner_for, programs};
use test_support::{Need, skip};
use tokio::sync::OnceCell;
use tokio_postgres::{Client, Config, NoTls};

/// This is far more than a start takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the server until standard input ends or, if `$OWNER` is set, until the process `$OWNER` has
/// ended, and then removes it. Standard input ends when the test process closes it or ends. This is
/// a shell script, because the test process could not do this after a SIGKILL. A server that ends
/// is started again, but not while the file `down` exists.
const KEEPER: &str = r#"
run() {
    until test -e end; do
        "$BIN/postgres" -D data -k "$FOLDER" "$@" </dev/null >>log 2>&1 &
        echo $! >pid
        wait $!
        while test -e down && ! test -e end; do sleep 0.02; done
        sleep 0.02
    done
}
run "$@" &
if test -n "$OWNER"; then
    while test -e "/proc/$OWNER"; do sleep 0.2; done
else
    read -r word
fi
touch end
while kill -0 $! 2>/dev/null; do
    kill -QUIT "$(cat pid)" 2>/dev/null
    sleep 0.05
done
cd / && rm -rf "$FOLDER"
"#;

/// A server with a separate folder.
pub struct Cluster {
    folder: PathBuf,
    port: u16,
    /// The shell that runs the server, if this process started it.
    keeper: Option<Child>,
}

/// Returns the server that all tests share; `None` if PostgreSQL is not installed. `cargo nextest`
/// runs each test in a separate process: there, all processes of a run share the server.
pub async fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceCell<Option<Cluster>> = OnceCell::const_new();
    let start = || async {
        let programs = required_programs()?;
        let Ok(run) = std::env::var("NEXTEST_RUN_ID") else {
            let cluster = Cluster::make(&programs, new_folder(), &[], &[], None, Data::New);
            cluster.until_ready().await;
            return Some(cluster);
        };
        Some(of_run(&programs, &run).await)
    };
    SHARED.get_or_init(start).await.as_ref()
}

/// Returns the server of a run of `cargo nextest`. The first test that needs it starts it. It ends
/// with the run, because nextest is the parent process of each test.
async fn of_run(programs: &Path, run: &str) -> Cluster {
    let folder = std::env::temp_dir().join(format!("pets-{run}"));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let lock = fs::File::create(folder.join("lock")).expect("a file to lock");
    lock.lock().expect("one process starts the server");
    let is_started = folder.join("pid").exists();
    let cluster = if is_started {
        Cluster {
            folder,
            port: 5432,
            keeper: None,
        }
    } else {
        let owner = std::os::unix::process::parent_id();
        Cluster::make(programs, folder, &[], &[], Some(owner), Data::New)
    };
    cluster.until_ready().await;
    cluster
}

fn new_folder() -> PathBuf {
    let folder = tempfile::Builder::new().prefix("pets").tempdir();
    folder.expect("a temporary folder").keep()
}

/// The initial files of a server.
enum Data<'cluster> {
    /// `initdb` creates these files, which takes a second. A copy of them is kept.
    New,
    /// The initial files of this server.
    Of(&'cluster Cluster),
}

/// The folder with the copy of the initial files, beside the files of the server.
const FIRST: &str = "first";

/// Returns a server for one test, with settings such as `fsync=off`.
pub async fn own(settings: &[&str]) -> Option<Cluster> {
    own_with(settings, &[]).await
}

/// Like [`own`], with additional files beside its data, given by names and contents.
pub async fn own_with(settings: &[&str], files: &[(&str, &str)]) -> Option<Cluster> {
    let (programs, first) = (required_programs()?, shared().await?);
    let data = Data::Of(first);
    let cluster = Cluster::make(&programs, new_folder(), settings, files, None, data);
    cluster.until_ready().await;
    Some(cluster)
}

/// Returns the folder of PostgreSQL's programs. If it is not installed, returns `None` and records
/// this.
fn required_programs() -> Option<PathBuf> {
    let programs = programs();
    if programs.is_none() {
        skip(Need::Postgres, "PostgreSQL is not installed");
    }
    programs
}

fn run_in(folder: &Path, command: &mut Command) {
    let output = command.current_dir(folder).output();
    let output = output.expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}

impl Cluster {
    /// Starts a server in this folder. It ends with the process `run` or, if this is `None`, with
    /// the current process.
    fn make(
        programs: &Path,
        folder: PathBuf,
        settings: &[&str],
        files: &[(&str, &str)],
        run: Option<u32>,
        data: Data<'_>,
    ) -> Self {
        let owner = owner_for(&folder);
        let (own, first) = (folder.join("data"), folder.join(FIRST));
        match data {
            Data::New => {
                let mut initdb = as_user(&programs.join("initdb"), owner);
                initdb.args([
                    "--no-sync",
                    "--auth=trust",
                    "--username=postgres",
                    "--encoding=UTF8",
                    "--locale=C",
                    "-D",
                ]);
                run_in(&folder, initdb.arg(&own));
                run_in(&folder, Command::new("cp").arg("-a").args([&own, &first]));
            }
            Data::Of(other) => {
                let first = other.folder.join(FIRST);
                run_in(&folder, Command::new("cp").arg("-a").args([&first, &own]));
            }
        }
        for (name, contents) in files {
            let file = folder.join(name);
            fs::write(&file, contents).expect("a file");
            // The server rejects a key file that other users can read.
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("permissions");
            hand_over(&file, owner);
        }
        let port = settings
            .iter()
            .find_map(|setting| setting.strip_prefix("port="));
        let port = port.map_or(5432, |port| port.parse().expect("a port"));
        Self {
            port,
            keeper: Some(keep(programs, &folder, settings, owner, run)),
            folder,
        }
    }

    /// Waits until the server takes connections.
    pub async fn until_ready(&self) {
        let started = Instant::now();
        while self.connect("postgres").await.is_err() {
            assert!(
                started.elapsed() < PATIENCE,
                "the server does not start: {}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Creates a new, empty database.
    pub async fn database(&self) -> Database<'_> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "pets_{}_{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        self.execute(&format!("CREATE DATABASE {name}")).await;
        Database {
            cluster: self,
            name,
        }
    }

    /// Runs SQL as the owner of the server.
    pub async fn execute(&self, sql: &str) {
        let client = self.connect("postgres").await.expect("the server");
        client.batch_execute(sql).await.expect(sql);
    }

    /// Opens a connection in addition to those of the store.
    pub async fn connect(&self, database: &str) -> Result<Client, tokio_postgres::Error> {
        let mut config = Config::new();
        config
            .host_path(&self.folder)
            .port(self.port)
            .user("postgres")
            .dbname(database);
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Ends the server and all its processes at once, like a crash, and prevents its restart.
    pub fn kill(&self) {
        fs::write(self.folder.join("down"), "").expect("a file");
        let pid = fs::read_to_string(self.folder.join("pid")).expect("the server runs");
        let killed = Command::new("kill")
            .args(["-KILL", pid.trim()])
            .status()
            .expect("kill runs");
        assert!(killed.success(), "the server had ended already");
    }

    /// Starts the server again after [`kill`](Self::kill).
    pub async fn start(&self) {
        fs::remove_file(self.folder.join("down")).expect("the server is down");
        self.until_ready().await;
    }

    /// Returns the log of the server so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Returns the folder of the socket.
    pub fn socket(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            drop(keeper.stdin.take());
            let _ended = keeper.wait();
        }
    }
}

/// A database of one test.
pub struct Database<'cluster> {
    cluster: &'cluster Cluster,
    name: String,
}

impl Database<'_> {
    pub fn url(&self) -> DatabaseUrl {
        let text = format!(
            "postgres://postgres@/{}?host={}",
            self.name,
            self.cluster.socket().display()
        );
        text.parse().expect("a URL")
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens a connection in addition to those of the store.
    pub async fn client(&self) -> Client {
        self.cluster.connect(&self.name).await.expect("the server")
    }

    /// Changes a setting of new connections to this database, such as `synchronous_commit = off`.
    pub async fn set(&self, setting: &str) {
        self.cluster
            .execute(&format!("ALTER DATABASE {} SET {setting}", self.name))
            .await;
    }
}

fn keep(
    programs: &Path,
    folder: &Path,
    settings: &[&str],
    owner: Option<(u32, u32)>,
    run: Option<u32>,
) -> Child {
    let mut keeper = as_user(Path::new("sh"), owner);
    keeper.args([
        "-c",
        KEEPER,
        "sh",
        "-c",
        "listen_addresses=",
        "-c",
        "max_connections=300",
    ]);
    for setting in settings {
        keeper.args(["-c", setting]);
    }
    keeper
        .env("BIN", programs)
        .env("FOLDER", folder)
        .env("OWNER", run.map_or_else(String::new, |run| run.to_string()))
        .current_dir(folder);
    // The server has a separate process group, because Ctrl+C must not reach it before it reaches
    // the tests.
    let kept = keeper
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    kept.expect("a shell")
}
