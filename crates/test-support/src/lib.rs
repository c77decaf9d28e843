//! Code that the tests of this workspace share. If a test cannot run on a machine, it records that it was
//! skipped, and `cargo xtask test` prints a table of these records. [`assert_golden`] compares a text with a
//! committed file; with `UPDATE_GOLDEN=1`, it writes the file.

mod memory_limit;
pub mod postgres;

pub use memory_limit::MemoryLimit;

use std::{
    env,
    fmt::Display,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
};

/// The file to which each skipped test adds a line. `cargo xtask test` sets this variable.
pub const RECORD: &str = "TESTS_LEFT_OUT";
/// The requirements that must not be missing: names of [`Need`]s separated by commas, or `all`.
pub const REQUIRED: &str = "TESTS_REQUIRE";

/// A requirement of a test that a machine may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// A C compiler, for libraries that make system calls fail.
    CCompiler,
    /// A separate control group for the test.
    ControlGroup,
    /// The command `curl`, with HTTP/2.
    Curl,
    /// Documents of other projects.
    Documents,
    /// HAProxy.
    Haproxy,
    /// Separate file systems for the test.
    Mount,
    /// The command `openssl`.
    Openssl,
    /// Patroni and etcd.
    Patroni,
    /// The programs of a PostgreSQL server.
    Postgres,
    /// Prometheus' `promtool`.
    Promtool,
    /// The command `script`, which gives a program a terminal.
    Script,
    /// The command `strace`, and the permission to trace.
    Strace,
    /// The command `systemd-analyze`.
    Systemd,
}

impl Need {
    /// Returns the name for [`REQUIRED`], and how to meet the requirement.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Need::CCompiler => ("c-compiler", "install a C compiler as `cc`"),
            Need::ControlGroup => (
                "control-group",
                "run the tests as root, where control groups can be made",
            ),
            Need::Curl => ("curl", "install curl with HTTP/2"),
            Need::Documents => (
                "documents",
                "put a copy of the documents in a folder `shared` beside the repository",
            ),
            Need::Haproxy => ("haproxy", "install HAProxy, or run `.ci/proxy`"),
            Need::Mount => (
                "mount",
                "run the tests where mounts in a namespace of one's own are allowed, and with TMPDIR on a disk",
            ),
            Need::Openssl => ("openssl", "install openssl"),
            Need::Patroni => ("patroni", "run `.ci/failover`, which installs it"),
            Need::Postgres => ("postgres", "install the PostgreSQL server"),
            Need::Promtool => ("promtool", "run `.ci/promtool`, which unpacks it"),
            Need::Script => ("script", "install `script` (Debian's package `bsdutils`)"),
            Need::Strace => (
                "strace",
                "install strace, and run the tests where tracing is allowed",
            ),
            Need::Systemd => ("systemd", "install systemd, for `systemd-analyze`"),
        }
    }

    fn is_in(self, required: &str) -> bool {
        let mut names = required.split(',').map(str::trim);
        names.any(|name| name == "all" || name == self.texts().0)
    }
}

/// Records that the test of this thread is skipped, because the machine lacks a requirement.
///
/// # Panics
///
/// Panics if [`REQUIRED`] names this requirement.
#[track_caller]
pub fn skip(missing: Need, reason: impl Display) {
    let (name, remedy) = missing.texts();
    assert!(
        !missing.is_in(&env::var(REQUIRED).unwrap_or_default()),
        "{reason}, and {REQUIRED} requires `{name}`: {remedy}"
    );
    record(&reason, remedy);
}

/// Records that the test of this thread does not run here, because a separate command runs it with other
/// settings.
pub fn leave_to(command: &str, reason: impl Display) {
    record(&reason, &format!("run `{command}`"));
}

fn record(reason: &dyn Display, remedy: &str) {
    // nextest runs a test on the main thread.
    let test = env::var("NEXTEST_TEST_NAME").ok();
    let test = test.or_else(|| thread::current().name().map(str::to_owned));
    let test = test.as_deref().unwrap_or("a test");
    // Bypasses the output capture of the test harness. If nobody reads the output, the text is lost.
    let _ = writeln!(io::stderr(), "left out: {test}: {reason}; {remedy}");
    if let Some(path) = env::var_os(RECORD) {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let line = format!("{test}\t{reason}\t{remedy}\n");
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the record of the tests that are left out can be written");
    }
}

/// Whether this run writes the committed files that tests expect, instead of comparing with them.
#[must_use]
pub fn updates_golden() -> bool {
    env::var_os("UPDATE_GOLDEN").is_some()
}

/// Compares a text with a committed file. With `UPDATE_GOLDEN=1`, writes the file first.
///
/// # Panics
///
/// Panics if the file is missing, has another text, or cannot be written.
#[track_caller]
pub fn assert_golden(path: &Path, text: &str) {
    if updates_golden() {
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }
    assert!(
        fs::read_to_string(path).is_ok_and(|committed| committed == text),
        "{} is stale: run this test with UPDATE_GOLDEN=1 to accept the new text",
        path.display()
    );
}

/// Returns a folder with documents of other projects, which must be beside the repository. If the folder is
/// missing, records this and returns `None`.
#[must_use]
pub fn documents_folder(name: &str) -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join("../shared").join(name);
    if path.is_dir() {
        return Some(path);
    }
    skip(Need::Documents, format!("../shared/{name} is missing"));
    None
}

/// Returns the names and texts of the documents in such a folder, sorted; empty if the folder is missing.
///
/// # Panics
///
/// Panics if a document cannot be read.
#[must_use]
pub fn documents(folder: &str) -> Vec<(String, String)> {
    let Some(folder) = documents_folder(folder) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut documents: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("the folder can be read");
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = fs::read_to_string(entry.path()).expect("a document is text");
            (name, text)
        })
        .filter(|(name, _)| !name.ends_with(".md"))
        .collect();
    documents.sort();
    documents
}

#[cfg(test)]
mod tests {
    use super::Need;

    #[test]
    fn a_test_prerequisite_is_required_if_the_list_contains_its_name_or_the_word_all() {
        assert!(Need::Postgres.is_in("strace, postgres"));
        assert!(Need::Postgres.is_in("all"));
        assert!(!Need::Postgres.is_in("strace,haproxy"));
        assert!(!Need::Postgres.is_in(""));
    }
}
