//! Runs a service under attack by hostile clients, and normal clients that measure it at the same
//! time.

use crate::{
    memory::{self, Memory},
    probe::{Probed, probe},
    process::{Service, program_by, run_ok},
    raw::Request,
    scrape,
    tls::{self, Trust},
};
use std::{
    collections::BTreeMap,
    fmt, fs,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The longest time in which a normal client must be served, whatever other clients do.
///
/// The build of the tests is not optimised, so it gets more time than the release build that
/// `PETSTORE_TEST_PROGRAM` names.
pub(crate) fn freeze() -> Duration {
    Duration::from_secs(if is_release() { 1 } else { 15 })
}

pub(crate) fn is_release() -> bool {
    std::env::var_os("PETSTORE_TEST_PROGRAM").is_some()
}

/// The kernel does not give the service more memory than this, like a container with a limit of 512
/// MiB. A service that needs more ends.
const DATA_KILOBYTES: u64 = 512 << 10;

/// The time between two rounds of requests of the normal clients.
const PAUSE: Duration = Duration::from_millis(100);

/// A service with two keys.
pub(crate) struct Attacked {
    pub(crate) service: Service,
    pub(crate) admin: SocketAddr,
    /// The key of a normal client; hostile clients use `service.key`.
    pub(crate) other_key: String,
    pub(crate) tls: Option<Trust>,
}

impl Attacked {
    pub(crate) fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        Self::start_in(Arc::new(folder), arguments, variables, None)
    }

    /// The same over TLS; `None` if no certificate can be created.
    pub(crate) fn start_with_tls(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Self> {
        let folder = TempDir::new().expect("a folder can be made");
        let trust = Trust::make(folder.path())?;
        let arguments = [&tls::SERVE, arguments].concat();
        let folder = Arc::new(folder);
        Some(Self::start_in(folder, &arguments, variables, Some(trust)))
    }

    /// The same with a limit of open files.
    pub(crate) fn start_with_files(files: u32, variables: &[(&str, &str)]) -> Self {
        let folder = Arc::new(TempDir::new().expect("a folder can be made"));
        Self::start_by(&format!("ulimit -n {files}"), folder, &[], variables, None)
    }

    fn start_in(
        folder: Arc<TempDir>,
        arguments: &[&str],
        variables: &[(&str, &str)],
        tls: Option<Trust>,
    ) -> Self {
        Self::start_by("true", folder, arguments, variables, tls)
    }

    /// Starts the service with limits that a shell sets.
    fn start_by(
        limits: &str,
        folder: Arc<TempDir>,
        arguments: &[&str],
        variables: &[(&str, &str)],
        tls: Option<Trust>,
    ) -> Self {
        let script = format!(r#"ulimit -d {DATA_KILOBYTES} && {limits} && exec "$@""#);
        let mut command = program_by(&["sh", "-c", &script, "sh"], folder.path());
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(["--admin-listen", "127.0.0.1:0"])
            .args(arguments)
            .envs(variables.iter().copied());
        Self::of(Service::start_by(command, folder), tls)
    }

    fn of(mut service: Service, tls: Option<Trust>) -> Self {
        service.key = service.shown_key();
        let admin = scrape::address(&service);
        let other = run_ok(service.folder.path(), &["key", "create", "other"]);
        Self {
            service,
            admin,
            other_key: other.trim_end().to_owned(),
            tls,
        }
    }

    /// Returns the highest memory use of the service so far.
    pub(crate) fn peak(&self) -> Memory {
        memory::peak(self.service.pid()).expect("the service runs")
    }

    /// Returns the current memory use.
    pub(crate) fn resident(&self) -> Memory {
        memory::resident(self.service.pid()).expect("the service runs")
    }

    /// Returns how many sockets the service has.
    pub(crate) fn sockets(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.service.pid().as_raw_nonzero());
        let files = fs::read_dir(folder).expect("the service runs");
        let is_socket = |file: &fs::DirEntry| {
            fs::read_link(file.path()).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
        };
        files.flatten().filter(is_socket).count()
    }

    /// Sends a request on a separate connection.
    pub(crate) fn probe(&self, request: &Request) -> Probed {
        match &self.tls {
            None => probe(self.service.address, request),
            Some(trust) => trust.probe(self.service.address, request),
        }
    }

    /// Starts to send requests of normal clients.
    pub(crate) fn watch(&self) -> Watch {
        Watch::begin(self)
    }

    #[track_caller]
    pub(crate) fn assert_memory_is_bounded(&self, what: &str) {
        let peak = self.peak();
        println!("{what}: at most {peak}");
        assert!(peak < memory::BOUND, "{what}: {peak}");
    }
}

/// Waits until a condition is true; returns `false` if it takes longer than `time`.
pub(crate) fn until(time: Duration, is_so: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() > time {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Normal clients that repeatedly send a request of each kind.
pub(crate) struct Watch {
    ends: Arc<AtomicBool>,
    clients: Vec<(&'static str, JoinHandle<Seen>)>,
}

/// The results of one kind of request.
#[derive(Default)]
struct Seen {
    count: usize,
    worst: Duration,
    wrong: Option<String>,
}

/// The results of all kinds.
pub(crate) struct Report(BTreeMap<&'static str, Seen>);

impl Watch {
    fn begin(attacked: &Attacked) -> Self {
        let ends = Arc::<AtomicBool>::default();
        let get = |path: &str| Request::get(path);
        let list = get("/v1/pets?limit=1&status=sold").key(&attacked.other_key);
        let (public, admin) = (attacked.service.address, attacked.admin);
        let clients = [
            ("list", public, attacked.tls.clone(), list, 200),
            ("401", public, attacked.tls.clone(), get("/v1/pets"), 401),
            ("/readyz", admin, None, get("/readyz"), 200),
            ("/livez", admin, None, get("/livez"), 200),
        ]
        .map(|(name, address, tls, request, expected)| {
            let ends = Arc::clone(&ends);
            let client = move || {
                let mut seen = Seen::default();
                while !ends.load(Ordering::Relaxed) {
                    let probed = match &tls {
                        None => probe(address, &request),
                        Some(trust) => trust.probe(address, &request),
                    };
                    seen.note(&probed, expected);
                    thread::sleep(PAUSE);
                }
                seen
            };
            (name, thread::spawn(client))
        });
        Self {
            ends,
            clients: clients.into(),
        }
    }

    pub(crate) fn end(self) -> Report {
        self.ends.store(true, Ordering::Relaxed);
        let seen = |(name, client): (_, JoinHandle<Seen>)| (name, client.join().expect("no panic"));
        Report(self.clients.into_iter().map(seen).collect())
    }
}

impl Seen {
    fn note(&mut self, probed: &Probed, expected: u16) {
        self.count += 1;
        self.worst = self.worst.max(probed.took);
        if probed.status() != Some(expected) && self.wrong.is_none() {
            self.wrong = Some(format!("{probed:?}"));
        }
    }
}

impl Report {
    #[track_caller]
    pub(crate) fn assert_served(&self, what: &str) {
        println!("{what}: {self}");
        self.assert_successful(what);
        let worst = self.0.values().map(|seen| seen.worst).max();
        assert!(worst < Some(freeze()), "{what}: {self}");
    }

    /// Like `assert_served`, but for any waiting time.
    #[track_caller]
    pub(crate) fn assert_successful(&self, what: &str) {
        for (name, seen) in &self.0 {
            assert!(seen.count > 0, "{name} was never sent");
            assert_eq!(seen.wrong, None, "{what}: {name}");
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("others waited at most")?;
        for (name, seen) in &self.0 {
            let wrong = if seen.wrong.is_some() {
                ", some failed"
            } else {
                ""
            };
            write!(
                f,
                " {} ms for {name} ({}{wrong}),",
                seen.worst.as_millis(),
                seen.count
            )?;
        }
        Ok(())
    }
}
