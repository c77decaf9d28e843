//! Tests a migration that takes long because another session holds a lock: it is logged while it
//! runs, and systemd is asked to wait for it.

use crate::{
    postgres::{Database, shared},
    process::{Log, Service, program, run_failing, run_ok},
};
use std::{
    fs,
    os::unix::net::UnixDatagram,
    path::Path,
    process::{Child, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio_postgres::Client;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(25);
const EXTENDED: &str = "EXTEND_TIMEOUT_USEC=120000000\n";

/// Creates a store of schema 4, the schema of version 1.1.0.
async fn old(database: &Database<'_>) -> Client {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../petstore-store/src/postgres/migrations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the migrations")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let db = database.client().await;
    for file in &files[..4] {
        let sql = fs::read_to_string(file).expect("a migration");
        db.batch_execute(&sql).await.expect("it is applied");
    }
    let version = "CREATE TABLE petstore_schema (version bigint NOT NULL); INSERT INTO petstore_schema VALUES (4)";
    db.batch_execute(version).await.expect("a table");
    db
}

/// Does the same as [`old`], and locks the table that the next migration changes.
async fn old_and_locked(database: &Database<'_>) -> Client {
    let db = old(database).await;
    let lock = "BEGIN; LOCK TABLE api_keys IN ACCESS SHARE MODE";
    db.batch_execute(lock).await.expect("a lock");
    db
}

fn notified(folder: &Path) -> (UnixDatagram, String) {
    let path = folder.join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket can be made");
    socket.set_read_timeout(Some(PATIENCE)).expect("not none");
    (socket, path.to_str().expect("text").to_owned())
}

fn told(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 1024];
    let length = socket.recv(&mut buffer).expect("something is told");
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_migration_is_logged_and_extends_the_time_to_start() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let lock = old_and_locked(&database).await;
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let (socket, path) = notified(folder.path());
    let url = database.url().to_string();
    let start = thread::spawn(move || {
        let variables = [("NOTIFY_SOCKET", path.as_str())];
        Service::start_in(folder, &["--database", &url], &variables)
    });
    // The first notification follows the first attempt, and further ones follow while the migration
    // continues.
    for _ in 0..2 {
        // Meanwhile, the wait for the database requests a shorter extension.
        while told(&socket) != EXTENDED {}
    }
    lock.batch_execute("COMMIT").await.expect("unlocked");
    let service = start.join().expect("it starts");
    while told(&socket) != "READY=1\n" {}
    let log = service.log.text();
    let waits = ": waiting for other transactions";
    assert!(log.matches(waits).count() >= 2, "{log}");
    let step = " (limits of keys), ";
    assert_eq!(log.matches(step).count(), 1, "{log}");
    let done = "the store was upgraded from schema version 4 to ";
    assert_eq!(log.matches(done).count(), 1, "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrate_reports_its_progress() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let lock = old_and_locked(&database).await;
    let folder = TempDir::new().expect("a folder can be made");
    let (socket, path) = notified(folder.path());
    let mut command = program(folder.path());
    command
        .args(["migrate", "--database", &database.url().to_string()])
        .env("NOTIFY_SOCKET", path);
    let migrate = thread::spawn(move || command.output().expect("it runs"));
    for _ in 0..2 {
        assert_eq!(told(&socket), EXTENDED);
    }
    lock.batch_execute("COMMIT").await.expect("unlocked");
    let output = migrate.join().expect("no panic");
    assert!(output.status.success(), "{output:?}");
    let (said, log) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(said.contains("from schema version 4 to "), "{said}");
    let waits = "waiting for other transactions that use its tables";
    assert!(log.matches(waits).count() >= 2, "{log}");
}

/// The running command `migrate`.
struct Migrating {
    child: Child,
    log: Log,
    _folder: TempDir,
}

impl Migrating {
    fn begin(database: &Database<'_>) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let mut child = program(folder.path())
            .args(["migrate", "--database", &database.url().to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let log = Log::follow(child.stderr.take().expect("piped"));
        Migrating {
            child,
            log,
            _folder: folder,
        }
    }

    fn ends_well(mut self) {
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{}", self.log.text());
    }
}

/// Opens a connection with the time limit with which version 1.1.0 reads the key of a request.
async fn requests(database: &Database<'_>) -> Client {
    let db = database.client().await;
    db.batch_execute("SET statement_timeout = 3000")
        .await
        .expect("a setting");
    db
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_that_waits_for_a_dump_does_not_stop_the_servers() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    // `pg_dump` locks each table in this way until it ends.
    let dump = old_and_locked(&database).await;
    let requests = requests(&database).await;
    let migrating = Migrating::begin(&database);
    migrating
        .log
        .wait_for("upgrading the store from schema version 4");
    let (begin, mut served, mut slowest) = (Instant::now(), 0, Duration::ZERO);
    // The migration makes several attempts, each of which delays some requests.
    while begin.elapsed() < Duration::from_secs(8) {
        let asked = Instant::now();
        let key = requests.query("SELECT id FROM api_keys WHERE hash = ''", &[]);
        key.await.expect("a request is not rejected");
        served += 1;
        slowest = slowest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(served > 20, "{served}");
    println!("{served} requests during the attempts, the slowest took {slowest:?}");
    dump.batch_execute("COMMIT").await.expect("unlocked");
    migrating.ends_well();
    let version = dump.query_one("SELECT version FROM petstore_schema", &[]);
    assert_eq!(version.await.expect("a version").get::<_, i64>(0), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_and_the_usage_counters_do_not_deadlock() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let server = old(&database).await;
    // The statement with which version 1.1.0 adds to the counters, in the middle of its
    // transaction.
    let begin = "BEGIN; INSERT INTO deprecated_calls VALUES ('getPet', 'k_mvbvqf8yh5d5', 1, 1, 1)";
    server.batch_execute(begin).await.expect("half a statement");
    let migrating = Migrating::begin(&database);
    let other = database.client().await;
    let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'deprecated_calls'::regclass";
    let begin = Instant::now();
    // The migration either waits in the queue for the counters, or it has given up its attempt.
    loop {
        let waiting: i64 = other.query_one(waits, &[]).await.expect("locks").get(0);
        if waiting > 0
            || migrating
                .log
                .text()
                .contains("waiting for other transactions")
        {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "{}", migrating.log.text());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let rest = "UPDATE api_keys SET last_used_at = 1; COMMIT";
    server
        .batch_execute(rest)
        .await
        .expect("the counters are written");
    migrating.ends_well();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_serve_and_migrate_upgrade_a_database() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let db = old(&database).await;
    let folder = TempDir::new().expect("a folder can be made");
    let url = database.url().to_string();
    for command in [&["usage", "--format", "json"][..], &["key", "create", "a"]] {
        let arguments = [command, &["--database", &url]].concat();
        let error = run_failing(folder.path(), &arguments, 1);
        assert!(
            error.contains("its schema is 4, and this version needs "),
            "{error}"
        );
        assert!(error.contains("`migrate`"), "{error}");
    }
    let version = db.query_one("SELECT version FROM petstore_schema", &[]);
    assert_eq!(version.await.expect("a version").get::<_, i64>(0), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_rejects_a_database_that_serve_would_reject() {
    let Some(cluster) = shared().await else {
        return;
    };
    let (empty, foreign) = (cluster.database().await, cluster.database().await);
    let db = foreign.client().await;
    db.batch_execute("CREATE TABLE pets (id int)")
        .await
        .expect("another table");
    let folder = TempDir::new().expect("a folder can be made");
    let (empty, url) = (empty.url().to_string(), foreign.url().to_string());
    let dry_run = ["migrate", "--dry-run", "--database"];
    let said = run_ok(folder.path(), &[&dry_run[..], &[&empty]].concat());
    assert!(
        said.contains("has no store; `serve` would create one"),
        "{said}"
    );
    let error = run_failing(folder.path(), &[&dry_run[..], &[&url]].concat(), 1);
    assert!(error.contains("it is not a pet store database"), "{error}");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &url];
    let rejected = run_failing(folder.path(), &serve, 1);
    assert!(
        rejected.contains("it is not a pet store database"),
        "{rejected}"
    );
}
