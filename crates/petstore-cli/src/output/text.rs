//! Makes text from the service or a file safe to print: replaces characters that control a
//! terminal, that change the direction of text, or that are invisible.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// Whether this character is invisible to a reader: control characters, characters that change the
/// direction of text, and characters without a width. The variation selectors of emoji are not
/// included.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns the text on one line, with each hidden character replaced by U+FFFD.
pub(crate) fn printable(text: &str) -> String {
    let visible = |c| if is_hidden(c) { '\u{fffd}' } else { c };
    text.chars().map(visible).collect()
}

/// Like [`printable`], for text that may have several lines.
pub(crate) fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// Returns a value as JSON on one line, with each hidden character escaped. Programs parse the same
/// value from it as from JSON without these escapes.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut line, Escaping))?;
    Ok(line)
}

/// Formats compact JSON with more escapes than JSON requires.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let mut plain = fragment;
        while let Some((at, hidden)) = plain.char_indices().find(|(_, c)| is_hidden(*c)) {
            writer.write_all(&plain.as_bytes()[..at])?;
            // JSON escapes are UTF-16 code units (RFC 8259, section 7).
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = &plain[at + hidden.len_utf8()..];
        }
        writer.write_all(plain.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One character of each kind, and the neighbours of the ranges in the list above.
    const HIDDEN: &str = "\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{e0001}\u{e007f}";
    const VISIBLE: &str = "Rex é \u{a0}שלום \u{1f600}\u{fe0f} \u{2010}\u{202f}";

    #[test]
    fn only_invisible_characters_are_replaced() {
        for hidden in HIDDEN.chars() {
            let text = printable(&format!("a{hidden}b"));
            assert_eq!(text, "a\u{fffd}b", "{}", hidden.escape_unicode());
        }
        assert_eq!(printable(VISIBLE), VISIBLE);
        assert_eq!(printable("a\nb"), "a\u{fffd}b");
        assert_eq!(printable_lines("a\u{9b}\nb"), "a\u{fffd}\nb");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({ "name": format!("{HIDDEN}\"\\\n{VISIBLE}"), "id": 7 });
        let line = json(&value).expect("JSON");
        let text = std::str::from_utf8(&line).expect("text");
        assert!(!text.chars().any(is_hidden), "{text:?}");
        assert!(text.contains(VISIBLE), "{text:?}");
        assert!(
            text.contains("\\u0085") && text.contains("\\udb40\\udc7f"),
            "{text:?}"
        );
        let read: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!(read, value);
        let plain = serde_json::json!({ "name": VISIBLE });
        assert_eq!(json(&plain).expect("JSON"), plain.to_string().as_bytes());
    }
}
