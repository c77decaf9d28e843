//! Checks whether the files of an open store still exist under their names.
//! Writes to a file that was removed or replaced succeed, but the next start
//! would not find them.

use super::open;
use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// The files of the database and its log that existed when the store was opened.
#[derive(Clone, Debug)]
pub(super) struct Files(Vec<(PathBuf, FileId)>);

/// The identity of a file: its device and its inode.
type FileId = (u64, u64);

/// A name refers to another file than before, or to no file.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{}` was removed or replaced while the store was open; put the file back, or restart the service to open the current file", path.display()
)]
pub(super) struct Moved {
    path: PathBuf,
    source: Option<io::Error>,
}

impl Files {
    /// Records the files of a database. Both files exist while a connection that has read is open.
    pub(super) fn of(database: &Path) -> io::Result<Self> {
        let log = open::beside(&database.canonicalize()?, "-wal");
        let known = |path: PathBuf| file_id(&path).map(|id| (path, id));
        Ok(Self(vec![known(database.to_owned())?, known(log)?]))
    }

    /// The name of the database.
    pub(super) fn database(&self) -> Option<&Path> {
        self.0.first().map(|(path, _)| path.as_path())
    }

    /// Checks that the names still belong to the same files. This takes some microseconds.
    pub(super) fn check(&self) -> Result<(), Moved> {
        for (path, opened) in &self.0 {
            let source = match file_id(path) {
                Ok(found) if found == *opened => continue,
                Ok(_) => None,
                Err(error) => Some(error),
            };
            let path = path.clone();
            return Err(Moved { path, source });
        }
        Ok(())
    }
}

fn file_id(path: &Path) -> io::Result<FileId> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}
