//! The copy of a store that may be in use. The pages are copied under one
//! snapshot, so that the copy is of one moment, whoever writes meanwhile and
//! from whichever process; a copy in several steps would begin anew with each
//! write of another process. The writer never waits for it, but its log cannot
//! shrink until the copy is made.
//!
//! The copy has another name until it is complete, looked through, and on the
//! disk: what has the final name is whole.

use super::{
    open,
    schema::{self, Identity},
};
use crate::BackupError;
use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::NamedTempFile;

/// Copies the store in `from` to the new file `to`.
pub(crate) async fn backup(from: PathBuf, to: PathBuf) -> Result<(), BackupError> {
    let named = to.clone();
    let copied = tokio::task::spawn_blocking(move || copy(&from, &named)).await;
    copied.map_err(|error| BackupError::Failed {
        path: to,
        source: Arc::new(error),
    })?
}

fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let source = open::existing(from)?.ok_or_else(|| no_store(from))?;
    let folder = free_place(to)?;
    let unwritable = |source| unwritable(to, source);
    let unfinished = tempfile::Builder::new()
        .prefix(&hidden(to))
        .suffix(".partial")
        .tempfile_in(&folder)
        .map_err(unwritable)?;

    let mut target = Connection::open_with_flags(
        unfinished.path(),
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(|error| failed(to, error))?;
    // What is cut off is thrown away, and what is complete is synced below.
    target
        .pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))
        .and_then(|()| target.pragma_update(None, "synchronous", "off"))
        .map_err(|error| failed(to, error))?;
    copy_pages(from, &source, to, &mut target)?;
    drop(target);

    look_through(from, to, unfinished.path())?;
    put_in_place(unfinished, to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(to),
        _ => unwritable(error),
    })?;
    // The name is as durable as the pages only now.
    File::open(&folder)
        .and_then(|folder| folder.sync_all())
        .map_err(unwritable)
}

/// The folder of a name that is not taken yet.
fn free_place(to: &Path) -> Result<PathBuf, BackupError> {
    let absolute = std::path::absolute(to).map_err(|error| unwritable(to, error))?;
    if fs::symlink_metadata(&absolute).is_ok() {
        return Err(exists(to));
    }
    match absolute.parent() {
        Some(folder) if folder.is_dir() => Ok(folder.to_owned()),
        folder => Err(BackupError::NoFolder {
            path: to.to_owned(),
            folder: folder.unwrap_or(&absolute).to_owned(),
        }),
    }
}

/// The beginning of the name that the copy has until it is complete.
fn hidden(to: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".");
    name
}

fn copy_pages(
    from: &Path,
    source: &Connection,
    to: &Path,
    target: &mut Connection,
) -> Result<(), BackupError> {
    let of_source = |error| BackupError::Source(open::rejection(from, error));
    // From here to the end it is one snapshot that is looked at and copied.
    let snapshot = source.unchecked_transaction().map_err(of_source)?;
    let identity = schema::identify(&snapshot).map_err(of_source)?;
    if identity == Identity::Empty {
        return Err(no_store(from));
    }
    open::accept(from, identity)?;
    let copied = Backup::new(&snapshot, target).and_then(|backup| backup.step(-1));
    match copied.map_err(|error| failed(to, error))? {
        StepResult::Done => Ok(()),
        stopped => Err(BackupError::Failed {
            path: to.to_owned(),
            source: Arc::new(Stopped(stopped)),
        }),
    }
}

/// Damage is copied like everything else; a backup with damage in it must be
/// known before it is needed.
fn look_through(from: &Path, to: &Path, copy: &Path) -> Result<(), BackupError> {
    let first_problem = open::immutably(copy)
        .and_then(|db| {
            db.query_row("PRAGMA integrity_check(1)", [], |row| {
                row.get::<_, String>(0)
            })
        })
        .map_err(|error| failed(to, error))?;
    match first_problem.as_str() {
        "ok" => Ok(()),
        _ => Err(BackupError::Inconsistent {
            path: from.to_owned(),
            problem: first_problem,
        }),
    }
}

fn put_in_place(copy: NamedTempFile, to: &Path) -> io::Result<()> {
    copy.as_file().sync_all()?;
    copy.persist_noclobber(to)?;
    Ok(())
}

fn no_store(path: &Path) -> BackupError {
    BackupError::NoStore {
        path: path.to_owned(),
    }
}

fn exists(path: &Path) -> BackupError {
    BackupError::Exists {
        path: path.to_owned(),
    }
}

fn unwritable(path: &Path, source: io::Error) -> BackupError {
    BackupError::NotWritable {
        path: path.to_owned(),
        source,
    }
}

fn failed(path: &Path, error: rusqlite::Error) -> BackupError {
    BackupError::Failed {
        path: path.to_owned(),
        source: Arc::new(error),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the copy stopped early: {0:?}")]
struct Stopped(StepResult);
