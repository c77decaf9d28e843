//! Starts a server inside the test, and collects its log.

use crate::{
    faulty::Faulty,
    raw::{self, Connection, RawResponse, Request},
};
use chrono::{DateTime, TimeDelta, Utc};
use openapi_dropshot_server::{
    Server, Setup,
    clock::{Clock, SystemClock},
    config::{Lifecycle, Limits, RateLimit, SunsetPolicy, Web},
    logging,
};
use petstore_server::{
    INFO, PetStore,
    keys::{self, KeyName},
};
use petstore_store::DatabaseUrl;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex},
};

/// A server with a faulty store.
pub(crate) struct Running {
    pub(crate) server: Server<PetStore>,
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<Faulty>,
    pub(crate) key: String,
}

/// The settings that a test changes; all others are the same as in the program.
pub(crate) struct With {
    pub(crate) limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) sunset: SunsetPolicy,
    pub(crate) rate_limit: RateLimit,
    pub(crate) web: Web,
}

impl Default for With {
    fn default() -> Self {
        With {
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            sunset: SunsetPolicy::default(),
            rate_limit: RateLimit::default(),
            web: Web::default(),
        }
    }
}

impl Running {
    pub(crate) async fn start(with: With) -> Self {
        LazyLock::force(&LOG);
        let inner = petstore_store::open(&DatabaseUrl::SqliteMemory)
            .await
            .expect("memory is there");
        let (key, new_key) = keys::make(KeyName::first(), Utc::now());
        inner.create_key(new_key).await.expect("the store is empty");
        let store = Arc::new(Faulty::new(inner));
        let server = petstore_server::bind(Setup {
            clock: with.clock,
            limits: with.limits,
            rate_limit: with.rate_limit,
            web: with.web,
            lifecycle: Lifecycle {
                sunset: with.sunset,
                ..Lifecycle::default()
            },
            ..Setup::new(&INFO, PetStore::new(store.clone()))
        })
        .expect("a port is free")
        .start();
        Running {
            address: server.address(),
            server,
            store,
            key: key.reveal().to_owned(),
        }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    pub(crate) fn send(&self, request: &Request) -> RawResponse {
        raw::send(self.address, request)
    }

    pub(crate) fn get(&self, target: &str) -> RawResponse {
        self.send(&Request::get(target).key(&self.key))
    }

    pub(crate) fn get_pet(&self, id: i64) -> RawResponse {
        self.get(&format!("/v1/pets/{id}"))
    }

    /// A request that has reached the store and waits there.
    pub(crate) async fn held(&self) -> Connection {
        let mut connection = self.connect();
        let target = format!("/v1/pets/{}", crate::faulty::pet::HELD);
        connection.write(Request::get(&target).key(&self.key).bytes());
        self.store
            .entered
            .acquire()
            .await
            .expect("never closed")
            .forget();
        connection
    }

    #[track_caller]
    pub(crate) fn still_responds(&self) {
        let response = self.get("/v1/pets");
        assert_eq!(response.status, 200, "{response:?}");
    }
}

/// A clock that does not move.
pub(crate) struct At(DateTime<Utc>);

impl At {
    pub(crate) fn new(time: &str) -> Arc<Self> {
        Arc::new(At(time.parse().expect("a time")))
    }
}

impl Clock for At {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// A clock that the test sets.
pub(crate) struct Settable(Mutex<DateTime<Utc>>);

impl Settable {
    pub(crate) fn at(time: &str) -> Arc<Self> {
        Arc::new(Settable(Mutex::new(time.parse().expect("a time"))))
    }

    /// Moves the clock forward or back.
    pub(crate) fn advance(&self, step: TimeDelta) {
        *self.0.lock().expect("no holder panics") += step;
    }
}

impl Clock for Settable {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().expect("no holder panics")
    }
}

/// The log of all servers of this process.
static LOG: LazyLock<Arc<Mutex<Vec<u8>>>> = LazyLock::new(|| {
    let log = Arc::new(Mutex::new(Vec::new()));
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_writer(move || LogWriter(writer.clone()))
        .with_ansi(false)
        .init();
    logging::log_panics();
    log
});

struct LogWriter(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the lines that contain the text.
pub(crate) fn logged(text: &str) -> Vec<String> {
    let log = LOG.lock().expect("no writer panics");
    String::from_utf8_lossy(&log)
        .lines()
        .filter(|line| line.contains(text))
        .map(str::to_owned)
        .collect()
}
