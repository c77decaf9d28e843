//! The checksum of a backup: one line of text after the last page, where SQLite reads nothing. It is part of the file, so
//! a copy of the file has it, too. SQLite removes it when it writes to the file.

use crate::BackupProblem;
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    sync::Arc,
};

/// The beginning of the line, including the line break before it.
const LABEL: &str = "\npetstore-server backup, change ";
/// The length of the whole line.
const LINE: u64 = 115;

/// The offsets of the two change counters in the header of a database. The second counter says for which change the number of
/// pages is valid.
const COUNTERS: [usize; 2] = [24, 92];

/// Adds the checksum to a backup.
pub(super) fn append(backup: &mut File) -> io::Result<()> {
    let length = backup.metadata()?.len();
    let line = line(&header(backup)?, &digest(backup, length)?);
    backup.write_all(line.as_bytes())
}

/// Checks the checksum of a backup. Returns whether it has one: backups of earlier versions have none, and neither does a
/// store.
pub(super) fn check(backup: &Path) -> Result<bool, BackupProblem> {
    let checked = File::open(backup).and_then(|mut backup| read_checksum(&mut backup));
    checked
        .map_err(|error| BackupProblem::Failed(Arc::new(error)))?
        .ok_or(BackupProblem::Changed)
}

/// Returns `Some(true)` if the checksum is right, `Some(false)` if the file has none or was used as a store since the backup,
/// and `None` if the file is damaged.
fn read_checksum(backup: &mut File) -> io::Result<Option<bool>> {
    let length = backup.metadata()?.len();
    let Some(pages) = length.checked_sub(LINE) else {
        return Ok(Some(false));
    };
    let header = header(backup)?;
    let mut found = Vec::new();
    backup.seek(SeekFrom::Start(pages))?;
    backup.read_to_end(&mut found)?;
    let found = String::from_utf8_lossy(&found);
    if !found.starts_with(LABEL) {
        // Bytes after the last page of a database can only be a checksum, so this checksum is damaged.
        let is_database = header.starts_with(b"SQLite format 3\0");
        let page_size = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 0x1_0000,
            size => u64::from(size.max(1)),
        };
        return Ok((!is_database || length % page_size == 0).then_some(false));
    }
    let digest = digest(backup, pages)?;
    let expected = line(&header, &digest);
    if found == expected {
        return Ok(Some(true));
    }
    // Checks whether SQLite has changed the file, because it was used as a store. A single flipped bit cannot change both
    // counters in the same way, and it cannot change both the counter and the digest of the line.
    let [counter, same] = counters(&header);
    let has_counter = found.starts_with(&expected[..LABEL.len() + 8]);
    let is_store = counter == same && !has_counter && !found.contains(&digest);
    Ok(is_store.then_some(false))
}

fn line(header: &[u8; 100], digest: &str) -> String {
    let [counter, _] = counters(header);
    format!("{LABEL}{counter:08x}, SHA-256 {digest}\n")
}

fn counters(header: &[u8; 100]) -> [u32; 2] {
    COUNTERS.map(|at| {
        let bytes = header[at..].first_chunk().copied();
        u32::from_be_bytes(bytes.unwrap_or_default())
    })
}

fn header(database: &mut File) -> io::Result<[u8; 100]> {
    let mut header = [0; 100];
    database.rewind()?;
    database.read_exact(&mut header)?;
    Ok(header)
}

/// The digest of the first `length` bytes, in hexadecimal digits.
fn digest(file: &mut File, length: u64) -> io::Result<String> {
    file.rewind()?;
    // The buffer is large, because a backup can have gigabytes.
    let mut bytes = BufReader::with_capacity(1 << 20, file.take(length));
    let (mut hash, mut left) = (Sha256::new(), length);
    while left > 0 {
        let read = bytes.fill_buf()?.len();
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        hash.update(bytes.buffer());
        bytes.consume(read);
        left -= read as u64;
    }
    let digest = hash.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests;
