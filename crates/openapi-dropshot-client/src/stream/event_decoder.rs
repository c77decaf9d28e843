//! Decodes an event stream according to the HTML standard ("Parsing an event stream", section 9.2.5).

use super::pieces::{Framing, Piece, Pieces};
use std::time::Duration;

/// The longest field name, with the colon and the space after it. A line can have this many bytes in addition
/// to its value.
const NAME: usize = "event: ".len();

/// An event as it was received.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RawEvent {
    Event {
        name: String,
        data: String,
    },
    /// The event has more bytes than are allowed.
    TooLarge,
}

/// Decodes an event stream. If the last event of a connection is incomplete, it is dropped.
#[derive(Debug)]
pub(super) struct EventDecoder {
    lines: Pieces,
    /// How many bytes an event may have.
    pub(super) limit: usize,
    is_first_line: bool,
    name: String,
    /// The lines of data, each followed by an LF.
    data: String,
    is_too_large: bool,
    /// The id of the event that is being read.
    id: String,
    /// The id of the last event that was returned, or of a later event without data; empty if there is none.
    pub(super) last_event_id: String,
    /// How long the service asks to wait before a new connection.
    pub(super) retry: Option<Duration>,
}

impl EventDecoder {
    /// Creates a decoder. `last_event_id` is the last id of an earlier stream, or an empty text.
    pub(super) fn new(limit: usize, last_event_id: String) -> Self {
        let framing = Framing::EventLines { is_after_cr: false };
        EventDecoder {
            lines: Pieces::new(framing, limit.saturating_add(NAME)),
            limit,
            is_first_line: true,
            name: String::new(),
            data: String::new(),
            is_too_large: false,
            id: last_event_id.clone(),
            last_event_id,
            retry: None,
        }
    }

    /// Starts with a new connection, which continues after the last id.
    pub(super) fn reconnect(&mut self) {
        let (id, retry) = (std::mem::take(&mut self.last_event_id), self.retry);
        *self = EventDecoder::new(self.limit, id);
        self.retry = retry;
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.lines.push(chunk);
    }

    /// Returns the next complete event.
    pub(super) fn next(&mut self) -> Option<RawEvent> {
        while let Some(line) = self.lines.next() {
            let is_first = std::mem::take(&mut self.is_first_line);
            match line {
                Piece::TooLarge => self.is_too_large = true,
                Piece::Whole(line) | Piece::Unfinished(line) => {
                    let line = match is_first {
                        true => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line),
                        false => &line,
                    };
                    if !line.is_empty() {
                        self.field(line);
                    } else if let Some(event) = self.dispatch() {
                        return Some(event);
                    }
                }
            }
        }
        None
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = match colon {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" if self.data.len() + value.len() > self.limit => self.is_too_large = true,
            b"data" if !self.is_too_large => {
                self.data.push_str(&value);
                self.data.push('\n');
            }
            b"event" => self.name = value.into_owned(),
            b"id" if !value.contains('\0') => self.id = value.into_owned(),
            b"retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = Some(Duration::from_millis(value.parse().unwrap_or(u64::MAX)));
            }
            // This is a comment or an unknown field.
            _ => {}
        }
    }

    /// Completes the event that is being read.
    fn dispatch(&mut self) -> Option<RawEvent> {
        self.last_event_id.clone_from(&self.id);
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.is_too_large) {
            return Some(RawEvent::TooLarge);
        }
        // Removes the last LF. If there is none, the event has no data.
        data.pop()?;
        let name = match name.is_empty() {
            true => "message".to_owned(),
            false => name,
        };
        Some(RawEvent::Event { name, data })
    }
}
