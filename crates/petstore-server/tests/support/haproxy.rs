//! Runs HAProxy with the configuration of `examples/deploy/haproxy` on a free
//! port.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);
const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../../examples/deploy/haproxy"
);

/// A running proxy, which ends with the test.
pub struct Haproxy {
    child: Child,
    pub address: SocketAddr,
}

impl Haproxy {
    pub fn is_installed() -> bool {
        program().is_some()
    }

    /// Starts HAProxy in front of up to three servers, each with the port of its admin listener.
    pub fn start(behind: &[(SocketAddr, u16)]) -> Self {
        Self::start_with(behind, &[])
    }

    /// Like [`start`](Self::start), with other values for the variables of the configuration.
    pub fn start_with(behind: &[(SocketAddr, u16)], settings: &[(&str, &str)]) -> Self {
        // HAProxy shares its port with any process that binds the same port, so two proxies that
        // start at the same time must not choose the same port.
        static STARTING: Mutex<()> = Mutex::new(());
        let _one_by_one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = free.local_addr().expect("it has an address");
        drop(free);
        let mut command = Command::new(program().expect("it is installed"));
        for ((server, admin), suffix) in behind.iter().zip(["", "_2", "_3"]) {
            command
                .env(format!("PETSTORE_SERVER{suffix}"), server.to_string())
                .env(format!("PETSTORE_ADMIN_PORT{suffix}"), admin.to_string());
        }
        let child = command
            .args(["-db", "-f", "haproxy.cfg"])
            .current_dir(FOLDER)
            .env("PETSTORE_PROXY_LISTEN", address.to_string())
            .envs(settings.iter().copied())
            .stderr(Stdio::null())
            .spawn()
            .expect("HAProxy can be run");
        let mut proxy = Haproxy { child, address };
        proxy.wait();
        proxy
    }

    fn wait(&mut self) {
        let begin = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            let ended = self.child.try_wait().expect("can be waited for");
            assert!(ended.is_none() && begin.elapsed() < PATIENCE, "{ended:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        // HAProxy may already have ended, which is not an error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<&'static Path> {
    // Debian installs HAProxy in a folder that many a PATH does not contain.
    ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"]
        .map(Path::new)
        .into_iter()
        .find(|path| path.exists())
}
