//! Runs the overloaded server in a separate process, so that its memory can be measured separately
//! from the memory of its clients. With 16 requests at the same time and 50 ms for each, its
//! capacity is 320 requests per second.

use crate::faulty::Faulty;
use openapi_dropshot_server::{Setup, config::Limits};
use petstore_server::{
    INFO, PetStore,
    keys::{self, KeyName},
};
use petstore_store::DatabaseUrl;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

/// Set in the process that is the server.
const ROLE: &str = "PETSTORE_PRESSURE_SERVER";
const TAKES: Duration = Duration::from_millis(50);
/// Of this many permits, a single key gets [`AT_ONCE`].
const PERMITS: usize = 21;
pub(crate) const AT_ONCE: usize = 16;
/// How many requests per second can be served.
pub(crate) const CAPACITY: u32 = 320;
/// The highest memory use that these tests allow.
const MEMORY_BYTES: u64 = 256 << 20;

pub(crate) fn is_asked_for() -> bool {
    env::var_os(ROLE).is_some()
}

/// Serves requests until the other end of stdin is closed.
pub(crate) async fn run() {
    let inner = petstore_store::open(&DatabaseUrl::SqliteMemory)
        .await
        .expect("memory is there");
    let (key, new_key) = keys::make(KeyName::first(), chrono::Utc::now());
    inner.create_key(new_key).await.expect("the store is empty");
    let state = PetStore::new(Arc::new(Faulty::slow(inner, TAKES)));
    let server = petstore_server::bind(Setup {
        limits: limits(),
        ..Setup::new(&INFO, state)
    })
    .expect("a port is free")
    .start();
    println!("{} {}", server.address(), key.reveal());
    let waited = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
    let _ended = waited.await.expect("no panic");
    server.stop(Duration::from_millis(100)).await;
}

pub(crate) fn limits() -> Limits {
    Limits {
        max_in_flight: PERMITS.try_into().expect("not none"),
        ..Limits::default()
    }
}

/// The server as the other process sees it.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
}

impl Running {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .env(ROLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be run");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("stdout is text");
        let (address, key) = line.trim().split_once(' ').expect("two words");
        Running {
            child,
            address: address.parse().expect("an address"),
            key: key.to_owned(),
        }
    }

    /// Returns the highest memory use of the server, after checking that it is within the limit.
    pub(crate) fn assert_memory_is_bounded(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("the server runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes: u64 = line
            .and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
            .expect("a number of kB");
        let bytes = kilobytes * 1024;
        assert!(bytes < MEMORY_BYTES, "{bytes} bytes");
        bytes >> 20
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The server ends when its stdin is closed; if it has not ended yet, it is killed.
        if let Some(mut stdin) = self.child.stdin.take() {
            let _ = stdin.flush();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
