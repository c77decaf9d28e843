//! From a path to connections: looks at what is there before anything is
//! touched, rejects what is not a store of a known version, and sets up the
//! connections that write and read.

use super::{
    files::Files,
    schema::{self, Identity},
};
use crate::{Cause, OpenError};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fmt::Write as _,
    fs, io,
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
/// What a connection that reads keeps of the file in memory, of the pages that
/// it used last. A page that it lacks is a system call and a copy.
const CACHE_KIB: i64 = 16 << 10;
/// More statements than there are.
const STATEMENTS: usize = 32;

/// The connections to a file.
pub(super) struct File {
    pub(super) writer: Connection,
    pub(super) readers: Vec<Connection>,
    pub(super) files: Files,
}

pub(super) fn file(path: PathBuf) -> Result<File, OpenError> {
    // SQLite takes some names for something else: "", ":memory:", "file:...".
    // None of them is absolute.
    let absolute = std::path::absolute(&path).map_err(|error| failed(&path, Arc::new(error)))?;
    inspect(&path, &absolute)?;
    let at = |error| rejection(&path, error);

    let mut writer = Connection::open_with_flags(&absolute, flags()).map_err(at)?;
    if writer.is_readonly("main").map_err(at)? {
        let source = Arc::new(io::Error::from(io::ErrorKind::PermissionDenied));
        return Err(OpenError::NotWritable { path, source });
    }
    writer.busy_timeout(OPEN_TIMEOUT).map_err(at)?;
    // Until it is known to be a store of ours: to close a connection writes
    // the log back into the file, and what is rejected must stay as it is.
    writer
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(at)?;
    let identity = schema::claim(&mut writer).map_err(at)?;
    accept(&path, identity)?;
    writer
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .map_err(at)?;

    use_write_ahead_log(&path, &writer)?;
    make_durable(&writer).map_err(at)?;
    schema::migrate(&mut writer).map_err(at)?;
    set_up(&writer, WRITE_TIMEOUT).map_err(at)?;

    // More readers than threads would be of no use: no thread reads twice at
    // the same moment.
    let threads = thread::available_parallelism()
        .map_or(4, usize::from)
        .clamp(2, 16);
    let readers = (0..threads)
        .map(|_| reader(&absolute))
        .collect::<Result<_, _>>()
        .map_err(at)?;
    let files = Files::of(&absolute).map_err(|error| failed(&path, Arc::new(error)))?;
    Ok(File {
        writer,
        readers,
        files,
    })
}

/// A connection that changes nothing to a store that is there; `None` where
/// there is none.
pub(super) fn existing(path: &Path) -> Result<Option<Connection>, OpenError> {
    let absolute = std::path::absolute(path).map_err(|error| failed(path, Arc::new(error)))?;
    inspect(path, &absolute)?;
    if !absolute.exists() {
        return Ok(None);
    }
    let at = |error| rejection(path, error);
    let db = Connection::open_with_flags(&absolute, flags() - OpenFlags::SQLITE_OPEN_CREATE)
        .map_err(at)?;
    db.busy_timeout(OPEN_TIMEOUT).map_err(at)?;
    // A log that a crash left stays; one that only this connection makes goes
    // with it.
    let keep = has_log(&absolute);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
        .map_err(at)?;
    Ok(Some(db))
}

/// A database of its own that no other connection sees.
pub(super) fn memory() -> Result<Connection, OpenError> {
    let at = |error| rejection(Path::new(":memory:"), error);
    let mut only = Connection::open_in_memory().map_err(at)?;
    schema::claim(&mut only).map_err(at)?;
    schema::migrate(&mut only).map_err(at)?;
    set_up(&only, WRITE_TIMEOUT).map_err(at)?;
    Ok(only)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Not opened as read-only: whichever connection is closed last tidies up the
/// log, and for that it must be able to write.
fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let reader = Connection::open_with_flags(path, flags() - OpenFlags::SQLITE_OPEN_CREATE)?;
    // The log is opened with the first read: now, and not when another file
    // may have its name.
    reader.busy_timeout(OPEN_TIMEOUT)?;
    schema::check(&reader)?;
    set_up(&reader, READ_TIMEOUT)?;
    reader.pragma_update(None, "cache_size", -CACHE_KIB)?;
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
fn inspect(path: &Path, absolute: &Path) -> Result<(), OpenError> {
    match fs::metadata(absolute) {
        Ok(found) if found.is_dir() => {
            return Err(OpenError::IsFolder {
                path: path.to_owned(),
            });
        }
        Ok(found) if !found.is_file() => {
            return Err(OpenError::NotAStore {
                path: path.to_owned(),
            });
        }
        Ok(found) if found.len() == 0 => return Ok(()),
        // No database is so small; SQLite would take a single byte for nothing.
        Ok(found) if found.len() < SMALLEST_PAGE => {
            return Err(OpenError::NotAStore {
                path: path.to_owned(),
            });
        }
        Ok(_) => {}
        Err(_) => {
            return match absolute.parent() {
                Some(folder) if !folder.is_dir() => Err(OpenError::NoFolder {
                    path: path.to_owned(),
                    folder: folder.to_owned(),
                }),
                _ => Ok(()),
            };
        }
    }
    match look(path, absolute) {
        // A checkpoint that was cut off, or is under way, looks like damage;
        // with the log, which is not read here, the file may be whole.
        Err(OpenError::Damaged { .. }) if has_log(absolute) => Ok(()),
        // Without a log nothing is under way any more.
        Err(OpenError::Damaged { .. }) => accept(path, look(path, absolute)?),
        looked => accept(path, looked?),
    }
}

/// What the first page says. It takes no lock and follows no log (`immutable`),
/// so it leaves no trace even in a database that another program has open; and
/// it goes through SQLite, since to open and close the file by other means
/// would drop the locks that this process may hold on it.
fn look(path: &Path, absolute: &Path) -> Result<Identity, OpenError> {
    let at = |error| rejection(path, error);
    let db = immutably(absolute).map_err(at)?;
    let identity = schema::identify(&db).map_err(at)?;
    let pages: u32 = db.pragma_query_one(None, "page_count").map_err(at)?;
    let page: u32 = db.pragma_query_one(None, "page_size").map_err(at)?;
    let length = fs::metadata(absolute)
        .map_err(|error| failed(path, Arc::new(error)))?
        .len();
    if length < u64::from(pages) * u64::from(page) {
        let path = path.to_owned();
        let source = Arc::new(io::Error::from(io::ErrorKind::UnexpectedEof));
        return Err(OpenError::Damaged { path, source });
    }
    Ok(identity)
}

/// Whether a log or a journal lies beside the database.
fn has_log(path: &Path) -> bool {
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

/// A connection to a file that is taken as it is: without locks and logs.
pub(super) fn immutably(absolute: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(immutable(absolute), flags)
}

/// The path as an SQLite URI, with every byte that could mean something else
/// escaped.
fn immutable(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(byte))
            }
            _ => {
                let written = write!(uri, "%{byte:02X}");
                debug_assert!(written.is_ok(), "a String takes any text");
            }
        }
    }
    uri.push_str("?immutable=1");
    uri
}

pub(super) fn accept(path: &Path, identity: Identity) -> Result<(), OpenError> {
    let path = path.to_owned();
    match identity {
        Identity::Foreign => Err(OpenError::NotAStore { path }),
        Identity::Store(found) if found > schema::NEWEST => Err(OpenError::TooNew {
            path,
            found,
            supported: schema::NEWEST,
        }),
        Identity::Store(_) | Identity::Empty => Ok(()),
    }
}

/// The change of mode needs the file for itself, and SQLite does not wait for
/// that by itself where it would risk a deadlock.
fn use_write_ahead_log(path: &Path, db: &Connection) -> Result<(), OpenError> {
    let started = Instant::now();
    loop {
        match db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
        {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(OpenError::NoWriteAheadLog {
                    path: path.to_owned(),
                    mode,
                });
            }
            Err(error) if is_busy(&error) && started.elapsed() < OPEN_TIMEOUT => {
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(rejection(path, error)),
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

pub(super) fn rejection(path: &Path, error: Error) -> OpenError {
    let busy = is_busy(&error);
    let code = error.sqlite_error_code();
    let source: Cause = Arc::new(error);
    let path = path.to_owned();
    match code {
        _ if busy => OpenError::Locked { path, source },
        Some(ErrorCode::NotADatabase) => OpenError::NotAStore { path },
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { path, source },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            OpenError::NotWritable { path, source }
        }
        _ => OpenError::Failed { path, source },
    }
}

fn failed(path: &Path, source: Cause) -> OpenError {
    OpenError::Failed {
        path: path.to_owned(),
        source,
    }
}
