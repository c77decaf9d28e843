//! Stores when the last backup of a store was made, in a file beside the store. In the store itself, the
//! time would change with each restored backup.

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

/// Stores the time of a backup. The file is replaced as a whole, since the last one may belong to another
/// user.
pub(crate) fn write(store: &Path, at: DateTime<Utc>) -> io::Result<()> {
    let file = file(store);
    let written = || {
        let folder = file.parent().unwrap_or_else(|| Path::new(""));
        let mut new = tempfile::Builder::new()
            .prefix(".")
            .suffix(".partial")
            .tempfile_in(folder)?;
        writeln!(new, "{}", at.to_rfc3339_opts(SecondsFormat::Secs, true))?;
        // The service reads it, which may have another user than the command.
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
