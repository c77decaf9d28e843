//! Implements HTTP/2 frame by frame, including invalid uses that client libraries do not allow (RFC
//! 9113).

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
};

pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const CONTINUATION: u8 = 9;

/// The flag that ends a stream, and the flag that acknowledges a frame.
pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// The names of settings.
pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;

const CANCEL: u32 = 8;

/// A connection.
pub struct Http2<S> {
    pub stream: S,
    next_stream: u32,
}

/// A frame that was received.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl<S: Read + Write> Http2<S> {
    /// Sends the preface and these settings.
    pub fn begin(mut stream: S, settings: &[(u16, u32)]) -> io::Result<Self> {
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        stream.write_all(&[preface, frame(SETTINGS, 0, 0, &payload)].concat())?;
        stream.flush()?;
        Ok(Self {
            stream,
            next_stream: 1,
        })
    }

    /// Sends a request that consists only of its head; returns the number of its stream.
    pub fn request(&mut self, fields: &[(&str, &str)]) -> io::Result<u32> {
        let stream = self.next_stream;
        self.next_stream += 2;
        let flags = END_STREAM | END_HEADERS;
        self.send(&frame(HEADERS, flags, stream, &head(fields)))?;
        Ok(stream)
    }

    /// Cancels a stream.
    pub fn cancel(&mut self, stream: u32) -> io::Result<()> {
        self.send(&frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes()))
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    pub fn receive(&mut self) -> io::Result<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.stream.read_exact(&mut payload)?;
        Ok(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
            payload,
        })
    }

    /// Receives frames until a wanted one arrives.
    pub fn receive_until(&mut self, is_wanted: impl Fn(&Frame) -> bool) -> io::Result<Frame> {
        loop {
            let frame = self.receive()?;
            if is_wanted(&frame) {
                return Ok(frame);
            }
        }
    }

    /// Waits for the settings of the server and acknowledges them.
    pub fn settings(&mut self) -> io::Result<BTreeMap<u16, u32>> {
        let settings = self.receive_until(|frame| frame.kind == SETTINGS && frame.flags == 0)?;
        self.send(&frame(SETTINGS, ACK, 0, &[]))?;
        let entry = |entry: &[u8]| match *entry {
            [a, b, c, d, e, f] => (u16::from_be_bytes([a, b]), u32::from_be_bytes([c, d, e, f])),
            _ => panic!("{entry:?} is not a setting"),
        };
        Ok(settings.payload.chunks(6).map(entry).collect())
    }
}

/// Returns the bytes of a frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a frame is small");
    let mut bytes = length.to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Returns a header block (RFC 7541): each field is a literal that is not added to the table.
pub fn head(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            length(&mut block, text.len());
            block.extend(text.bytes());
        }
    }
    block
}

/// Returns the header fields of a `GET` request.
pub fn get<'a>(target: &'a str, authorization: &'a str) -> [(&'a str, &'a str); 5] {
    [
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", "test"),
        (":path", target),
        ("authorization", authorization),
    ]
}

/// Whether a header block begins with `:status: 200`, which has its own index.
pub fn is_ok(headers: &Frame) -> bool {
    headers.payload.first() == Some(&0x88)
}

fn length(block: &mut Vec<u8>, length: usize) {
    const PREFIX: usize = 127;
    if length < PREFIX {
        return block.extend(u8::try_from(length));
    }
    block.push(127);
    let mut rest = length - PREFIX;
    while rest >= 128 {
        block.extend(u8::try_from(rest % 128 + 128));
        rest /= 128;
    }
    block.extend(u8::try_from(rest));
}
