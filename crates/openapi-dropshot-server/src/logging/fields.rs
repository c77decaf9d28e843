//! Formats the fields of an event or a span as text or JSON, and limits their length.

use crate::config::LogFormat;
use std::{
    borrow::Cow,
    fmt::{self, Debug, Write as _},
};
use tracing::field::{Field, Visit};

/// The longest value of a field, in bytes. Clients choose some of the values, such as the method.
pub(super) const FIELD: usize = 1024;
/// The longest message, in bytes. It is long because a message may list the causes of an error.
pub(super) const MESSAGE: usize = 4096;
/// The longest line, in bytes, without the number of omitted fields. An escaped value is longer than the
/// value itself.
pub(super) const LINE: usize = 8192;

/// Writes fields one after the other, as long as they fit into the line.
pub(super) struct Fields<'a> {
    format: LogFormat,
    line: &'a mut String,
    /// The number of fields that did not fit.
    pub(super) left_out: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn of(format: LogFormat, line: &'a mut String) -> Self {
        Fields {
            format,
            line,
            left_out: 0,
        }
    }

    /// Adds the fields of a span, if all of them fit.
    pub(super) fn of_span(&mut self, fields: &str, left_out: usize) {
        self.left_out += left_out;
        if self.line.len() + fields.len() > LINE {
            self.left_out += 1;
        } else {
            self.line.push_str(fields);
        }
    }

    pub(super) fn end(self) {
        let left_out = self.left_out;
        let _ = match self.format {
            LogFormat::Text if left_out == 0 => self.line.write_char('\n'),
            LogFormat::Json if left_out == 0 => self.line.write_str("}\n"),
            LogFormat::Text => writeln!(self.line, " fields_left_out={left_out}"),
            LogFormat::Json => writeln!(self.line, ",\"fields_left_out\":{left_out}}}"),
        };
    }

    /// Removes the field that begins at this byte if it does not fit into the line.
    fn keep_if_fits(&mut self, begin: usize) {
        if self.line.len() > LINE {
            self.line.truncate(begin);
            self.left_out += 1;
        }
    }

    /// The text before a value. In the text format, the message has no name.
    fn name(&mut self, field: &Field) {
        match self.format {
            LogFormat::Text if is_message(field) => self.line.push(' '),
            LogFormat::Text => {
                self.line.push(' ');
                self.line.push_str(field.name());
                self.line.push('=');
            }
            LogFormat::Json => {
                self.line.push_str(",\"");
                self.line.push_str(field.name());
                self.line.push_str("\":");
            }
        }
    }

    /// Writes a value that looks the same in both formats.
    fn plain(&mut self, field: &Field, value: impl fmt::Display) {
        self.name(field);
        let _ = write!(self.line, "{value}");
    }

    /// Writes a text with escapes, so that it cannot end the line or, in JSON, the string. In the text
    /// format it is a quoted Rust string if `is_quoted` is true. `more` is the number of bytes that were
    /// cut off.
    fn escaped(&mut self, field: &Field, text: &str, more: usize, is_quoted: bool) {
        let begin = self.line.len();
        self.name(field);
        let text = match more {
            0 => Cow::Borrowed(text),
            _ => format!("{text}...[{more} more bytes]").into(),
        };
        let is_json = self.format == LogFormat::Json;
        if is_quoted && !is_json {
            let _ = write!(self.line, "{text:?}");
            return self.keep_if_fits(begin);
        }
        let quote = if is_json { "\"" } else { "" };
        self.line.push_str(quote);
        for character in text.chars() {
            match character {
                '"' | '\\' if is_json => self.line.extend(['\\', character]),
                control if control.is_control() && is_json => {
                    let _ = write!(self.line, "\\u{:04x}", u32::from(control));
                }
                control if control.is_control() => self.line.extend(control.escape_default()),
                plain => self.line.push(plain),
            }
        }
        self.line.push_str(quote);
        self.keep_if_fits(begin);
    }
}

impl Visit for Fields<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        self.line.push_str(itoa::Buffer::new().format(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, value);
        } else {
            self.record_debug(field, &value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let quoted = self.format == LogFormat::Json || !is_message(field);
        let (value, more) = cut(value, longest(field));
        if more == 0 && is_ordinary(value) {
            // This path handles nearly every text and is many times faster.
            let begin = self.line.len();
            self.name(field);
            let quote = if quoted { "\"" } else { "" };
            self.line.extend([quote, value, quote]);
            self.keep_if_fits(begin);
        } else {
            self.escaped(field, value, more, quoted);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut beginning = Beginning {
            text: String::new(),
            room: longest(field),
            more: 0,
        };
        let _ = write!(beginning, "{value:?}");
        self.escaped(field, &beginning.text, beginning.more, false);
    }
}

/// The longest value of a field.
fn longest(field: &Field) -> usize {
    if is_message(field) { MESSAGE } else { FIELD }
}

/// Returns the beginning of a text, with at most that many bytes, and the number of the remaining bytes.
pub(crate) fn cut(text: &str, most: usize) -> (&str, usize) {
    let end = (0..=most.min(text.len())).rfind(|at| text.is_char_boundary(*at));
    let kept = &text[..end.unwrap_or(0)];
    (kept, text.len() - kept.len())
}

/// Keeps the beginning of what is written to it, and counts the remaining bytes.
struct Beginning {
    text: String,
    room: usize,
    more: usize,
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Nothing may be added after text was cut off.
        let room = if self.more == 0 { self.room } else { 0 };
        let (kept, more) = cut(text, room);
        self.text.push_str(kept);
        self.room -= kept.len();
        self.more += more;
        Ok(())
    }
}

/// The message of an event, if it has a message besides its fields.
fn is_message(field: &Field) -> bool {
    field.name() == "message"
}

/// Whether no byte needs an escape. Checks all bytes, so that the compiler can process sixteen at a
/// time; with an early exit it would process one at a time.
fn is_ordinary(text: &str) -> bool {
    let ordinary = |byte| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\');
    text.bytes().fold(true, |all, byte| all & ordinary(byte))
}
