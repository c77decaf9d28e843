//! Marks the file of a store as used by a server, with a lock of the operating system (`flock`).
//! The lock ends with the process. SQLite uses other locks (`fcntl`), which are independent of it.

use super::unfinished;
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// The mark of a server. It must be dropped after the store was closed: closing any descriptor of
/// the file releases the locks that SQLite holds on it in this process.
#[derive(Debug, Default)]
pub struct ServerMark {
    /// Holds a shared lock; `None` for a store that is not a file.
    _file: Option<File>,
    others: bool,
}

impl ServerMark {
    /// Marks a file. First tries to get an exclusive lock for a moment, which only succeeds if no other server uses the file. Also
    /// removes unfinished copies that killed backups and restores have left next to the file.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.canonicalize()?.parent() {
            unfinished::remove_unused(folder);
        }
        let file = File::open(path)?;
        let others = match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(error)) => return Err(error),
        };
        // On a file system without these locks, other servers are not noticed.
        match file.try_lock_shared() {
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(ServerMark {
            _file: Some(file),
            others,
        })
    }

    /// Whether other servers used the file when it was marked.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.others
    }
}
