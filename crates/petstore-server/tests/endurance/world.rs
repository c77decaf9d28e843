//! Runs the service of a run, and restarts it on the same addresses.

use crate::{
    faulty_disk::Disk,
    history::History,
    ledger::Ledger,
    memory,
    probe::probe,
    probes::WATCHDOG,
    process::{Service, program, run_ok},
    raw::Request,
    sales::Told,
};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::{
    net::{SocketAddr, TcpListener},
    os::unix::net::UnixDatagram,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;

/// Large pets make large pages for clients that do not read them.
const LARGE_PETS: usize = 40;
const LARGE_NAME: usize = 500_000;
/// The largest body, so that large pets are accepted.
const BODY: &str = "1048576";
/// A client that reads nothing is disconnected after this time.
const STALL_SECONDS: &str = "3";
/// A service that is told to stop must have ended within this time.
const GRACE_SECONDS: &str = "3";

/// The keys of three clients.
pub(crate) struct Keys {
    pub(crate) hostile: String,
    pub(crate) load: String,
    pub(crate) probe: String,
}

/// The state that the threads of a run share.
pub(crate) struct World {
    folder: Arc<TempDir>,
    database: Vec<String>,
    service: Mutex<Option<Service>>,
    is_over: AtomicBool,
    most_backends: AtomicI64,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
    pub(crate) keys: Keys,
    pub(crate) hot_pet: i64,
    pub(crate) disk: Option<Disk>,
    pub(crate) ledger: Ledger,
    pub(crate) orders: Told,
    pub(crate) history: History,
}

impl World {
    /// Starts a service on a new store; `database` contains the arguments that name the store.
    pub(crate) fn start(database: &[&str], with_disk: bool) -> Option<(Arc<Self>, UnixDatagram)> {
        let folder = Arc::new(TempDir::new().expect("a folder can be made"));
        let disk = if with_disk {
            Some(Disk::new(folder.path())?)
        } else {
            None
        };
        let watchdog = UnixDatagram::bind(folder.path().join("notify")).expect("a socket");
        let (address, admin) = (free_address(0), free_address(1));
        let service = serve(&folder, database, address, admin, disk.as_ref());
        let hostile = service.shown_key();
        let make_key = |name| {
            let arguments = [&["key", "create", name], database].concat();
            run_ok(folder.path(), &arguments).trim_end().to_owned()
        };
        let keys = Keys {
            load: make_key("load"),
            probe: make_key("probe"),
            hostile,
        };
        let mut world = Self {
            database: database
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            service: Mutex::new(Some(service)),
            is_over: AtomicBool::new(false),
            most_backends: AtomicI64::new(0),
            address,
            admin,
            keys,
            hot_pet: 0,
            disk,
            ledger: Ledger::default(),
            orders: Told::default(),
            history: History::default(),
            folder,
        };
        world.hot_pet = world.add(&json!({"name": "hot", "categoryId": 1}));
        for number in 0..LARGE_PETS {
            let name = format!("large-{number}-{}", "x".repeat(LARGE_NAME));
            world.add(&json!({"name": name, "categoryId": 1, "status": "sold"}));
        }
        Some((Arc::new(world), watchdog))
    }

    fn add(&self, pet: &Value) -> i64 {
        let request = Request::post("/v1/pets", pet.to_string()).key(&self.keys.hostile);
        let probed = probe(self.address, &request);
        let reply = probed.response.expect("the service responds");
        assert_eq!(reply.status, 201);
        let pet: Value = serde_json::from_slice(&reply.body).expect("JSON");
        pet["id"].as_i64().expect("an id")
    }

    /// Returns the path of the database of an SQLite store.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("petstore.db")
    }

    /// Returns the process of the service, if it is running.
    pub(crate) fn pid(&self) -> Option<Pid> {
        let service = self.service.lock().expect("no holder panics");
        service.as_ref().map(Service::pid)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let service = self.service.lock().expect("no holder panics");
        service.as_ref().expect("it runs").signal(signal);
    }

    /// Ends the service with this signal, and waits for its end.
    pub(crate) fn stop(&self, signal: Signal) {
        let mut service = self.service.lock().expect("no holder panics");
        let mut ended = service.take().expect("it runs");
        if let Some(peak) = memory::peak(ended.pid()) {
            self.history.uses(peak);
        }
        ended.signal(signal);
        let (status, _) = ended.ended();
        if signal == Signal::TERM && !status.success() {
            self.history
                .defect(format!("after SIGTERM it ended with {status}"));
        }
    }

    pub(crate) fn start_again(&self) {
        let database: Vec<&str> = self.database.iter().map(String::as_str).collect();
        let disk = self.disk.as_ref();
        let started = serve(&self.folder, &database, self.address, self.admin, disk);
        *self.service.lock().expect("no holder panics") = Some(started);
    }

    /// Records how many connections to PostgreSQL exist.
    pub(crate) fn count_backends(&self, backends: i64) {
        self.most_backends.fetch_max(backends, Ordering::Relaxed);
    }

    pub(crate) fn most_backends(&self) -> i64 {
        self.most_backends.load(Ordering::Relaxed)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the clients.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn serve(
    folder: &Arc<TempDir>,
    database: &[&str],
    address: SocketAddr,
    admin: SocketAddr,
    disk: Option<&Disk>,
) -> Service {
    let mut command = program(folder.path());
    command
        .args(["serve", "--listen", &address.to_string()])
        .args(["--admin-listen", &admin.to_string()])
        .args(["--body-max-bytes", BODY])
        .args(["--shutdown-grace-seconds", GRACE_SECONDS])
        .args(database)
        .env("PETSTORE_RESPONSE_STALL_SECONDS", STALL_SECONDS)
        .env("NOTIFY_SOCKET", notify_socket(folder.path()))
        .env("WATCHDOG_USEC", Duration::as_micros(&WATCHDOG).to_string());
    if let Some(disk) = disk {
        disk.attach(&mut command);
    }
    Service::start_by(command, Arc::clone(folder))
}

fn notify_socket(folder: &Path) -> PathBuf {
    folder.join("notify")
}

/// Returns an address for a service that will be restarted. Its port must be free again at the
/// restart, so it is below the ports that the system uses for outgoing connections.
fn free_address(number: u16) -> SocketAddr {
    let own = u16::try_from(std::process::id() % 1000).expect("below 1000") * 10;
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut ports = (20_000 + own + 5 * number..32_000).filter(free);
    SocketAddr::from(([127, 0, 0, 1], ports.next().expect("a port is free")))
}
