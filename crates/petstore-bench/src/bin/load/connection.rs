//! One connection: sends a request and reads its response completely. It uses a plain socket and
//! hyper's parser, because the load shares the processors with the service. A complete client would
//! use more processor time than the baseline does, and would make every ratio look better than it
//! is.

use anyhow::{Context as _, bail, ensure};
use std::{net::SocketAddr, ops::Range};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Maximum number of headers; more than the service sends.
const HEADERS: usize = 32;

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response, which is valid until the next request.
pub(crate) struct Response<'connection> {
    pub(crate) status: u16,
    /// The value of `Link`, if there is one.
    pub(crate) link: Option<&'connection [u8]>,
    pub(crate) body: &'connection [u8],
}

struct Head {
    status: u16,
    link: Option<Range<usize>>,
    body: Range<usize>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await;
        let stream = stream.with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        })
    }

    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Response<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            self.receive().await?;
            if let Some(head) = head(&self.buffer)? {
                break head;
            }
        };
        while self.buffer.len() < head.body.end {
            self.receive().await?;
        }
        let complete = self.buffer.len() == head.body.end;
        ensure!(complete, "the server sent more than one response");
        Ok(Response {
            status: head.status,
            link: head.link.map(|range| &self.buffer[range]),
            body: &self.buffer[head.body],
        })
    }

    async fn receive(&mut self) -> anyhow::Result<()> {
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(
            read > 0,
            "the connection was closed before the end of the response"
        );
        Ok(())
    }
}

/// Parses the head of the response, if it is complete.
fn head(bytes: &[u8]) -> anyhow::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(end) = response.parse(bytes)? else {
        return Ok(None);
    };
    let (mut length, mut link) = (None, None);
    for header in response.headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(header.value)?;
            length = Some(text.parse::<usize>()?);
        } else if header.name.eq_ignore_ascii_case("link") {
            let begin = header.value.as_ptr() as usize - bytes.as_ptr() as usize;
            link = Some(begin..begin + header.value.len());
        }
    }
    let (Some(status), Some(length)) = (response.code, length) else {
        bail!("the response has no status or no `content-length`");
    };
    Ok(Some(Head {
        status,
        link,
        body: end..end + length,
    }))
}
