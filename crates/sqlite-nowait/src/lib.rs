//! Makes reads of SQLite fail instead of waiting for the disk, and detects commits without
//! running a statement.
//!
#![doc = include_str!("../README.md")]

#[cfg(target_os = "linux")]
mod linux;
mod wal_version;

#[cfg(target_os = "linux")]
use linux::install;
use std::{cell::Cell, sync::OnceLock};
pub use wal_version::{WalVersion, wal_version};

/// How the next `pread` of SQLite behaves on this thread.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// It waits for the disk.
    Wait,
    /// It fails instead of waiting.
    Nowait,
    /// It fails, because an earlier `pread` in the same [`without_waiting`] would have
    /// waited.
    WouldWait,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Wait) };
}

/// Whether SQLite's `pread` was replaced.
static INSTALLED: OnceLock<bool> = OnceLock::new();

/// Runs `work`. Inside it, SQLite reads only pages that are in memory. If SQLite needs
/// another page, its statement fails with `SQLITE_IOERR_READ`, and this function returns
/// `None`: run the work again on a thread that may wait. If SQLite's `pread` cannot be
/// replaced, this function returns `None` without running `work`.
///
/// The connection remains usable. `work` should only read: such an error rolls back a
/// transaction that writes.
pub fn without_waiting<T>(work: impl FnOnce() -> T) -> Option<T> {
    if !*INSTALLED.get_or_init(install) {
        return None;
    }
    let restore = Restore;
    MODE.set(Mode::Nowait);
    let result = work();
    let would_wait = MODE.get() == Mode::WouldWait;
    drop(restore);
    (!would_wait).then_some(result)
}

/// Lets the thread wait again, even after a panic.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        MODE.set(Mode::Wait);
    }
}

/// SQLite's `pread` is replaced only on Linux.
#[cfg(not(target_os = "linux"))]
fn install() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::linux::is_in_memory;
    use rusqlite::Connection;
    use std::{fs::File, os::fd::AsRawFd as _, path::Path};

    fn store(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("test.db");
        let db = Connection::open(&path).expect("a database");
        db.execute_batch(
            "PRAGMA journal_mode = wal;
             CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
             INSERT INTO t (text) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c
                 WHERE n < 20000) SELECT hex(randomblob(50)) FROM c;",
        )
        .expect("rows");
        path
    }

    fn length(db: &Connection, id: i64) -> rusqlite::Result<usize> {
        let mut get = db.prepare_cached("SELECT text FROM t WHERE id = ?")?;
        get.query_row([id], |row| row.get::<_, String>(0).map(|text| text.len()))
    }

    /// Makes the operating system drop the pages of a file from its cache.
    fn evict(path: &Path) {
        let file = File::open(path).expect("the database");
        file.sync_all().expect("synced");
        // SAFETY: The file is open.
        let result =
            unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        assert_eq!(result, 0);
    }

    #[test]
    fn a_read_of_a_page_outside_of_memory_fails_at_once_and_succeeds_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = store(folder.path());
        if is_in_memory(File::open(&path).expect("the database").as_raw_fd()) {
            println!("skipped: the folder for temporary files is in memory");
            return;
        }
        let open = || {
            let db = Connection::open(&path).expect("a database");
            assert_eq!(length(&db, 1), Ok(100));
            db
        };
        assert_eq!(without_waiting(|| length(&open(), 15_000)), Some(Ok(100)));
        // Several attempts: the kernel keeps pages that one of its threads still uses.
        let db = (0..100)
            .map(|_| {
                evict(&path);
                open()
            })
            .find(|db| without_waiting(|| length(db, 15_000)).is_none())
            .expect("a page outside of memory");
        assert_eq!(length(&db, 15_000), Ok(100));
        assert_eq!(without_waiting(|| length(&db, 15_000)), Some(Ok(100)));
    }

    #[test]
    fn a_thread_may_wait_again_after_the_call_even_if_the_call_panicked() {
        let panicked = std::panic::catch_unwind(|| without_waiting(|| panic!("in the work")));
        assert!(panicked.is_err());
        assert!(MODE.get() == Mode::Wait);
    }
}
