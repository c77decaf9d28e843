//! Splits the bytes of a stream into pieces (lines, or items of a JSON text sequence), however the bytes are divided into
//! chunks.

use bytes::{Buf as _, Bytes, BytesMut};

/// The delimiter that ends a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Framing {
    /// LF, as in JSON lines.
    Lines,
    /// CR, LF or CRLF, as in an event stream.
    EventLines { is_after_cr: bool },
    /// The record separator, or an LF after a complete JSON text (RFC 7464). Therefore an item is complete before the next one
    /// arrives.
    Sequence(JsonText),
}

/// The state of reading a JSON text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonText {
    depth: usize,
    is_begun: bool,
    in_string: bool,
    is_escaped: bool,
}

/// The record separator of RFC 7464. JSON texts never contain it.
const RS: u8 = 0x1e;

/// A piece without its delimiter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Whole(Bytes),
    /// The next item, or the end of the stream, came before the end of this item.
    Unfinished(Bytes),
    /// The piece has more bytes than are allowed; its bytes were not kept.
    TooLarge,
}

impl Piece {
    /// Whether the piece has only white space.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Piece::Whole(text) | Piece::Unfinished(text) => text.trim_ascii().is_empty(),
            Piece::TooLarge => false,
        }
    }
}

/// Splits a stream. Keeps at most the limit of bytes, in addition to the chunk that was pushed last.
#[derive(Debug)]
pub(super) struct Pieces {
    framing: Framing,
    limit: usize,
    /// The bytes from the beginning of the next piece.
    buffer: BytesMut,
    /// How many of these bytes do not end the piece.
    searched: usize,
    is_too_large: bool,
}

impl Pieces {
    pub(super) fn new(framing: Framing, limit: usize) -> Self {
        Pieces {
            framing,
            limit,
            buffer: BytesMut::new(),
            searched: 0,
            is_too_large: false,
        }
    }

    /// Continues with the next chunk after all pieces of the last chunk were read.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.buffer.len()
    }

    /// Returns the next complete piece.
    pub(super) fn next(&mut self) -> Option<Piece> {
        if let Framing::EventLines { is_after_cr } = &mut self.framing
            && !self.buffer.is_empty()
            && std::mem::take(is_after_cr)
            && self.buffer[0] == b'\n'
        {
            self.buffer.advance(1);
        }
        let Some(end) = self.framing.end_in(&self.buffer[self.searched..]) else {
            self.is_too_large |= self.buffer.len() > self.limit;
            if self.is_too_large {
                self.buffer.clear();
            }
            self.searched = self.buffer.len();
            return None;
        };
        let bytes = self
            .buffer
            .split_to(std::mem::take(&mut self.searched) + end);
        let is_separator = self.buffer[0] == RS && matches!(self.framing, Framing::Sequence(_));
        self.buffer.advance(1);
        Some(match self.piece(bytes) {
            Piece::Whole(bytes) if is_separator => Piece::Unfinished(bytes),
            piece => piece,
        })
    }

    /// At the end of the stream, returns the piece whose end has not arrived.
    pub(super) fn finish(&mut self) -> Option<Piece> {
        self.searched = 0;
        let rest = self.buffer.split();
        match self.piece(rest) {
            Piece::Whole(bytes) if bytes.is_empty() => None,
            Piece::Whole(bytes) => Some(Piece::Unfinished(bytes)),
            piece => Some(piece),
        }
    }

    /// Returns the piece with these bytes, unless it has more.
    fn piece(&mut self, bytes: BytesMut) -> Piece {
        match std::mem::take(&mut self.is_too_large) || bytes.len() > self.limit {
            true => Piece::TooLarge,
            false => Piece::Whole(bytes.freeze()),
        }
    }
}

impl Framing {
    /// Returns the position of the byte that ends the piece, if it is in this chunk.
    fn end_in(&mut self, chunk: &[u8]) -> Option<usize> {
        match self {
            Framing::Lines => chunk.iter().position(|byte| *byte == b'\n'),
            Framing::EventLines { is_after_cr } => {
                let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
                let end = chunk.iter().position(is_end)?;
                *is_after_cr = chunk[end] == b'\r';
                Some(end)
            }
            Framing::Sequence(text) => {
                let end = chunk.iter().position(|byte| text.ends_with(*byte))?;
                *text = JsonText::default();
                Some(end)
            }
        }
    }
}

impl JsonText {
    /// Reads the next byte. Returns whether it comes after the JSON text.
    fn ends_with(&mut self, byte: u8) -> bool {
        match byte {
            RS => return true,
            _ if self.in_string => match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            },
            b'\n' => return self.is_begun && self.depth == 0,
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.is_begun |= !byte.is_ascii_whitespace();
        false
    }
}
