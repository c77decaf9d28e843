//! Opens the connections of a store: inspects the file without changing it,
//! rejects what is not a store of a known version, and sets up the connections
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
/// How long a batch of writes waits for the write of another process, which is
/// one short transaction of the command line.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// Readers never wait in WAL mode, except for a recovery after a crash.
const READ_TIMEOUT: Duration = Duration::from_millis(100);
/// A log that grew beyond this is cut back, so that one burst does not fill
/// the disk for good.
const LOG_BYTES: i64 = 64 << 20;
/// Every database has at least one page.
const SMALLEST_PAGE: u64 = 512;
/// The size of the cache of a reading connection, for the pages that
/// it used last. A page that it lacks is a system call and a copy.
const CACHE_KIB: i64 = 16 << 10;
/// The same for a connection that reads what is not in memory, which the others find there
/// afterwards.
const DISK_CACHE_KIB: i64 = 1 << 10;
/// How many reads wait for the disk at the same time.
const DISK_READERS: usize = 8;
/// More statements than there are.
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
    // SQLite would let everybody read a new file. The files beside it get its mode. Any problem is reported below.
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
    // Until it is known to be a store of ours: to close a connection writes
    // the log back into the file, and a rejected file must not be changed.
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

    // More readers than threads would be of no use: no thread reads twice at
    // the same moment.
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

/// Makes a path absolute. SQLite treats some names in a special way: "",
/// ":memory:", "file:...". None of them is an absolute path.
fn absolute(path: &Path) -> Result<PathBuf, OpenProblem> {
    std::path::absolute(path).map_err(OpenProblem::failed)
}

/// A connection that changes nothing to a store that is there; `None` where
/// there is none.
pub(super) fn existing(path: &Path) -> Result<Option<Connection>, OpenProblem> {
    let path = &absolute(path)?;
    inspect(path)?;
    if !path.exists() {
        return Ok(None);
    }
    let flags = flags() - OpenFlags::SQLITE_OPEN_CREATE;
    let db = Connection::open_with_flags(path, flags).map_err(rejection)?;
    db.busy_timeout(OPEN_TIMEOUT).map_err(rejection)?;
    // A log that a crash left stays; one that only this connection makes goes
    // with it.
    keep_log_on_close(&db, has_log(path))?;
    Ok(Some(db))
}

/// A connection to a backup that changes nothing; `None` where there is none. Unlike
/// [`existing`], it can read a file on a medium that cannot be written, unless a log lies beside
/// it: then the file is not a finished copy, and SQLite needs a file for the locks.
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

/// A database of its own that no other connection sees.
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

/// Not opened as read-only: whichever connection is closed last tidies up the
/// log, and for that it must be able to write.
fn reader(path: &Path, cache_kib: i64) -> rusqlite::Result<Connection> {
    let reader = Connection::open_with_flags(path, flags() - OpenFlags::SQLITE_OPEN_CREATE)?;
    // The log is opened with the first read: now, and not when another file
    // may have its name.
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
    // A plan does not depend on what is bound. Without this, SQLite prepares the
    // query of a filtered page anew each time, which costs as much as the rows.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.pragma_update(None, "foreign_keys", true)
}

/// Rejects what is not a store before anything is touched.
fn inspect(path: &Path) -> Result<(), OpenProblem> {
    match (fs::metadata(path), path.parent()) {
        (Ok(found), _) if found.is_dir() => return Err(OpenProblem::IsFolder),
        (Ok(found), _) if found.is_file() && found.nlink() > 1 => {
            return Err(OpenProblem::Linked(found.nlink()));
        }
        // SQLite deletes the log of an empty file. A store is made with its first page, so this
        // file had a store.
        (Ok(found), _) if found.is_file() && found.len() == 0 => {
            return match transactions(path)? {
                Some(_) => Err(cut_short()),
                None => Ok(()),
            };
        }
        // No database is so small; SQLite would take a single byte for nothing.
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
        // A checkpoint that was cut off, or is under way, looks like damage;
        // with the log the file may be complete.
        Err(OpenProblem::Damaged(_)) if log_completes(path)? => Ok(()),
        // A checkpoint that was under way has ended by now.
        Err(OpenProblem::Damaged(_)) => accept(look(path)?),
        looked => accept(looked?),
    }
}

/// Whether the log has all pages that the file lacks. SQLite itself does not check that, and
/// would read zeros.
fn log_completes(path: &Path) -> Result<bool, OpenProblem> {
    let path = &path.canonicalize().map_err(OpenProblem::failed)?;
    // In this order, because another process begins a new log only after the file is complete.
    let log = transactions(path)?;
    let file = fs::metadata(path).map_err(OpenProblem::failed)?;
    Ok(log.is_some_and(|log| log.completes(file.len())) || beside(path, "-journal").exists())
}

/// The log beside the database, if there are transactions in it.
fn transactions(path: &Path) -> Result<Option<Log>, OpenProblem> {
    let path = path.canonicalize().map_err(OpenProblem::failed)?;
    Log::read(&beside(&path, "-wal")).map_err(OpenProblem::failed)
}

fn cut_short() -> OpenProblem {
    OpenProblem::Damaged(Arc::new(io::Error::from(io::ErrorKind::UnexpectedEof)))
}

/// Reads the first page. It takes no lock and follows no log (`immutable`),
/// so it leaves no trace even in a database that another program has open; and
/// it goes through SQLite, since to open and close the file by other means
/// would drop the locks that this process may hold on it.
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

/// Whether a log or a journal lies beside the database.
pub(super) fn has_log(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    ["-wal", "-journal"]
        .iter()
        .any(|suffix| beside(&path, suffix).exists())
}

/// The file that SQLite keeps beside the database.
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

/// Rejects a store that would have to be upgraded.
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

/// The change of mode needs the file for itself, and SQLite does not wait for
/// that by itself where it would risk a deadlock.
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

/// Every commit waits until its log records are on the disk.
fn make_durable(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "synchronous", "full")?;
    // On macOS a plain sync stops at the drive's cache; elsewhere no effect.
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
