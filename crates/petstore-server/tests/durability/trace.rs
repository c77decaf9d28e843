//! Parses the system calls that `strace` records of a program, in their order, and decides whether
//! a pet was on disk when its response was sent.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// One call. `begin` and `end` are positions in the order of all begins and ends.
#[derive(Debug)]
struct Call {
    name: String,
    /// What its first argument refers to: a path, or `socket:[…]`.
    file: String,
    /// All bytes that were passed to it.
    data: Vec<u8>,
    begin: usize,
    /// The end of a successful call.
    end: Option<usize>,
}

/// The status of the response to the creation of a pet.
const CREATED: &str = "HTTP/1.1 201 Created";

pub(crate) struct Trace(Vec<Call>);

/// Why a response confirms more than the disk contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undurable {
    /// No write to the log contains the pet.
    Unwritten,
    /// The transaction of the pet had no commit record.
    Uncommitted,
    /// No sync of the log began after the commit and ended before the response.
    Unsynced,
}

/// Returns the command line of strace before that of the program. With `-D`, the program itself is
/// our child process, so that it is killed with the test.
pub(crate) fn strace(output: &Path) -> [&str; 11] {
    let calls = "trace=write,pwrite64,writev,sendto,sendmsg,fsync,fdatasync";
    let output = output.to_str().expect("a path of this test");
    [
        "strace", "-D", "-f", "-y", "-xx", "-s", "65536", "-e", calls, "-o", output,
    ]
}

/// Whether strace is installed and may trace.
pub(crate) fn can_trace() -> bool {
    Command::new("strace")
        .args(["-D", "-f", "-o", "/dev/null", "true"])
        .output()
        .is_ok_and(|output| output.status.success() && output.stderr.is_empty())
}

impl Trace {
    /// Waits until strace has recorded the end of this process.
    pub(crate) fn complete(path: &Path, pid: u32) -> Self {
        let begin = Instant::now();
        loop {
            let text = fs::read_to_string(path).unwrap_or_default();
            let is_end = |line: &str| {
                line.split_once(' ').is_some_and(|(who, what)| {
                    who.parse() == Ok(pid) && what.trim_start().starts_with("+++")
                })
            };
            if text.lines().any(is_end) {
                return Self::read(&text);
            }
            assert!(begin.elapsed() < PATIENCE, "the trace of {pid} has no end");
            std::thread::yield_now();
        }
    }

    fn read(text: &str) -> Self {
        let mut calls: Vec<Call> = Vec::new();
        let mut unfinished: HashMap<&str, usize> = HashMap::new();
        for (place, line) in text.lines().enumerate() {
            let Some((thread, line)) = line.split_once(' ') else {
                continue;
            };
            let line = line.trim_start();
            let end = succeeded(line).then_some(place);
            if line.starts_with("<... ") {
                if let Some(call) = unfinished.remove(thread) {
                    calls[call].end = end;
                }
            } else if let Some((name, arguments)) = line.split_once('(') {
                if line.ends_with("<unfinished ...>") {
                    unfinished.insert(thread, calls.len());
                }
                calls.push(Call {
                    name: name.to_owned(),
                    file: file_of(arguments),
                    data: quoted(arguments),
                    begin: place,
                    end,
                });
            }
        }
        Self(calls)
    }

    /// Checks whether the pet with this name was durable when its client got the response.
    pub(crate) fn durable(&self, pet: &str) -> Result<(), Undurable> {
        self.durable_before(CREATED, pet)
    }

    /// Checks whether the pet was durable when a message with this text and the pet was sent.
    pub(crate) fn durable_before(&self, text: &str, pet: &str) -> Result<(), Undurable> {
        let sent = self.sent(text, pet);
        let log: Vec<_> = self
            .before(sent)
            .filter(|call| call.file.ends_with("-wal"))
            .collect();
        let writes: Vec<_> = log.iter().filter(|call| call.name == "pwrite64").collect();
        let page = writes
            .iter()
            .position(|write| contains(&write.data, pet))
            .ok_or(Undurable::Unwritten)?;
        // Each frame of the log is a header and a page. The header of the last frame of a
        // transaction contains the size of the database after it.
        let commits = |header: &Call| header.data.len() == 24 && header.data[4..8] != [0; 4];
        let header = page.saturating_sub(1);
        let committed = writes[header..]
            .windows(2)
            .find(|frame| commits(frame[0]))
            .ok_or(Undurable::Uncommitted)?[1]
            .end;
        log.iter()
            .any(|call| is_sync(call) && Some(call.begin) > committed)
            .then_some(())
            .ok_or(Undurable::Unsynced)
    }

    /// Whether the names of new files in this folder were synced before the response for this pet.
    pub(crate) fn synced_folder(&self, folder: &Path, pet: &str) -> bool {
        let log_begins = self.0.iter().find(|call| call.file.ends_with("-wal"));
        let log_begins = log_begins.expect("a log").begin;
        self.before(self.sent(CREATED, pet))
            .any(|call| is_sync(call) && Path::new(&call.file) == folder && call.begin > log_begins)
    }

    /// Returns the position at which a message with this text and the pet is sent.
    fn sent(&self, text: &str, pet: &str) -> usize {
        let message = self.0.iter().find(|call| {
            call.file.starts_with("socket:")
                && contains(&call.data, text)
                && contains(&call.data, pet)
        });
        message.expect("the pet was sent").begin
    }

    /// Returns the calls that ended before this position.
    fn before(&self, place: usize) -> impl Iterator<Item = &Call> {
        self.0
            .iter()
            .filter(move |call| call.end.is_some_and(|end| end < place))
    }
}

fn is_sync(call: &Call) -> bool {
    matches!(call.name.as_str(), "fsync" | "fdatasync")
}

fn succeeded(line: &str) -> bool {
    line.rsplit_once(" = ")
        .is_some_and(|(_, result)| result.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns the text in the first angle brackets.
fn file_of(arguments: &str) -> String {
    let file = arguments
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    String::from_utf8_lossy(&unhex(file.map_or("", |(file, _)| file))).into_owned()
}

/// Returns the texts in quotation marks, in their order.
fn quoted(arguments: &str) -> Vec<u8> {
    arguments
        .split('"')
        .skip(1)
        .step_by(2)
        .flat_map(unhex)
        .collect()
}

/// Decodes escapes: `\x70\x65` is `pe`.
fn unhex(text: &str) -> Vec<u8> {
    text.split("\\x")
        .filter_map(|digits| u8::from_str_radix(digits, 16).ok())
        .collect()
}

fn contains(data: &[u8], text: &str) -> bool {
    data.windows(text.len())
        .any(|window| window == text.as_bytes())
}
