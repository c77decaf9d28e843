//! Splits the imported file into records: finds the bytes of each and the line on which it begins, and computes
//! a digest that identifies the file. Only one record is in memory at a time.

use crate::{cli::Format, exit::WrongUsage};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

/// The longest record, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

/// The byte order mark, with which some programs start a UTF-8 file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The identity of a file: its length and its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fingerprint {
    /// Bytes.
    pub(super) length: u64,
    /// The digest of all bytes, in hexadecimal digits.
    pub(super) sha256: String,
    /// The number of the last line, counted from 1.
    pub(super) lines: u64,
}

/// What the first reading of the file found.
pub(super) struct Scan {
    pub(super) fingerprint: Fingerprint,
    /// The number of pets. Empty lines and the header of a CSV file are not counted.
    pub(super) records: u64,
}

/// Returns the given format, or the format that the name of the file implies.
pub(super) fn format_of(path: &Path, format: Option<Format>) -> Result<Format> {
    let format = format.or_else(|| by_name(path)).ok_or_else(|| {
        WrongUsage(format!(
            "`{}` does not end with .ndjson, .jsonl or .csv: pass `--format ndjson` or `--format csv`",
            path.display()
        ))
    })?;
    Ok(format)
}

/// Reads the whole file once, to count its records and to compute its fingerprint.
pub(super) fn scan(path: &Path, format: Format) -> Result<Scan> {
    let mut records = Records::open(path, format)?;
    let mut count: u64 = 0;
    while records.next()?.is_some() {
        count += 1;
    }
    Ok(Scan {
        fingerprint: records.fingerprint(),
        records: count.saturating_sub(u64::from(format == Format::Csv)),
    })
}

fn by_name(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "ndjson" | "jsonl" => Some(Format::Ndjson),
        "csv" => Some(Format::Csv),
        _ => None,
    }
}

/// A record that is not empty.
pub(super) struct Record {
    /// The line on which the record begins, counted from 1.
    pub(super) line: u64,
    /// The bytes of the record without the end of the line; at most the first [`LONGEST`] of them.
    pub(super) text: Vec<u8>,
    /// Whether the record is longer than that.
    pub(super) is_cut: bool,
}

/// The state of the CSV parser at a byte. Within quotes, a newline does not end the record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldBegins,
    Bare,
    Quoted,
    /// After a quote within quotes: either the field has ended, or this is the first half of an escaped quote.
    AfterQuote,
}

impl Place {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Place::Quoted, b'"') => Place::AfterQuote,
            (Place::Quoted, _) | (Place::FieldBegins | Place::AfterQuote, b'"') => Place::Quoted,
            (_, b',') => Place::FieldBegins,
            _ => Place::Bare,
        }
    }
}

/// Reads the records of a file one after the other.
pub(super) struct Records {
    path: PathBuf,
    quotes: bool,
    reader: BufReader<File>,
    hash: Sha256,
    length: u64,
    /// The line that contains the next byte.
    line: u64,
    /// The previous byte.
    last: Option<u8>,
    is_done: bool,
}

impl Records {
    /// Returns the records of a file, from the first one on.
    pub(super) fn open(path: &Path, format: Format) -> Result<Self> {
        let unreadable = |error: io::Error| {
            anyhow::Error::from(WrongUsage(error.to_string())).context(cannot_read(path))
        };
        // Opening a pipe would block until another process writes to it.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(WrongUsage(format!(
                "`{}` is not a regular file: an import reads the file twice, and again when it continues; write the pets to a file first",
                path.display()
            ))
            .into());
        }
        let file = File::open(path).map_err(unreadable)?;
        Ok(Records {
            path: path.to_owned(),
            quotes: format == Format::Csv,
            reader: BufReader::new(file),
            hash: Sha256::new(),
            length: 0,
            line: 1,
            last: None,
            is_done: false,
        })
    }

    /// Returns the next record. A quote that is not closed is an error, because it is unknown where the next
    /// record begins.
    pub(super) fn next(&mut self) -> Result<Option<Record>> {
        loop {
            if self.is_done {
                return Ok(None);
            }
            let record = self.read()?;
            if record.is_cut || !record.text.trim_ascii().is_empty() {
                return Ok(Some(record));
            }
        }
    }

    /// Returns the identity of the file, after it was read to its end.
    pub(super) fn fingerprint(self) -> Fingerprint {
        let digest = self.hash.finalize();
        Fingerprint {
            length: self.length,
            sha256: hexadecimal(&digest),
            lines: self.line - u64::from(self.last == Some(b'\n')),
        }
    }

    fn read(&mut self) -> Result<Record> {
        let mut record = Record {
            line: self.line,
            text: Vec::new(),
            is_cut: false,
        };
        let mut place = Place::FieldBegins;
        let mut part = Vec::new();
        loop {
            part.clear();
            let mut limited = (&mut self.reader).take(LONGEST as u64);
            limited
                .read_until(b'\n', &mut part)
                .with_context(|| cannot_read(&self.path))?;
            let bytes = match self.length {
                0 => part.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&part),
                _ => &part,
            };
            let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            if self.quotes {
                place = line.iter().fold(place, |place, byte| place.after(*byte));
            }
            let ends_line = line.len() < bytes.len();
            let is_whole = ends_line && place != Place::Quoted;
            let text = if is_whole { line } else { bytes };
            let room = LONGEST - record.text.len();
            record.text.extend(text.iter().take(room));
            record.is_cut |= text.len() > room;

            self.hash.update(&part);
            self.length += u64::try_from(part.len())?;
            self.line += u64::from(ends_line);
            self.last = part.last().copied().or(self.last);
            self.is_done = part.is_empty();
            if place == Place::Quoted && (self.is_done || record.is_cut) {
                return Err(self.not_closed(record.line));
            }
            if self.is_done || is_whole {
                return Ok(record.without_line_end());
            }
        }
    }

    fn not_closed(&self, line: u64) -> anyhow::Error {
        WrongUsage(format!(
            "`{}`: the record on line {line} has a quote that is not closed within {} KiB, so nothing was sent: \
             close it, or double it where it belongs to the text",
            self.path.display(),
            LONGEST / 1024,
        ))
        .into()
    }
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read `{}`", path.display())
}

impl Record {
    fn without_line_end(mut self) -> Self {
        if self.text.last() == Some(&b'\r') {
            self.text.pop();
        }
        self
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
