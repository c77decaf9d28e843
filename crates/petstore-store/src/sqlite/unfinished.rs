//! Unfinished copies. Until it is complete, a copy has a hidden name and a lock of the operating system (`flock`), which
//! ends with the process. If a copy has no lock, its process was killed, so the copy is removed.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::Path,
};
use tempfile::NamedTempFile;

const SUFFIX: &str = ".partial";
/// The characters before the suffix that make the name unique.
const RANDOM: usize = 6;

/// Creates the file of a copy whose final name is `to`. Removes unused copies first.
pub(super) fn create(folder: &Path, to: &Path) -> io::Result<NamedTempFile> {
    remove_unused(folder);
    let mut start = OsString::from(".");
    start.push(to.file_name().unwrap_or_default());
    start.push(".");
    loop {
        let unfinished = tempfile::Builder::new()
            .prefix(&start)
            .suffix(SUFFIX)
            .rand_bytes(RANDOM)
            .tempfile_in(folder)?;
        // On a file system without these locks, copies are never removed.
        let _locked = unfinished.as_file().lock();
        // Another process may have removed the file before it was locked.
        let named = fs::metadata(unfinished.path()).map(|named| named.ino());
        if named.is_ok_and(|named| {
            unfinished
                .as_file()
                .metadata()
                .is_ok_and(|own| own.ino() == named)
        }) {
            return Ok(unfinished);
        }
    }
}

/// Removes the copies that killed processes have left in a folder.
pub(super) fn remove_unused(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_name(&entry.file_name())) {
        let path = entry.path();
        let Ok(_locked) = lock_unused(&path) else {
            continue;
        };
        match fs::remove_file(&path) {
            Ok(()) => tracing::info!(
                file = %path.display(),
                "removed an unfinished copy that an interrupted backup or restore left behind"
            ),
            Err(error) => tracing::warn!(
                file = %path.display(),
                %error,
                "an unfinished copy cannot be removed"
            ),
        }
    }
}

fn is_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let stem = name.strip_suffix(SUFFIX.as_bytes()).unwrap_or_default();
    let Some((start, random)) = stem.split_last_chunk::<RANDOM>() else {
        return false;
    };
    start.len() > 2
        && start.starts_with(b".")
        && start.ends_with(b".")
        && random.iter().all(u8::is_ascii_alphanumeric)
}

/// Locks a copy if no process uses it.
fn lock_unused(path: &Path) -> io::Result<File> {
    let other = || io::Error::from(io::ErrorKind::InvalidInput);
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(other());
    }
    let mut file = File::open(path)?;
    file.try_lock()?;
    // An empty header is accepted, because the first page may be written last.
    let mut header = [0; 100];
    let is_copy = match file.read(&mut header)? {
        0 => true,
        _ => {
            header == [0; 100]
                || header.starts_with(b"SQLite format 3\0") && header[68..72] == *b"pets"
        }
    };
    if is_copy { Ok(file) } else { Err(other()) }
}
