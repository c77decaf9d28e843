#![doc = include_str!("../README.md")]

use rusqlite::ffi;
use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    sync::OnceLock,
};

/// What the thread wants of the next `pread` of SQLite.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// It waits for the disk.
    Wait,
    /// It fails rather than wait.
    Nowait,
    /// It failed since it would have waited; so does every other one until the end of
    /// [`without_waiting`].
    WouldWait,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Wait) };
}

/// Whether SQLite's `pread` was replaced.
static INSTALLED: OnceLock<bool> = OnceLock::new();

/// Runs `work`, in which SQLite reads only what is in memory. If it needs more, the
/// statement fails with `SQLITE_IOERR_READ` and the result is `None`: run the work again
/// on a thread that may wait. `None` without running `work`, too, if SQLite does not let
/// its `pread` be replaced.
///
/// The connection remains usable. `work` should only read: a transaction that writes is
/// rolled back by such an error.
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

/// Replaces the `pread` of SQLite's default file system for the whole process.
fn install() -> bool {
    type Pread = unsafe extern "C" fn(c_int, *mut c_void, usize, i64) -> isize;
    let replacement: Pread = pread;
    // SAFETY: A null name asks for the default file system, which SQLite never frees.
    let vfs = unsafe { ffi::sqlite3_vfs_find(std::ptr::null()) };
    // SAFETY: `vfs` is null, or points to a structure of SQLite that lives as long as the
    // process and does not change.
    let Some(set) = (unsafe { vfs.as_ref() }).and_then(|vfs| vfs.xSetSystemCall) else {
        return false;
    };
    // SAFETY: SQLite keeps system calls as pointers to functions without a signature, and
    // calls the one named `pread` with the signature of `pread(2)`, which is `Pread`.
    let untyped = unsafe { std::mem::transmute::<Pread, unsafe extern "C" fn()>(replacement) };
    // SAFETY: `set` belongs to `vfs`, and the name ends with a zero.
    unsafe { set(vfs, c"pread".as_ptr(), Some(untyped)) == ffi::SQLITE_OK }
}

/// `pread(2)`, which fails with `EAGAIN` if it would wait and the thread does not want to.
///
/// # Safety
///
/// As for `pread(2)`: `buffer` has room for `count` bytes.
unsafe extern "C" fn pread(file: c_int, buffer: *mut c_void, count: usize, offset: i64) -> isize {
    if MODE.get() == Mode::Wait {
        // SAFETY: The caller keeps the rules of `pread(2)`.
        return unsafe { libc::pread64(file, buffer, count, offset) };
    }
    if MODE.get() == Mode::Nowait {
        // SAFETY: The caller keeps the rules of `pread(2)`.
        if let Some(read) = unsafe { read_from_memory(file, buffer, count, offset) } {
            return read;
        }
        MODE.set(Mode::WouldWait);
    }
    // SQLite takes this for an error of the read, and other codes for a damaged file.
    // SAFETY: `errno` of this thread.
    unsafe { *libc::__errno_location() = libc::EAGAIN };
    -1
}

/// Reads what is in memory; `None` if it would have to wait.
///
/// # Safety
///
/// As for `pread(2)`: `buffer` has room for `count` bytes.
unsafe fn read_from_memory(
    file: c_int,
    buffer: *mut c_void,
    count: usize,
    offset: i64,
) -> Option<isize> {
    let part = libc::iovec {
        iov_base: buffer,
        iov_len: count,
    };
    // SAFETY: There is one part, and the caller promises its size.
    let read = unsafe { libc::preadv2(file, &raw const part, 1, offset, libc::RWF_NOWAIT) };
    if read >= 0 {
        return Some(read);
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) => None,
        // The file system or the kernel does not know the flag, or a filter of system calls
        // does not allow the call.
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::EPERM) => {
            // SAFETY: The caller keeps the rules of `pread(2)`.
            is_in_memory(file).then(|| unsafe { libc::pread64(file, buffer, count, offset) })
        }
        _ => Some(read),
    }
}

/// Whether a file is in a file system that has no disk.
fn is_in_memory(file: c_int) -> bool {
    /// From `linux/magic.h`; libc does not have it.
    const RAMFS_MAGIC: i64 = 0x8584_58f6;
    let mut info = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `info` has room for the structure.
    if unsafe { libc::fstatfs(file, info.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: All bytes of the structure were set: zero, and then by `fstatfs`.
    let kind = unsafe { info.assume_init() }.f_type;
    kind == libc::TMPFS_MAGIC || kind == RAMFS_MAGIC
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Makes the operating system forget what it has of a file.
    fn evict(path: &Path) {
        let file = File::open(path).expect("the database");
        file.sync_all().expect("synced");
        // SAFETY: The file is open.
        let result =
            unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        assert_eq!(result, 0);
    }

    #[test]
    fn a_page_that_is_not_in_memory_is_not_waited_for_and_can_be_read_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = store(folder.path());
        let db = Connection::open(&path).expect("a database");
        assert_eq!(without_waiting(|| length(&db, 1)), Some(Ok(100)));
        evict(&path);
        if is_in_memory(File::open(&path).expect("the database").as_raw_fd()) {
            println!("skipped: the folder for temporary files is in memory");
            return;
        }
        // The tree has two levels, and only its first leaf was read.
        assert_eq!(without_waiting(|| length(&db, 15_000)), None);
        assert_eq!(length(&db, 15_000), Ok(100));
        assert_eq!(without_waiting(|| length(&db, 15_000)), Some(Ok(100)));
    }

    #[test]
    fn a_thread_may_wait_again_afterwards_even_after_a_panic() {
        let panicked = std::panic::catch_unwind(|| without_waiting(|| panic!("in the work")));
        assert!(panicked.is_err());
        assert!(MODE.get() == Mode::Wait);
    }
}
