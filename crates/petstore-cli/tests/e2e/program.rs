//! Runs `petstore` in a separate folder, with an environment that contains only the URL and the key
//! of the service.

use crate::service::Service;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the program without any settings.
pub(crate) fn petstore(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// A user of one service, with a folder.
pub(crate) struct User {
    pub(crate) folder: TempDir,
    pub(crate) url: String,
    pub(crate) key: String,
}

impl User {
    pub(crate) fn of(service: &Service) -> Self {
        User {
            folder: TempDir::new().expect("a folder can be made"),
            url: service.url.clone(),
            key: service.key.clone(),
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = petstore(self.folder.path());
        command
            .args(arguments)
            .env("PETSTORE_URL", &self.url)
            .env("PETSTORE_API_KEY", &self.key);
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        let output = self.command(arguments).output();
        Finished::from(output.expect("the program can be run"))
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::new(child.spawn().expect("the program can be run"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

/// The output of a program that has ended, and how it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Finished {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl Finished {
    /// Returns the text on stdout, after checking the exit code.
    #[track_caller]
    pub(crate) fn stdout_of(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{self:?}");
        &self.out
    }

    /// Returns the same as JSON.
    #[track_caller]
    pub(crate) fn json(&self, code: i32) -> Value {
        serde_json::from_str(self.stdout_of(code)).expect("JSON")
    }

    /// Checks that these texts are on stderr.
    #[track_caller]
    pub(crate) fn reports(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in {self:?}");
        }
        self
    }
}

/// A running program, which is killed when this is dropped.
pub(crate) struct Running {
    child: Child,
    out: Stream,
    err: Stream,
}

impl Running {
    fn new(mut child: Child) -> Self {
        Running {
            out: Stream::follow(child.stdout.take().expect("piped")),
            err: Stream::follow(child.stderr.take().expect("piped")),
            child,
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process id"), signal).expect("it runs");
    }

    /// Waits until the program prints this text on stderr.
    pub(crate) fn wait_for(&mut self, words: &str) {
        until(words, || self.err.text().contains(words));
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().expect("can be asked").is_none()
    }

    /// Waits for the end of the program.
    pub(crate) fn ended(mut self) -> Finished {
        until("the end of the program", || !self.runs());
        Finished {
            code: self.child.wait().expect("it ended").code(),
            out: self.out.whole(),
            err: self.err.whole(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The program may already have ended, which is not an error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a process, read as it is written.
struct Stream {
    text: Arc<Mutex<String>>,
    reader: Option<thread::JoinHandle<()>>,
}

impl Stream {
    fn follow(mut from: impl std::io::Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&text);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                kept.lock().expect("no reader panics").push_str(&text);
            }
        });
        Stream {
            text,
            reader: Some(reader),
        }
    }

    fn text(&self) -> String {
        self.text.lock().expect("no writer panics").clone()
    }

    fn whole(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no reader panics");
        }
        self.text()
    }
}

/// Checks repeatedly until the condition is true.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
