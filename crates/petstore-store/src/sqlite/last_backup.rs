//! Stores the time of the last backup of a store, in a file next to the store. If the time were in the store
//! itself, restoring a backup would change it.

use super::open;
use chrono::{DateTime, SecondsFormat, Utc};
use std::{
    fs::{self, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// The file that belongs to a store.
fn file(store: &Path) -> PathBuf {
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    open::beside(&store, "-last-backup")
}

/// Stores the time of a backup. The file is replaced, not changed, since the existing file may belong to
/// another user.
pub(crate) fn write(store: &Path, at: DateTime<Utc>) -> io::Result<()> {
    let file = file(store);
    let written = || {
        let folder = file.parent().unwrap_or_else(|| Path::new(""));
        let mut new = tempfile::Builder::new()
            .prefix(".")
            .suffix(".partial")
            .tempfile_in(folder)?;
        writeln!(new, "{}", at.to_rfc3339_opts(SecondsFormat::Secs, true))?;
        // Everybody may read the file, because the service may run as another user than the command.
        new.as_file()
            .set_permissions(Permissions::from_mode(0o644))?;
        new.persist(&file)?;
        Ok(())
    };
    written().map_err(|error: io::Error| {
        let message = format!("cannot write `{}`: {error}", file.display());
        io::Error::new(error.kind(), message)
    })
}

/// The time of the last backup, if there was one.
pub(super) fn read(store: &Path) -> Option<DateTime<Utc>> {
    let text = fs::read_to_string(file(store)).ok()?;
    text.trim_end().parse().ok()
}
