//! The scans of records: files that are never completely in memory.

use dropshot::{Body, HttpError, StreamingBody};
use futures::TryStreamExt as _;
use http::{HeaderMap, header};
use http_body_util::StreamBody;
use hyper::body::Frame;
use std::{
    io::{self, SeekFrom},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
};
use tokio_util::io::ReaderStream;

/// The folder with a file for each scan.
pub(crate) struct Scans(PathBuf);

/// Why a scan was not stored.
pub(crate) enum Failure {
    /// The body could not be read completely. Return this error: the server then sends the response.
    Body(HttpError),
    File(io::Error),
}

impl Scans {
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        Ok(Scans(folder))
    }

    fn file(&self, id: i64) -> PathBuf {
        self.0.join(id.to_string())
    }

    /// Stores a scan and replaces the previous scan. An incomplete upload changes nothing.
    pub(crate) async fn store(&self, id: i64, body: StreamingBody) -> Result<(), Failure> {
        let file = tempfile::NamedTempFile::new_in(&self.0).map_err(Failure::File)?;
        write(file.path(), body).await?;
        let stored = file.persist(self.file(id));
        stored.map(drop).map_err(|error| Failure::File(error.error))
    }

    /// Opens a scan.
    pub(crate) async fn scan(&self, id: i64) -> io::Result<Scan> {
        let file = File::open(self.file(id)).await?;
        let about = file.metadata().await?;
        let changed = about.modified()?.duration_since(UNIX_EPOCH);
        let changed = changed.unwrap_or_default().as_nanos();
        let size = about.len();
        let etag = format!("\"{size:x}-{changed:x}\"");
        Ok(Scan { file, size, etag })
    }
}

async fn write(path: &Path, body: StreamingBody) -> Result<(), Failure> {
    let mut file = File::create(path).await.map_err(Failure::File)?;
    let mut parts = std::pin::pin!(body.into_stream());
    while let Some(part) = parts.try_next().await.map_err(Failure::Body)? {
        file.write_all(&part).await.map_err(Failure::File)?;
    }
    file.sync_all().await.map_err(Failure::File)
}

/// Which part of a scan a client requests.
pub(crate) enum Wanted {
    All,
    Part(RangeInclusive<u64>),
    /// A part outside of the scan.
    Nothing,
}

/// An open scan.
pub(crate) struct Scan {
    file: File,
    pub(crate) size: u64,
    /// Identifies this version of the scan.
    pub(crate) etag: String,
}

impl Scan {
    /// Reads `Range` and `If-Range`. Ignores an invalid header and a request for several parts (RFC 9110, section 14.2).
    pub(crate) fn wanted(&self, headers: &HeaderMap) -> Wanted {
        let text = |name| headers.get(name)?.to_str().ok();
        let is_other = text(header::IF_RANGE).is_some_and(|version| version != self.etag);
        let ranges = text(header::RANGE).filter(|_| !is_other);
        let ranges = ranges.and_then(|range| http_range_header::parse_range_header(range).ok());
        match ranges.map(|ranges| ranges.validate(self.size)) {
            Some(Err(_)) => Wanted::Nothing,
            Some(Ok(ranges)) => match ranges.as_slice() {
                [part] => Wanted::Part(part.clone()),
                _ => Wanted::All,
            },
            None => Wanted::All,
        }
    }

    /// A body with `length` bytes from `first` on. They are read from the file as the client receives them.
    pub(crate) async fn read(mut self, first: u64, length: u64) -> io::Result<Body> {
        self.file.seek(SeekFrom::Start(first)).await?;
        let bytes = ReaderStream::with_capacity(self.file.take(length), 64 << 10);
        Ok(Body::wrap(StreamBody::new(bytes.map_ok(Frame::data))))
    }
}
