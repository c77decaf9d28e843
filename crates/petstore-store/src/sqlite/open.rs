//! Opens the connections of a store: inspects the file without changing it,
//! rejects a file that is not a store of a known version, and sets up the connections
//! that write and read.

use super::{
    files::Files,
    log::Log,
    schema::{self, Identity},
};
use crate::{MayChange, OnMigration, OpenProblem};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long opening waits for another process that opens or migrates.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a batch of writes waits for the write of another process. Such a write is
/// a short transaction of a command.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a reader waits. In WAL mode, it only waits for a recovery after a crash.
const READ_TIMEOUT: Duration = Duration::from_millis(100);
/// A log that grows beyond this size is truncated later, so that one burst does not
/// permanently use the disk.
const LOG_BYTES: i64 = 64 << 20;
/// Every database has at least one page.
const SMALLEST_PAGE: u64 = 512;
/// The size of the cache of a connection that reads, for the pages that
/// it used last. A page that is not in the cache costs a system call and a copy.
const CACHE_KIB: i64 = 16 << 10;
/// The size of the cache of a connection that reads from the disk. Afterwards, the pages are in the
/// memory of the operating system, where the other connections find them.
const DISK_CACHE_KIB: i64 = 1 << 10;
/// How many reads may wait for the disk at the same time.
const DISK_READERS: usize = 8;
/// The capacity of the statement cache. It is greater than the number of statements.
const STATEMENTS: usize = 32;

/// All bytes of a path that could have another meaning in a URI.
const IN_A_URI: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// The connections to a file.
pub(super) struct File {
    pub(super) writer: Connection,
    pub(super) readers: Vec<Connection>,
    /// For reads that may wait for the disk.
    pub(super) disk_readers: Vec<Connection>,
    pub(super) files: Files,
}

pub(super) fn file(
    path: &Path,
    on_migration: OnMigration,
    may_change: MayChange,
) -> Result<File, OpenProblem> {
    let path = &absolute(path)?;
    inspect(path)?;
    // SQLite would create a file that everybody may read. Its log files get the mode of this file. Errors are reported below.
    let _created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);

    let mut writer = Connection::open_with_flags(path, flags()).map_err(rejection)?;
    if writer.is_readonly("main").map_err(rejection)? {
        let source = io::Error::from(io::ErrorKind::PermissionDenied);
        return Err(OpenProblem::NotWritable(Arc::new(source)));
    }
    writer.busy_timeout(OPEN_TIMEOUT).map_err(rejection)?;
    // A rejected file must not be changed, but closing a connection writes the log into
    // the file. So the log is kept until the file is known to be a store.
    keep_log_on_close(&writer, true)?;
    let identity = schema::claim(&mut writer).map_err(rejection)?;
    accept(identity)?;
    if may_change == MayChange::Nothing {
        accept_current(identity)?;
    }
    keep_log_on_close(&writer, false)?;

    use_write_ahead_log(&writer)?;
    make_durable(&writer).map_err(rejection)?;
    schema::migrate(&mut writer, on_migration).map_err(rejection)?;
    set_up(&writer, WRITE_TIMEOUT).map_err(rejection)?;

    // More readers than threads would not be used: a thread runs only one read at
    // a time.
    let threads = thread::available_parallelism()
        .map_or(4, usize::from)
        .clamp(2, 16);
    let open = |count, cache_kib| {
        let connections = (0..count).map(|_| reader(path, cache_kib));
        connections.collect::<Result<_, _>>().map_err(rejection)
    };
    Ok(File {
        writer,
        readers: open(threads, CACHE_KIB)?,
        disk_readers: open(DISK_READERS, DISK_CACHE_KIB)?,
        files: Files::of(path).map_err(OpenProblem::failed)?,
    })
}

/// Makes a path absolute. Some names have a special meaning for SQLite: "",
/// ":memory:", "file:...". None of them is an absolute path.
fn absolute(path: &Path) -> Result<PathBuf, OpenProblem> {
    std::path::absolute(path).map_err(OpenProblem::failed)
}

/// Opens a connection to an existing store without changing it. Returns `None` if the
/// file does not exist.
pub(super) fn existing(path: &Path) -> Result<Option<Connection>, OpenProblem> {
    let path = &absolute(path)?;
    inspect(path)?;
    if !path.exists() {
        return Ok(None);
    }
    let flags = flags() - OpenFlags::SQLITE_OPEN_CREATE;
    let db = Connection::open_with_flags(path, flags).map_err(rejection)?;
    db.busy_timeout(OPEN_TIMEOUT).map_err(rejection)?;
    // A log that exists already, for example after a crash, is kept. A log that this
    // connection creates is removed when it is closed.
    keep_log_on_close(&db, has_log(path))?;
    Ok(Some(db))
}

/// Opens a connection to a backup without changing it. Returns `None` if the file does not exist.
/// Unlike [`existing`], it can read a file on a read-only medium, unless there is a log next to
/// the file: then the file is not a finished copy, and SQLite needs a file for the locks.
pub(super) fn backup(path: &Path) -> Result<Option<Connection>, OpenProblem> {
    let path = &absolute(path)?;
    if has_log(path) {
        return existing(path);
    }
    inspect(path)?;
    if !path.exists() {
        return Ok(None);
    }
    immutably(path).map(Some).map_err(rejection)
}

fn keep_log_on_close(db: &Connection, keep: bool) -> Result<(), OpenProblem> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
        .map(|_| ())
        .map_err(rejection)
}

/// Creates a new database in memory, which only this connection can use.
pub(super) fn memory() -> Result<Connection, OpenProblem> {
    let open = || -> rusqlite::Result<_> {
        let mut only = Connection::open_in_memory()?;
        schema::claim(&mut only)?;
        schema::migrate(&mut only, Arc::new(|_| {}))?;
        set_up(&only, WRITE_TIMEOUT)?;
        Ok(only)
    };
    open().map_err(rejection)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Opens a connection that reads. It is not opened as read-only: the connection that is closed last
/// removes the log, so it must be able to write.
fn reader(path: &Path, cache_kib: i64) -> rusqlite::Result<Connection> {
    let reader = Connection::open_with_flags(path, flags() - OpenFlags::SQLITE_OPEN_CREATE)?;
    // The first read opens the log. It happens now, because another file may have the name of the
    // log later.
    reader.busy_timeout(OPEN_TIMEOUT)?;
    schema::check(&reader)?;
    set_up(&reader, READ_TIMEOUT)?;
    reader.pragma_update(None, "cache_size", -cache_kib)?;
    reader.pragma_update(None, "query_only", true)?;
    Ok(reader)
}

fn set_up(db: &Connection, timeout: Duration) -> rusqlite::Result<()> {
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    db.busy_timeout(timeout)?;
    // With this setting, a plan does not depend on the values of parameters. Otherwise, SQLite prepares
    // the query of a filtered page again each time, which costs as much as reading the rows.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.pragma_update(None, "foreign_keys", true)
}

/// Rejects a file that is not a store, before anything is changed.
fn inspect(path: &Path) -> Result<(), OpenProblem> {
    match (fs::metadata(path), path.parent()) {
        (Ok(found), _) if found.is_dir() => return Err(OpenProblem::IsFolder),
        (Ok(found), _) if found.is_file() && found.nlink() > 1 => {
            return Err(OpenProblem::Linked(found.nlink()));
        }
        // SQLite would delete the log of an empty file. The file of a store is never empty, so if the
        // log has transactions, this file was a store and was truncated.
        (Ok(found), _) if found.is_file() && found.len() == 0 => {
            return match transactions(path)? {
                Some(_) => Err(cut_short()),
                None => Ok(()),
            };
        }
        // A database is never this small, but SQLite would treat a file of one byte as empty.
        (Ok(found), _) if !found.is_file() || found.len() < SMALLEST_PAGE => {
            return Err(OpenProblem::NotAStore);
        }
        (Ok(_), _) => {}
        (Err(_), Some(folder)) if !folder.is_dir() => {
            return Err(OpenProblem::NoFolder(folder.to_owned()));
        }
        (Err(_), _) => return Ok(()),
    }
    match look(path) {
        // A checkpoint that was interrupted, or is still running, looks like damage.
        // Together with the log, the file may be complete.
        Err(OpenProblem::Damaged(_)) if log_completes(path)? => Ok(()),
        // A checkpoint that was running may have ended meanwhile.
        Err(OpenProblem::Damaged(_)) => accept(look(path)?),
        looked => accept(looked?),
    }
}

/// Whether the log has all pages that the file lacks. SQLite itself does not check this, and
/// would read zeros.
fn log_completes(path: &Path) -> Result<bool, OpenProblem> {
    let path = &path.canonicalize().map_err(OpenProblem::failed)?;
    // The log is read first, because another process starts a new log only after the file is complete.
    let log = transactions(path)?;
    let file = fs::metadata(path).map_err(OpenProblem::failed)?;
    Ok(log.is_some_and(|log| log.completes(file.len())) || beside(path, "-journal").exists())
}

/// Returns the log of the database, if it contains transactions.
fn transactions(path: &Path) -> Result<Option<Log>, OpenProblem> {
    let path = path.canonicalize().map_err(OpenProblem::failed)?;
    Log::read(&beside(&path, "-wal")).map_err(OpenProblem::failed)
}

fn cut_short() -> OpenProblem {
    OpenProblem::Damaged(Arc::new(io::Error::from(io::ErrorKind::UnexpectedEof)))
}

/// Reads the first page. It takes no lock and ignores the log (`immutable`),
/// so it changes nothing, even if another program has the database open. It uses
/// SQLite, since opening and closing the file in another way would release
/// the locks that this process may hold on it.
fn look(path: &Path) -> Result<Identity, OpenProblem> {
    let first_page = || -> rusqlite::Result<_> {
        let db = immutably(path)?;
        let pages: u32 = db.pragma_query_one(None, "page_count")?;
        let page: u32 = db.pragma_query_one(None, "page_size")?;
        let length = u64::from(pages) * u64::from(page);
        Ok((schema::identify(&db)?, length))
    };
    let (identity, length) = first_page().map_err(rejection)?;
    if fs::metadata(path).map_err(OpenProblem::failed)?.len() < length {
        return Err(cut_short());
    }
    Ok(identity)
}

/// Whether there is a log or a journal next to the database.
pub(super) fn has_log(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    ["-wal", "-journal"]
        .iter()
        .any(|suffix| beside(&path, suffix).exists())
}

/// The name of a file next to the database: the name of the database with this suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

/// A read-only connection to a file that ignores its locks and its log.
pub(super) fn immutably(absolute: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let path = percent_encode(absolute.as_os_str().as_encoded_bytes(), IN_A_URI);
    Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)
}

pub(super) fn accept(identity: Identity) -> Result<(), OpenProblem> {
    match identity {
        Identity::Foreign => Err(OpenProblem::NotAStore),
        Identity::Store(found) if found > schema::NEWEST => Err(OpenProblem::TooNew {
            found,
            supported: schema::NEWEST,
        }),
        Identity::Store(_) | Identity::Empty => Ok(()),
    }
}

/// Rejects a store that needs an upgrade, and an empty database.
fn accept_current(identity: Identity) -> Result<(), OpenProblem> {
    match identity {
        Identity::Store(found) if found < schema::NEWEST => Err(OpenProblem::TooOld {
            found,
            needed: schema::NEWEST,
        }),
        Identity::Empty => Err(OpenProblem::NoStore),
        Identity::Store(_) | Identity::Foreign => Ok(()),
    }
}

/// Sets WAL mode. No other process may use the file during this change, and SQLite does not
/// wait where waiting could deadlock, so this function tries repeatedly.
fn use_write_ahead_log(db: &Connection) -> Result<(), OpenProblem> {
    let started = Instant::now();
    loop {
        match db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
        {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => return Err(OpenProblem::NoWriteAheadLog(mode)),
            Err(error) if is_busy(&error) && started.elapsed() < OPEN_TIMEOUT => {
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(rejection(error)),
        }
    }
}

/// Makes every commit wait until its log records are on the disk.
fn make_durable(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "synchronous", "full")?;
    // On macOS, a normal sync may leave the data in the drive's cache. On other systems, this has no effect.
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))
}

fn is_busy(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

pub(super) fn rejection(error: Error) -> OpenProblem {
    let is_busy = is_busy(&error);
    let code = error.sqlite_error_code();
    let source = Arc::new(error);
    match code {
        _ if is_busy => OpenProblem::Locked(source),
        Some(ErrorCode::NotADatabase) => OpenProblem::NotAStore,
        Some(ErrorCode::DatabaseCorrupt) => OpenProblem::Damaged(source),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            OpenProblem::NotWritable(source)
        }
        _ => OpenProblem::Failed(source),
    }
}
