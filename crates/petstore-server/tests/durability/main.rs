//! Nothing is lost: the real program is killed, traced, and given bad disks and
//! files, and whatever it had answered must be there once. How a store looks
//! from inside is left to the tests of `petstore-store`.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_CRASH_ROUNDS` | how often the service is killed; a few times by default |
//! | `PETSTORE_CRASH_SEED` | another choice of the moments; it is printed |
//! | `PETSTORE_REQUIRE_STRACE=1` | where strace cannot be used, fail instead of skipping |
//! | `PETSTORE_REQUIRE_MOUNT=1` | the same for file systems of the test's own |

#[path = "../support/process.rs"]
mod process;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/raw.rs"]
mod raw;

mod backup;
mod clock;
mod crash;
mod disk;
mod files;
mod ledger;
mod load;
mod power;
mod trace;

use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Says that a test cannot be run here, past the capture of its output, in the
/// words that `cargo xtask test` gathers; or fails it where it must be run.
fn skip(required_by: &str, why: &str) {
    assert!(
        env::var_os(required_by).is_none_or(|value| value != "1"),
        "{why}, and {required_by}=1"
    );
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    // Where nobody reads, there is nobody to tell.
    let _ = writeln!(io::stderr(), "skipped: {test}: {why}");
}

/// The names and the bytes of the files in a folder, but for the index of a
/// log, which is memory that processes share.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut contents: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("can be read").path())
        .filter(|path| path.is_file() && !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.clone(), fs::read(path).expect("its bytes")))
        .collect();
    contents.sort();
    contents
}
