//! Tests the start of the service while its database is unreachable: it waits, reports this to load
//! balancers, to systemd and in its log, and stops at a signal.

use crate::{
    postgres::{Cluster, own},
    process::{Log, program, run_failing},
    raw::{RawResponse, Request, send},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::{
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixDatagram,
    process::{Child, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The URL of a database on a port where no program listens.
const NOWHERE: &str = "postgres://pets:s3cret@127.0.0.1:1/pets?sslmode=disable";

/// A starting service, with its admin listener.
struct Starting {
    child: Child,
    log: Log,
    /// The lines on stdout.
    lines: mpsc::Receiver<String>,
    address: SocketAddr,
    _folder: TempDir,
}

impl Starting {
    fn with(database: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        // This port is free now. With port 0, the port would be known only when the service
        // listens.
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = free.local_addr().expect("it has an address");
        drop(free);
        let mut child = program(folder.path())
            .args(["serve", "--listen", &address.to_string()])
            .args(["--admin-listen", "127.0.0.1:0", "--database", database])
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be run");
        let log = Log::follow(child.stderr.take().expect("piped"));
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // The test may already be over.
                let _gone = sender.send(line);
            }
        });
        Starting {
            child,
            log,
            lines,
            address,
            _folder: folder,
        }
    }

    fn ask(&self, path: &str) -> RawResponse {
        let line = self.log.wait_for("health and metrics on http://");
        let address = line.split("http://").nth(1).expect("an address");
        send(
            address.trim().parse().expect("an address"),
            &Request::get(path),
        )
    }

    fn until_tried(&self, times: usize) {
        let begin = Instant::now();
        while self.tries() < times {
            assert!(begin.elapsed() < PATIENCE, "{}", self.log.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn tries(&self) -> usize {
        self.log.text().matches("retrying in").count()
    }

    fn ended(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("can be waited for") {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "{}", self.log.text());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        // The service may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn body(response: &RawResponse) -> String {
    String::from_utf8_lossy(&response.body).into_owned()
}

fn url_of(cluster: &Cluster, user: &str, database: &str) -> String {
    let folder = cluster.socket().display();
    format!("postgres://{user}@/{database}?host={folder}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_waits_for_its_database_and_serves_once_it_is_reachable() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    cluster.kill();
    let service = Starting::with(&database.url().to_string(), &[], &[]);
    service.until_tried(3);
    assert_eq!(service.ask("/livez").status, 200);
    assert_eq!(service.ask("/metrics").status, 503);
    let readiness = service.ask("/readyz");
    assert_eq!(readiness.status, 503);
    let reason = body(&readiness);
    assert!(
        reason
            .starts_with("not ready: the service is starting and waits: cannot open the database"),
        "{reason}"
    );
    assert!(
        service.lines.try_recv().is_err(),
        "it does not accept requests"
    );
    // A load balancer then uses another server at once.
    let refused = TcpStream::connect(service.address).map(drop);
    assert_eq!(
        refused.map_err(|error| error.kind()),
        Err(std::io::ErrorKind::ConnectionRefused)
    );

    cluster.start().await;
    let line = service.lines.recv_timeout(PATIENCE).expect("it listens");
    assert_eq!(line, format!("listening on http://{}/v1", service.address));
    assert_eq!(service.ask("/readyz").status, 200);
    assert_eq!(service.ask("/metrics").status, 200);
    let key = service.log.wait_for("    petstore_");
    let pet = json!({"name": "Rex", "categoryId": 7}).to_string();
    let created = Request::post("/v1/pets", pet).key(key.trim());
    assert_eq!(send(service.address, &created).status, 201);
}

#[test]
fn a_signal_stops_a_service_that_waits_for_its_database() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut service = Starting::with(NOWHERE, &[], &[]);
        service.until_tried(1);
        let pid = i32::try_from(service.child.id()).expect("a process id");
        let begin = Instant::now();
        kill_process(Pid::from_raw(pid).expect("not 0"), signal).expect("it runs");
        assert_eq!(service.ended().code(), Some(0));
        assert!(begin.elapsed() < PATIENCE, "does not stop");
        service.log.wait_for("before the service had started");
        let log = service.log.text();
        assert!(!log.contains("s3cret"), "{log}");
    }
}

#[test]
fn waiting_for_the_database_ends_after_the_limit_with_the_reason() {
    let mut service = Starting::with(NOWHERE, &["--database-wait-seconds", "3"], &[]);
    assert_eq!(service.ended().code(), Some(1));
    let line = service.log.wait_for("error: cannot open the database");
    assert!(line.contains("check that it runs"), "{line}");
    assert!(service.tries() >= 2, "{}", service.log.text());
}

#[test]
fn an_address_in_use_is_reported_before_the_wait_for_the_database() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    let folder = TempDir::new().expect("a folder can be made");
    let error = run_failing(
        folder.path(),
        &["serve", "--listen", &address, "--database", NOWHERE],
        1,
    );
    assert!(error.contains("cannot listen on"), "{error}");
    assert!(!error.contains("retrying"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permanent_database_error_ends_the_start_without_waiting() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let database = cluster.database().await;
    let newer = cluster.database().await;
    let db = newer.client().await;
    db.batch_execute("CREATE TABLE petstore_schema AS SELECT 99::bigint AS version")
        .await
        .expect("a store of a newer version");
    let lossy = cluster.database().await;
    lossy.set("synchronous_commit = off").await;
    let folder = TempDir::new().expect("a folder can be made");
    for (url, reason) in [
        (
            url_of(&cluster, "nobody", database.name()),
            "does not exist",
        ),
        (url_of(&cluster, "postgres", "nothing"), "does not exist"),
        (newer.url().to_string(), "written by a newer version"),
        (lossy.url().to_string(), "set it to `on`"),
    ] {
        let error = run_failing(
            folder.path(),
            &["serve", "--listen", "127.0.0.1:0", "--database", &url],
            1,
        );
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains("retrying"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_an_error_at_once() {
    let rules = "local all postgres trust\nlocal all all scram-sha-256\n";
    let Some(cluster) = crate::postgres::own_with(&["hba_file=rules"], &[("rules", rules)]).await
    else {
        return;
    };
    let database = cluster.database().await;
    cluster
        .execute("CREATE ROLE pets LOGIN PASSWORD 'right'")
        .await;
    let folder = TempDir::new().expect("a folder can be made");
    for (login, reason) in [
        ("pets:wrong", "password authentication failed"),
        ("pets", "password missing"),
    ] {
        let url = url_of(&cluster, login, database.name());
        let error = run_failing(
            folder.path(),
            &["serve", "--listen", "127.0.0.1:0", "--database", &url],
            1,
        );
        assert!(error.contains("check user, password"), "{error}");
        assert!(
            error.contains("`postgres://USER:PASSWORD@HOST/NAME`"),
            "{error}"
        );
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains("retrying"), "{error}");
    }
}

#[test]
fn systemd_is_notified_of_the_wait_and_extends_the_time_to_start() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket can be made");
    socket.set_read_timeout(Some(PATIENCE)).expect("not none");
    let notify = [("NOTIFY_SOCKET", path.to_str().expect("text"))];
    let _service = Starting::with(NOWHERE, &[], &notify);
    let mut buffer = [0; 4096];
    let length = socket.recv(&mut buffer).expect("something is told");
    let told = String::from_utf8_lossy(&buffer[..length]).into_owned();
    assert!(told.contains("EXTEND_TIMEOUT_USEC=30000000\n"), "{told}");
    assert!(told.contains("STATUS=cannot open the database"), "{told}");
    assert!(!told.contains("s3cret"), "{told}");
}
