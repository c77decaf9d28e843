//! A minimal HTTP client that can send thousands of requests.

use std::{io, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The parts of a response that these tests check.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) retry_after: bool,
}

/// A connection that can be used again.
pub(crate) struct Connection(TcpStream);

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection(stream))
    }

    pub(crate) async fn ask(&mut self, request: &[u8]) -> io::Result<RawResponse> {
        self.0.write_all(request).await?;
        let mut read = Vec::with_capacity(1024);
        let head = loop {
            if self.0.read_buf(&mut read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let length = header("content-length: ").and_then(|length| length.parse().ok());
        let response = RawResponse {
            status: text
                .get(9..12)
                .and_then(|status| status.parse().ok())
                .ok_or(io::ErrorKind::InvalidData)?,
            retry_after: header("retry-after: ").is_some(),
        };
        let length: usize = length.ok_or(io::ErrorKind::InvalidData)?;
        let mut rest = vec![0; (head + length).saturating_sub(read.len())];
        self.0.read_exact(&mut rest).await?;
        Ok(response)
    }
}

/// Returns a request for a list of pets, with this key.
pub(crate) fn list(key: &str) -> Vec<u8> {
    format!("GET /v1/pets HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\r\n").into()
}
