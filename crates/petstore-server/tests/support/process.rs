//! Runs the real program on a free port in a separate folder. It is stopped, and the folder is
//! removed, at the end of the test.

use crate::raw::{self, Connection, RawResponse, Request};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// If the log is longer than this, its older half is dropped.
const LOG_BYTES: usize = 64 << 20;

/// The beginning of a line with a key.
const SHOWN_KEY: &str = "    petstore_";

/// The variable that names the program file, for example of a release build.
const OTHER_PROGRAM: &str = "PETSTORE_TEST_PROGRAM";

/// Returns the program, in this folder and without the environment of the test.
pub fn program(folder: &Path) -> Command {
    program_by(&[], folder)
}

/// The same, run by another command that finally executes the program.
pub fn program_by(launcher: &[&str], folder: &Path) -> Command {
    let other = std::env::var(OTHER_PROGRAM).ok();
    let program = other.unwrap_or_else(built_program);
    let mut words = launcher.iter().copied().chain([program.as_str()]);
    let mut command = Command::new(words.next().expect("the program at least"));
    command.args(words);
    command.env_clear().current_dir(folder);
    // Many services run at the same time, but there is only one default address.
    command.env("PETSTORE_ADMIN_LISTEN", "off");
    command
}

/// Returns the program that Cargo has built for these tests: `target/debug/petstore-server` for the
/// test `target/debug/deps/e2e-0123456789abcdef`.
fn built_program() -> String {
    let test = std::env::current_exe().expect("the file of the test");
    let folder = test.ancestors().nth(2).expect("the folder of the build");
    let program = folder.join("petstore-server");
    program
        .into_os_string()
        .into_string()
        .expect("a path in UTF-8")
}

/// Runs the program to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    program(folder)
        .args(arguments)
        .output()
        .expect("the program can be run")
}

/// Returns the stdout of a program, which must have succeeded.
pub fn run_ok(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the stderr of a program, which must have failed with this exit code.
pub fn run_failing(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A running service.
pub struct Service {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub log: Log,
    pub address: SocketAddr,
    pub key: String,
    pub folder: Arc<TempDir>,
}

impl Service {
    /// Starts the service on a new store; the result has the key that it created.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(arguments: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let mut service = Self::start_in(Arc::new(folder), arguments, &[]);
        service.key = service.shown_key();
        service
    }

    /// The key that the service created for a new store.
    pub fn shown_key(&self) -> String {
        self.log.wait_for(SHOWN_KEY).trim().to_owned()
    }

    /// Starts the service on the existing content of the folder. The key of the result is empty,
    /// even if the service prints a key.
    pub fn start_in(folder: Arc<TempDir>, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = program(folder.path());
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .envs(variables.iter().copied());
        Self::start_by(command, folder)
    }

    /// Starts the service with a command that finally executes the program.
    pub fn start_by(mut command: Command, folder: Arc<TempDir>) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be run");
        let log = Log::follow(child.stderr.take().expect("piped"));
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("stdout is text");
        let address = line
            .strip_prefix("listening on http")
            .map(|rest| rest.strip_prefix('s').unwrap_or(rest))
            .and_then(|rest| rest.strip_prefix("://"))
            .and_then(|rest| rest.strip_suffix("/v1\n"))
            .unwrap_or_else(|| panic!("{line:?}, {}", log.text()));
        Service {
            address: address.parse().expect("an address"),
            key: String::new(),
            child,
            stdout,
            log,
            folder,
        }
    }

    /// Whether the service printed a key when it started.
    pub fn showed_a_key(&self) -> bool {
        // The log line of a request follows all lines that were written before it.
        let response = self.get("/v1/pets");
        self.log
            .wait_for(response.header("x-request-id").expect("an id"));
        self.log.text().contains(SHOWN_KEY)
    }

    pub fn send(&self, request: &Request) -> RawResponse {
        raw::send(self.address, request)
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    /// Sends a `GET` request with the service's key.
    pub fn get(&self, target: &str) -> RawResponse {
        self.send(&Request::get(target).key(&self.key))
    }

    pub fn post(&self, body: impl Into<Vec<u8>>) -> RawResponse {
        self.send(&Request::post("/v1/pets", body).key(&self.key))
    }

    /// Adds a pet and returns its id.
    pub fn add(&self, name: &str, status: Option<&str>) -> i64 {
        let mut pet = serde_json::json!({"name": name, "categoryId": 7});
        if let Some(status) = status {
            pet["status"] = status.into();
        }
        let response = self.post(pet.to_string());
        assert_eq!(response.status, 201, "{response:?}");
        response.json()["id"].as_i64().expect("an id")
    }

    /// Reads all pets, which also checks that the service responds.
    #[track_caller]
    pub fn pets(&self) -> Vec<Value> {
        let response = self.get("/v1/pets?limit=100");
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.header("link"), None, "{response:?}");
        response.json().as_array().expect("an array").clone()
    }

    pub fn pid(&self) -> Pid {
        i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .expect("a process id")
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the service runs");
    }

    /// Waits for the end, and returns the exit status and the rest of stdout.
    pub fn ended(&mut self) -> (ExitStatus, String) {
        let begin = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("can be waited for") {
                Some(status) => break status,
                None if begin.elapsed() > PATIENCE => panic!("does not end: {}", self.log.text()),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        let mut rest = String::new();
        self.stdout
            .read_to_string(&mut rest)
            .expect("stdout is text");
        (status, rest)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The service may already have ended, which is not an error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The stderr of a process, read as it is written.
#[derive(Clone)]
pub struct Log(Arc<(Mutex<String>, Condvar)>);

impl Log {
    pub fn follow(mut stderr: impl Read + Send + 'static) -> Self {
        let log = Log(Arc::default());
        let writer = log.clone();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                let mut log = writer.0.0.lock().expect("no reader panics");
                log.push_str(&text);
                if log.len() > LOG_BYTES {
                    let half = log.ceil_char_boundary(LOG_BYTES / 2);
                    log.drain(..half);
                }
                drop(log);
                writer.0.1.notify_all();
            }
        });
        log
    }

    pub fn text(&self) -> String {
        self.0.0.lock().expect("no writer panics").clone()
    }

    /// Waits until the text appears, and returns its line.
    pub fn wait_for(&self, text: &str) -> String {
        let line = |log: &str| {
            let (before, rest) = log.split_at(log.find(text)?);
            let begin = before.rfind('\n').map_or(0, |at| at + 1);
            let end = before.len() + rest.find('\n')?;
            Some(log[begin..end].to_owned())
        };
        let log = self.0.0.lock().expect("no writer panics");
        let (log, _) = self
            .0
            .1
            .wait_timeout_while(log, PATIENCE, |log| line(log).is_none())
            .expect("no writer panics");
        line(&log).unwrap_or_else(|| panic!("no {text:?} in {log}"))
    }
}
