//! Copies a store that may be in use. All pages are copied under one snapshot,
//! so that the copy has the state of one moment even if this or another process
//! writes meanwhile; a copy in several steps would start again after each write
//! of another process. The writer never waits for the copy, but its log cannot
//! shrink until the copy is finished.
//!
//! The copy has another name until it is complete, looked through, and on the
//! disk: what has the final name is whole.

use super::{
    open,
    schema::{self, Identity},
};
use crate::BackupProblem;
use rusqlite::{
    Connection, Error, OpenFlags,
    backup::{Backup, StepResult},
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Copies the store in `from` to the new file `to`.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), BackupProblem> {
    let source = open::existing(from)?.ok_or(BackupProblem::NoStore)?;
    let folder = free_place(to)?;
    let unfinished = tempfile::Builder::new()
        .prefix(&hidden(to))
        .suffix(".partial")
        .tempfile_in(&folder)?;

    copy_pages(&source, unfinished.path())?;
    look_through(unfinished.path())?;
    unfinished.as_file().sync_all()?;
    unfinished
        .persist_noclobber(to)
        .map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BackupProblem::Exists,
            _ => error.error.into(),
        })?;
    // The name is as durable as the pages only now.
    Ok(File::open(&folder)?.sync_all()?)
}

/// The folder of a name that is not taken yet.
fn free_place(to: &Path) -> Result<PathBuf, BackupProblem> {
    let absolute = std::path::absolute(to)?;
    if fs::symlink_metadata(&absolute).is_ok() {
        return Err(BackupProblem::Exists);
    }
    match absolute.parent() {
        Some(folder) if folder.is_dir() => Ok(folder.to_owned()),
        folder => Err(BackupProblem::NoFolder(
            folder.unwrap_or(&absolute).to_owned(),
        )),
    }
}

/// The beginning of the name that the copy has until it is complete.
fn hidden(to: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".");
    name
}

fn copy_pages(source: &Connection, to: &Path) -> Result<(), BackupProblem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(to, flags).map_err(failed)?;
    // An incomplete copy is deleted, and a complete one is synced at the end.
    target
        .pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))
        .and_then(|()| target.pragma_update(None, "synchronous", "off"))
        .map_err(failed)?;
    // From here to the end it is one snapshot that is looked at and copied.
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

/// Damage is copied like everything else; a backup with damage in it must be
/// known before it is needed.
fn look_through(copy: &Path) -> Result<(), BackupProblem> {
    let check = "PRAGMA integrity_check(1)";
    let first_problem: String = open::immutably(copy)
        .and_then(|db| db.query_row(check, [], |row| row.get(0)))
        .map_err(failed)?;
    match first_problem.as_str() {
        "ok" => Ok(()),
        _ => Err(BackupProblem::Inconsistent(first_problem)),
    }
}

/// Wraps an error that occurred while the copy was written or read.
fn failed(error: Error) -> BackupProblem {
    BackupProblem::Failed(Arc::new(error))
}

#[derive(Debug, thiserror::Error)]
#[error("the copy stopped early: {0:?}")]
struct Stopped(StepResult);
