//! Reads the write-ahead log of a database without opening the database, to find out
//! whether the log has the pages that the database lacks.
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log> describes the format.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufReader, ErrorKind, Read},
    path::Path,
};

const HEADER_BYTES: usize = 32;
/// The header of each page.
const FRAME_HEADER_BYTES: usize = 24;
/// The last bit is 1 if the checksums use big-endian numbers.
const MAGIC: u32 = 0x377f_0682;
/// SQLite never writes the page that contains this byte.
const LOCK_BYTE: u64 = 1 << 30;

/// The transactions of a log.
pub(super) struct Log {
    page_bytes: u64,
    /// The length of the database after the last transaction.
    database_pages: u64,
    pages: HashSet<u64>,
}

impl Log {
    /// Returns `None` if the log does not exist or has no transaction.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => transactions(BufReader::new(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the log has all pages that a database file of this length lacks.
    pub(super) fn completes(&self, file_bytes: u64) -> bool {
        let lock_page = LOCK_BYTE / self.page_bytes + 1;
        let mut missing = file_bytes / self.page_bytes + 1..=self.database_pages;
        missing.all(|page| page == lock_page || self.pages.contains(&page))
    }
}

/// The log ends at the first frame that belongs to another log or is incomplete.
fn transactions(mut file: impl Read) -> io::Result<Option<Log>> {
    let Some(header) = next(&mut file, HEADER_BYTES)? else {
        return Ok(None);
    };
    let (magic, page_bytes) = (number(&header, 0), number(&header, 8));
    let is_size = page_bytes.is_power_of_two() && (512..=65536).contains(&page_bytes);
    if magic & !1 != MAGIC || !is_size {
        return Ok(None);
    }
    let add = |sum, bytes: &[u8]| checksum(sum, bytes, magic & 1 == 1);
    let mut sum = add((0, 0), &header[..24]);
    if sum != (number(&header, 24), number(&header, 28)) {
        return Ok(None);
    }
    let mut log = None;
    let mut uncommitted: Vec<u64> = Vec::new();
    while let Some(frame) = next(&mut file, FRAME_HEADER_BYTES + page_bytes as usize)? {
        sum = add(add(sum, &frame[..8]), &frame[FRAME_HEADER_BYTES..]);
        if frame[8..16] != header[16..24] || sum != (number(&frame, 16), number(&frame, 20)) {
            break;
        }
        uncommitted.push(number(&frame, 0).into());
        // This number is 0 except in the last frame of a transaction.
        let database_pages = number(&frame, 4).into();
        if database_pages != 0 {
            let log = log.get_or_insert_with(|| Log {
                page_bytes: page_bytes.into(),
                database_pages: 0,
                pages: HashSet::new(),
            });
            log.database_pages = database_pages;
            log.pages.extend(uncommitted.drain(..));
        }
    }
    Ok(log)
}

/// Returns the next `length` bytes, or `None` if there are fewer.
fn next(file: &mut impl Read, length: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; length];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn checksum((mut a, mut b): (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let number = |at| match number(bytes, at) {
        number if is_big_endian => number,
        number => number.swap_bytes(),
    };
    for at in (0..bytes.len()).step_by(8) {
        a = a.wrapping_add(number(at)).wrapping_add(b);
        b = b.wrapping_add(number(at + 4)).wrapping_add(a);
    }
    (a, b)
}
