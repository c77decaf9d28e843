//! Replaces SQLite's `pread` on Linux with one that can fail with `EAGAIN` instead of waiting for the disk.

use crate::{MODE, Mode};
use rusqlite::ffi;
use std::ffi::{c_int, c_void};

/// Replaces the `pread` of SQLite's default file system for the whole process.
pub(crate) fn install() -> bool {
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

/// `pread(2)`, but fails with `EAGAIN` if it would wait and the thread must not wait.
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
    // SQLite reports this code as a failed read, and some other codes as a damaged file.
    // SAFETY: `errno` of this thread.
    unsafe { *libc::__errno_location() = libc::EAGAIN };
    -1
}

/// Reads pages that are in memory. Returns `None` if it would have to wait.
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
        // The file system or the kernel does not support the flag, or a system call filter
        // does not allow the call.
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::EPERM) => {
            // SAFETY: The caller keeps the rules of `pread(2)`.
            is_in_memory(file).then(|| unsafe { libc::pread64(file, buffer, count, offset) })
        }
        _ => Some(read),
    }
}

/// Whether a file is in a file system that has no disk.
pub(crate) fn is_in_memory(file: c_int) -> bool {
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
