//! The byte stream of a connection. Counts the bytes of incomplete requests. If a request opens a
//! websocket, the byte stream is used after HTTP has ended, and the connection still counts as open.

use super::MAX_HEAD_BYTES;
use crate::connections::{Command, Connection};
use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    sync::atomic::Ordering,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Sleep,
};

/// The connection preface of HTTP/2 (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The type of the frame that begins a head, the type of the frame that continues it, and the flag of the
/// last frame.
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
/// The memory that the fields of an incomplete HTTP/2 head can need: a field that takes one byte in the
/// frame can count as 33 bytes for the limit of a head, and need 72 bytes of memory.
const HALF_HEAD_BYTES: usize = 96 << 10;
/// How many bytes a connection reads and processes before other connections are scheduled.
const READ_AT_ONCE: usize = 32 << 10;
/// How long a connection waits before it checks again whether there is room for the data that it
/// receives.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Stream<I> {
    inner: I,
    connection: Connection,
    protocol: Protocol,
    /// The time until which the connection waits for room.
    pause: Option<Pin<Box<Sleep>>>,
}

/// The protocol of the connection, detected from its first bytes.
enum Protocol {
    /// This many bytes of the preface have arrived, and no other bytes.
    Unknown(usize),
    Http1,
    Http2(Frames),
}

/// Tracks the frames of HTTP/2.
#[derive(Default)]
struct Frames {
    head: [u8; 9],
    head_length: usize,
    /// How many bytes of the payload have not arrived yet.
    missing: usize,
    /// How many bytes of the current frame have arrived.
    arrived: usize,
    is_head_open: bool,
}

impl Frames {
    fn receive(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.head_length < self.head.len() {
                let count = bytes.len().min(self.head.len() - self.head_length);
                self.head[self.head_length..][..count].copy_from_slice(&bytes[..count]);
                self.head_length += count;
                self.arrived += count;
                bytes = &bytes[count..];
                let [a, b, c, kind, flags, ..] = self.head;
                if self.head_length == self.head.len() {
                    self.missing = u32::from_be_bytes([0, a, b, c]) as usize;
                    if [HEADERS, CONTINUATION].contains(&kind) {
                        self.is_head_open = flags & END_HEADERS == 0;
                    }
                }
            }
            let count = bytes.len().min(self.missing);
            self.missing -= count;
            self.arrived += count;
            bytes = &bytes[count..];
            if self.head_length == self.head.len() && self.missing == 0 {
                (self.head_length, self.arrived) = (0, 0);
            }
        }
    }

    /// How many bytes of an incomplete request the connection holds.
    fn held(&self) -> usize {
        self.arrived
            + if self.is_head_open {
                HALF_HEAD_BYTES
            } else {
                0
            }
    }
}

impl<I> Stream<I> {
    pub(super) fn new(inner: I, connection: Connection) -> Self {
        Stream {
            inner,
            connection,
            protocol: Protocol::Unknown(0),
            pause: None,
        }
    }

    /// Waits until there is room for the bytes that have arrived and for `more` further bytes.
    fn poll_room(&mut self, task: &mut Context<'_>, more: usize) -> Poll<()> {
        let held = match &self.protocol {
            Protocol::Unknown(_) => 0,
            Protocol::Http1 => self.connection.unparsed().load(Ordering::Relaxed),
            Protocol::Http2(frames) => frames.held(),
        };
        let needed = match (held, &self.protocol) {
            (0, _) => 0,
            (_, Protocol::Http2(_)) => held,
            // hyper never makes the HTTP/1.1 buffer larger.
            _ => (held + more).min(MAX_HEAD_BYTES),
        };
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(task));
                self.pause = None;
            }
            if self.connection.try_hold(needed) {
                return Poll::Ready(());
            }
            self.pause = Some(Box::pin(tokio::time::sleep(PAUSE)));
        }
    }

    fn receive(&mut self, mut bytes: &[u8]) {
        if let Protocol::Unknown(matched) = &mut self.protocol {
            let count = bytes.len().min(PREFACE.len() - *matched);
            if bytes[..count] != PREFACE[*matched..][..count] {
                self.protocol = Protocol::Http1;
            } else {
                *matched += count;
                if *matched < PREFACE.len() {
                    return;
                }
                bytes = &bytes[count..];
                self.protocol = Protocol::Http2(Frames::default());
            }
        }
        match &mut self.protocol {
            Protocol::Http2(frames) => frames.receive(bytes),
            _ => drop((self.connection.unparsed()).fetch_add(bytes.len(), Ordering::Relaxed)),
        }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Stream<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.connection.is_websocket() {
            // The listener no longer controls the connection. If it should end, the websocket reads its end here.
            if self.connection.command(task) != Command::GoOn {
                return Poll::Ready(Ok(()));
            }
            return Pin::new(&mut self.inner).poll_read(task, buffer);
        }
        if self.connection.read_in_turn().load(Ordering::Relaxed) >= READ_AT_ONCE {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.poll_room(task, buffer.remaining()));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(task, buffer))?;
        let bytes = &buffer.filled()[before..];
        let read = self.connection.read_in_turn();
        read.fetch_add(bytes.len(), Ordering::Relaxed);
        self.receive(bytes);
        match &self.protocol {
            // The part of the head that has arrived is decoded at once.
            Protocol::Http2(frames)
                if frames.is_head_open
                    && !self.connection.try_hold(frames.held())
                    && !self.connection.is_trusted() =>
            {
                Poll::Ready(Err(ErrorKind::OutOfMemory.into()))
            }
            _ => Poll::Ready(Ok(())),
        }
    }
}

/// Writes are passed to `inner` unchanged; only reads are counted.
macro_rules! write_to_inner {
    ($stream:ident) => {
        impl<I: AsyncWrite + Unpin> AsyncWrite for $stream<I> {
            fn poll_write(
                mut self: Pin<&mut Self>,
                task: &mut Context<'_>,
                bytes: &[u8],
            ) -> Poll<io::Result<usize>> {
                Pin::new(&mut self.inner).poll_write(task, bytes)
            }

            fn poll_flush(
                mut self: Pin<&mut Self>,
                task: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.inner).poll_flush(task)
            }

            fn poll_shutdown(
                mut self: Pin<&mut Self>,
                task: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                Pin::new(&mut self.inner).poll_shutdown(task)
            }

            fn poll_write_vectored(
                mut self: Pin<&mut Self>,
                task: &mut Context<'_>,
                parts: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                Pin::new(&mut self.inner).poll_write_vectored(task, parts)
            }

            fn is_write_vectored(&self) -> bool {
                self.inner.is_write_vectored()
            }
        }
    };
}

write_to_inner!(Stream);
write_to_inner!(HandshakeLimit);

/// Limits how many bytes a client may send until [`end`](HandshakeLimit::end) is called.
pub(super) struct HandshakeLimit<I> {
    inner: I,
    left: Option<usize>,
}

impl<I> HandshakeLimit<I> {
    pub(super) fn new(inner: I, bytes: usize) -> Self {
        let left = Some(bytes);
        HandshakeLimit { inner, left }
    }

    pub(super) fn end(&mut self) {
        self.left = None;
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for HandshakeLimit<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(task, buffer))?;
        if let Some(left) = &mut self.left {
            let rest = left.checked_sub(buffer.filled().len() - before);
            *left = rest.ok_or(ErrorKind::InvalidData)?;
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(length: u8, kind: u8, flags: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, 1];
        frame.resize(9 + usize::from(length), 0);
        frame
    }

    #[test]
    fn http2_frames_are_tracked_wherever_the_reads_split_them() {
        const SETTINGS: u8 = 4;
        let bytes = [
            frame(0, SETTINGS, 0),
            frame(40, HEADERS, END_HEADERS),
            frame(30, HEADERS, 0),
            frame(20, CONTINUATION, 0),
            frame(20, CONTINUATION, END_HEADERS),
            frame(50, SETTINGS, 0)[..30].to_vec(),
        ]
        .concat();
        for size in 1..bytes.len() {
            let mut frames = Frames::default();
            let mut open = Vec::new();
            for part in bytes.chunks(size) {
                frames.receive(part);
                open.push(frames.held() >= HALF_HEAD_BYTES);
            }
            assert_eq!(frames.held(), 30, "by {size}");
            if size < 20 {
                open.dedup();
                assert_eq!(open, [false, true, false], "by {size}");
            }
        }
    }
}
