//! Sends single requests on separate connections and measures how long they take. A failed request
//! is a result, not a failed test.

use crate::raw::Request;
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// A client gives up after this time.
const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a request.
#[derive(Debug)]
pub struct Probed {
    pub response: Result<Reply, io::Error>,
    pub took: Duration,
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Probed {
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().ok().map(|reply| reply.status)
    }
}

/// Sends a request and reads the response up to its `Content-Length`.
pub fn probe(address: SocketAddr, request: &Request) -> Probed {
    probe_by(|| connect(address), request)
}

/// The same on a stream that `open` opens.
pub fn probe_by<S: Read + Write>(
    open: impl FnOnce() -> io::Result<S>,
    request: &Request,
) -> Probed {
    let begun = Instant::now();
    let response = open().and_then(|stream| send(stream, &request.bytes()));
    Probed {
        response,
        took: begun.elapsed(),
    }
}

/// Connects with the time limit of a probe.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn send(mut stream: impl Read + Write, request: &[u8]) -> io::Result<Reply> {
    stream.write_all(request)?;
    stream.flush()?;
    let mut read = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let mut more = |read: &mut Vec<u8>| match stream.read(&mut buffer)? {
        0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        length => {
            read.extend_from_slice(&buffer[..length]);
            Ok(())
        }
    };
    let head = loop {
        match read.windows(4).position(|four| four == b"\r\n\r\n") {
            Some(end) => break end + 4,
            None => more(&mut read)?,
        }
    };
    let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, text.clone());
    let status = text.get(9..12).and_then(|status| status.parse().ok());
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|length| length.parse::<usize>().ok());
    let (status, length) = status.zip(length).ok_or_else(invalid)?;
    while read.len() < head + length {
        more(&mut read)?;
    }
    let body = read.split_off(head);
    Ok(Reply { status, body })
}
