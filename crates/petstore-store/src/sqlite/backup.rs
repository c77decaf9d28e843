//! Copies a store that may be in use, verifies copies, and restores a store from a copy. All pages are copied in one step under
//! one snapshot, so the copy has the state of one moment even if this or another process
//! writes meanwhile. A copy in several steps would start again after each write
//! of another process. The writer never waits for the copy, but its log cannot
//! shrink until the copy is finished.
//!
//! The copy has another name until it is complete, verified and synced, so a file
//! with the final name is always complete. A backup ends with a checksum.

use super::{
    checksum, open,
    schema::{self, Identity},
    unfinished,
};
use crate::{BackupProblem, OpenProblem, event};
use rusqlite::{
    Connection, Error, ErrorCode, OpenFlags,
    backup::{Backup, StepResult},
};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt as _, chown},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// How long a restore waits for a command that uses the store.
const IN_USE: Duration = Duration::from_secs(2);

/// What a backup contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupContents {
    /// Its schema version.
    pub schema: i64,
    /// The number of pets.
    pub pets: i64,
    /// The number of API keys, including revoked keys.
    pub keys: i64,
    /// Whether it has a checksum, which was verified. Backups of earlier versions have none.
    pub has_checksum: bool,
}

/// The result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The new name of the replaced store, if there was one.
    pub former: Option<PathBuf>,
    /// Whether the backup has a checksum, which was verified.
    pub has_checksum: bool,
}

/// Copies the store in `from` to the new file `to`.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), BackupProblem> {
    let source = open::existing(from)?.ok_or(BackupProblem::NoStore)?;
    let folder = free_place(to)?;
    let mut copy = copied(&source, &folder, to)?;
    checksum::append(copy.as_file_mut())?;
    copy.as_file().sync_all()?;
    copy.persist_noclobber(to)
        .map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BackupProblem::Exists,
            _ => error.error.into(),
        })?;
    // The pages are synced already; this syncs the name.
    Ok(File::open(&folder)?.sync_all()?)
}

/// Creates a verified copy. It is removed when it is dropped, unless it gets its final name.
fn copied(
    source: &Connection,
    folder: &Path,
    to: &Path,
) -> Result<tempfile::NamedTempFile, BackupProblem> {
    let unfinished = unfinished::create(folder, to)?;
    copy_pages(source, unfinished.path())?;
    look_through(unfinished.path())?;
    unfinished.as_file().sync_all()?;
    Ok(unfinished)
}

/// Reads a whole backup.
pub(crate) fn verify(file: &Path) -> Result<BackupContents, BackupProblem> {
    let (db, has_checksum) = open_backup(file)?;
    let identity = schema::identify(&db).map_err(open::rejection)?;
    open::accept(identity)?;
    let Identity::Store(schema) = identity else {
        return Err(BackupProblem::NoStore);
    };
    check_pages(&db)?;
    let count = |table| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
    };
    let contents = || -> rusqlite::Result<_> {
        Ok(BackupContents {
            schema,
            pets: count("pets")?,
            keys: count("api_keys")?,
            has_checksum,
        })
    };
    contents().map_err(unreadable)
}

/// Opens a backup, and returns whether it has a checksum. If it has one, the checksum is verified.
fn open_backup(file: &Path) -> Result<(Connection, bool), BackupProblem> {
    let is_copy = fs::metadata(file).is_ok_and(|found| found.is_file()) && !open::has_log(file);
    let has_checksum = is_copy && checksum::check(file)?;
    let db = open::backup(file)?.ok_or(BackupProblem::NoStore)?;
    Ok((db, has_checksum))
}

/// Replaces the store in `to`, if there is one, with a verified copy of `from`.
pub(crate) fn restore(from: &Path, to: &Path) -> Result<Restored, BackupProblem> {
    // Resolves symbolic links, so that the store stays on its disk, next to its log.
    let to = to.canonicalize().or_else(|_| std::path::absolute(to))?;
    let (source, has_checksum) = open_backup(from)?;
    let folder = match to.parent() {
        Some(folder) if folder.is_dir() => folder,
        folder => return Err(BackupProblem::NoFolder(folder.unwrap_or(&to).to_owned())),
    };
    let Ok(found) = fs::metadata(&to) else {
        let new = copied(&source, folder, &to)?;
        begin_anew(&new)?;
        move_logs(&to)?;
        let named = new.persist_noclobber(&to);
        named.map_err(|error| BackupProblem::from(error.error))?;
        File::open(folder)?.sync_all()?;
        return Ok(Restored {
            former: None,
            has_checksum,
        });
    };
    // With this lock, the restore notices servers that use the store, and a server that starts notices the restore.
    let lock = File::open(&to)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Err(BackupProblem::InUse),
        Err(fs::TryLockError::Error(error)) => return Err(error.into()),
    }
    let new = copied(&source, folder, &to)?;
    begin_anew(&new)?;
    // The new file gets the owner and the mode of the old file, because the service must read and write it.
    fs::set_permissions(new.path(), found.permissions())?;
    let made = new.as_file().metadata()?;
    if (made.uid(), made.gid()) != (found.uid(), found.gid()) {
        chown(new.path(), Some(found.uid()), Some(found.gid()))?;
    }
    put_log_into(&to)?;
    // The former store gets its new name, together with its log, before the log is removed: a crash
    // between these steps must not leave the store without its log.
    let former = free_name(&to);
    link_logs(&to, &former)?;
    fs::hard_link(&to, &former)?;
    File::open(folder)?.sync_all()?;
    remove_logs(&to)?;
    // At every moment, the name belongs to one of the two stores.
    new.persist(&to)
        .map_err(|error| BackupProblem::from(error.error))?;
    File::open(folder)?.sync_all()?;
    drop(lock);
    Ok(Restored {
        former: Some(former),
        has_checksum,
    })
}

/// Begins a new incarnation of the feed of events, so that earlier cursors become invalid. Also sets the time since which
/// calls of deprecated operations are counted to now: the backup lacks the calls since it was made, so an operation must
/// not be reported as unused because these calls are missing. A store of an older schema gets this time
/// when a server starts.
fn begin_anew(new: &tempfile::NamedTempFile) -> Result<(), BackupProblem> {
    let db = Connection::open(new.path()).map_err(failed)?;
    let is_counted =
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'counted_operations')";
    if db
        .query_row(is_counted, [], |row| row.get(0))
        .map_err(failed)?
    {
        let update = "UPDATE counted_operations SET since = max(since, ?1)";
        db.execute(update, [chrono::Utc::now().timestamp_micros()])
            .map_err(failed)?;
    }
    let has_feed = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'event_feed')";
    if db
        .query_row(has_feed, [], |row| row.get(0))
        .map_err(failed)?
    {
        // Consumers may have read events that happened after the backup. This store does not have them.
        db.execute(event::RESET, [event::random_number()])
            .map_err(failed)?;
    }
    // Closing writes the log into the file.
    db.close().map_err(|(_, error)| failed(error))?;
    Ok(new.as_file().sync_all()?)
}

/// Writes the log of a store into its file and removes the log. No other process may use the store
/// meanwhile. A damaged store keeps its log.
fn put_log_into(path: &Path) -> Result<(), BackupProblem> {
    let db = match open::existing(path) {
        Ok(Some(db)) => db,
        Err(OpenProblem::Locked(_)) => return Err(BackupProblem::InUse),
        Ok(None) | Err(_) => return Ok(()),
    };
    // A server of an earlier version holds only the locks of SQLite.
    let mode = db.busy_timeout(IN_USE).and_then(|()| {
        db.pragma_update_and_check(None, "journal_mode", "delete", |row| {
            row.get::<_, String>(0)
        })
    });
    match mode.as_deref() {
        Ok("wal") => Err(BackupProblem::InUse),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Err(BackupProblem::InUse),
            _ => Ok(()),
        },
        Ok(_) => Ok(()),
    }
}

/// The suffixes of the files that SQLite applies to the store next to them. SQLite creates `-shm` again from them.
const LOGS: [&str; 2] = ["-wal", "-journal"];

/// Links the remaining logs of a damaged store to the new name of the former store.
fn link_logs(path: &Path, former: &Path) -> io::Result<()> {
    let linked = LOGS.map(|suffix| {
        let log = open::beside(path, suffix);
        there(fs::hard_link(log, open::beside(former, suffix)))
    });
    linked.into_iter().collect()
}

/// Removes the logs of a store, because SQLite would apply them to the restored file.
fn remove_logs(path: &Path) -> io::Result<()> {
    let removed = ["-shm"].iter().chain(&LOGS);
    let mut removed = removed.map(|suffix| there(fs::remove_file(open::beside(path, suffix))));
    removed.try_for_each(|removed| removed)
}

/// Renames logs that have no store.
fn move_logs(path: &Path) -> io::Result<()> {
    let former = free_name(path);
    let moved = ["-wal", "-shm", "-journal"].map(|suffix| {
        let log = open::beside(path, suffix);
        there(fs::rename(log, open::beside(&former, suffix)))
    });
    moved.into_iter().collect()
}

/// Ignores the error that a file does not exist.
fn there(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Returns an unused file name next to the store.
fn free_name(path: &Path) -> PathBuf {
    let time = chrono::Utc::now().format("%Y%m%dT%H%M%SZ");
    let names = (0..).map(|number| match number {
        0 => open::beside(path, &format!(".replaced-{time}")),
        _ => open::beside(path, &format!(".replaced-{time}-{number}")),
    });
    let mut free = names.filter(|name| fs::symlink_metadata(name).is_err());
    free.next().unwrap_or_else(|| path.to_owned())
}

/// Returns the folder of a new file, after checking that neither the file nor a log with its name exists.
fn free_place(to: &Path) -> Result<PathBuf, BackupProblem> {
    let absolute = std::path::absolute(to)?;
    if fs::symlink_metadata(&absolute).is_ok() {
        return Err(BackupProblem::Exists);
    }
    for suffix in ["-wal", "-journal"] {
        let log = open::beside(&absolute, suffix);
        if fs::symlink_metadata(&log).is_ok() {
            return Err(BackupProblem::LogBeside(log));
        }
    }
    match absolute.parent() {
        Some(folder) if folder.is_dir() => Ok(folder.to_owned()),
        folder => Err(BackupProblem::NoFolder(
            folder.unwrap_or(&absolute).to_owned(),
        )),
    }
}

fn copy_pages(source: &Connection, to: &Path) -> Result<(), BackupProblem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(to, flags).map_err(failed)?;
    // The copy needs no journal: an incomplete copy is deleted, and a complete copy is synced at the end.
    target
        .pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))
        .and_then(|()| target.pragma_update(None, "synchronous", "off"))
        .map_err(failed)?;
    // The checks and the copy use the same snapshot.
    let snapshot = source.unchecked_transaction().map_err(open::rejection)?;
    let identity = schema::identify(&snapshot).map_err(open::rejection)?;
    if identity == Identity::Empty {
        return Err(BackupProblem::NoStore);
    }
    open::accept(identity)?;
    let copied = Backup::new(&snapshot, &mut target).and_then(|backup| backup.step(-1));
    match copied.map_err(failed)? {
        StepResult::Done => Ok(()),
        stopped => Err(BackupProblem::Failed(Arc::new(Stopped(stopped)))),
    }
}

/// Checks a copy. Damage is copied like everything else, and a damaged backup must be
/// detected before it is needed.
fn look_through(copy: &Path) -> Result<(), BackupProblem> {
    let db = open::immutably(copy).map_err(failed)?;
    check_pages(&db)
}

fn check_pages(db: &Connection) -> Result<(), BackupProblem> {
    let check = "PRAGMA integrity_check(1)";
    let first_problem = db.query_row(check, [], |row| row.get(0));
    let first_problem: String = first_problem.map_err(unreadable)?;
    match first_problem.as_str() {
        "ok" => Ok(()),
        _ => Err(BackupProblem::Inconsistent(first_problem)),
    }
}

/// Wraps an error of a statement that succeeds on every valid store: the store is damaged, unless the disk or another program
/// is the cause.
fn unreadable(error: Error) -> BackupProblem {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, OutOfMemory, PermissionDenied, SystemIoFailure,
    };
    match error.sqlite_error_code() {
        Some(
            CannotOpen | DatabaseBusy | DatabaseLocked | OutOfMemory | PermissionDenied
            | SystemIoFailure,
        ) => failed(error),
        _ => BackupProblem::Inconsistent(error.to_string()),
    }
}

/// Wraps an error that occurred while the copy was written or read.
fn failed(error: Error) -> BackupProblem {
    BackupProblem::Failed(Arc::new(error))
}

#[derive(Debug, thiserror::Error)]
#[error("the copy stopped early: {0:?}")]
struct Stopped(StepResult);
