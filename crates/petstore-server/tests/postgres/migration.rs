//! Tests a migration that takes long, because another session holds a lock: it is
//! logged while it runs, and systemd is asked to wait for it.

use crate::{
    postgres::{Database, shared},
    process::{Service, program},
};
use std::{fs, os::unix::net::UnixDatagram, path::Path, sync::Arc, thread, time::Duration};
use tempfile::TempDir;
use tokio_postgres::Client;

/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(25);
const EXTENDED: &str = "EXTEND_TIMEOUT_USEC=120000000\n";

/// Makes a store of schema 4, and locks the table that the next migration changes.
async fn old_and_locked(database: &Database<'_>) -> Client {
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
    // At the beginning of the step, and again while it goes on.
    for _ in 0..2 {
        // Meanwhile the wait for the database asks for less.
        while told(&socket) != EXTENDED {}
    }
    lock.batch_execute("COMMIT").await.expect("unlocked");
    let service = start.join().expect("it starts");
    while told(&socket) != "READY=1\n" {}
    let log = service.log.text();
    let step = "upgrading the store from schema version 4 to 6: step 1 of 2 (limits of keys), ";
    assert!(log.matches(step).count() >= 2, "{log}");
    let done = "the store was upgraded from schema version 4 to 6 in ";
    assert_eq!(log.matches(done).count(), 1, "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_migrate_reports_its_progress_too() {
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
    assert!(said.contains("from schema version 4 to 6"), "{said}");
    assert!(
        log.matches("step 1 of 2 (limits of keys)").count() >= 2,
        "{log}"
    );
}
