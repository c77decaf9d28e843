//! Parses JSON (RFC 8259) with the place of every value, and bounds the nesting.

use super::{MAX_DEPTH, Parsed, child_pointer, duplicate_member, too_deep, too_long};
use crate::model::{Location, Member, Node, NodeKind, unescape_pointer_token};
use crate::problem::Problem;
use crate::rules::document as rules;
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::sync::Arc;

/// Parses a JSON text.
pub(super) fn parse(file: &Arc<str>, text: &str) -> Parsed {
    let mut parser = Parser {
        file,
        text,
        position: 0,
        line: 1,
        column: 1,
        problems: Vec::new(),
    };
    match parser.document() {
        Ok(root) => Parsed {
            root: Some(root),
            problems: parser.problems,
        },
        Err(problem) => {
            parser.problems.push(*problem);
            Parsed {
                root: None,
                problems: parser.problems,
            }
        }
    }
}

/// A problem that ends parsing.
type Fatal = Box<Problem>;

struct Parser<'a> {
    file: &'a Arc<str>,
    text: &'a str,
    /// Next byte.
    position: usize,
    line: usize,
    column: usize,
    problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    fn document(&mut self) -> Result<Node, Fatal> {
        let root = self.value(String::new(), 0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(self.fault("", "more text after the end of the document", "remove it")),
        }
    }

    fn value(&mut self, pointer: String, depth: usize) -> Result<Node, Fatal> {
        self.skip_space();
        let at = self.here(&pointer);
        let kind = match self.peek() {
            Some(b'{') if depth >= MAX_DEPTH => return Err(Box::new(too_deep(&at))),
            Some(b'[') if depth >= MAX_DEPTH => return Err(Box::new(too_deep(&at))),
            Some(b'{') => NodeKind::Object(self.object(&pointer, depth)?),
            Some(b'[') => NodeKind::Array(self.array(&pointer, depth)?),
            Some(b'"') => NodeKind::String(self.string(&pointer)?),
            Some(b'-' | b'0'..=b'9') => NodeKind::Number(self.number(&pointer)?),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(&pointer)?,
            Some(b'\'') => {
                return Err(self.fault(
                    &pointer,
                    "a JSON string is written in double quotes",
                    "write `\"…\"`",
                ));
            }
            Some(b'/' | b'#') => {
                return Err(self.fault(&pointer, "JSON has no comments", "remove it, or use YAML"));
            }
            Some(_) => {
                let found = self.next_character();
                return Err(self.fault(
                    &pointer,
                    format!("expected a value, found {found}"),
                    "write a JSON value",
                ));
            }
            None => {
                return Err(self.fault(
                    &pointer,
                    "the text ends where a value is expected",
                    "complete it",
                ));
            }
        };
        Ok(Node { at, kind })
    }

    fn object(&mut self, pointer: &str, depth: usize) -> Result<IndexMap<String, Member>, Fatal> {
        let mut members = IndexMap::new();
        self.advance();
        self.skip_space();
        if self.accept(b'}') {
            return Ok(members);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                let found = self.next_character();
                let help = if found == "`}`" {
                    "remove the comma before it"
                } else {
                    "write the name in double quotes"
                };
                return Err(self.fault(
                    pointer,
                    format!("expected the name of a member, found {found}"),
                    help,
                ));
            }
            let mut key_at = self.here("");
            let name = self.string(pointer)?;
            let Some(child) = child_pointer(pointer, &name) else {
                return Err(Box::new(too_long(&key_at)));
            };
            key_at.pointer.clone_from(&child);
            self.skip_space();
            if !self.accept(b':') {
                let found = self.next_character();
                return Err(self.fault(
                    &child,
                    format!("expected `:` after a name, found {found}"),
                    "write `\"name\": value`",
                ));
            }
            let value = self.value(child, depth + 1)?;
            match members.entry(name) {
                Entry::Occupied(first) => {
                    let first: &Member = first.get();
                    let name = key_at.pointer.rsplit('/').next().unwrap_or_default();
                    let name = unescape_pointer_token(name);
                    self.problems
                        .push(duplicate_member(&name, &first.key_at, &key_at));
                }
                Entry::Vacant(place) => {
                    place.insert(Member { key_at, value });
                }
            }
            self.skip_space();
            if self.accept(b'}') {
                return Ok(members);
            }
            if !self.accept(b',') {
                let found = self.next_character();
                return Err(self.fault(
                    pointer,
                    format!("expected `,` or `}}` after a member, found {found}"),
                    "separate members by commas and close the object",
                ));
            }
        }
    }

    fn array(&mut self, pointer: &str, depth: usize) -> Result<Vec<Node>, Fatal> {
        let mut items = Vec::new();
        self.advance();
        self.skip_space();
        if self.accept(b']') {
            return Ok(items);
        }
        loop {
            self.skip_space();
            if self.peek() == Some(b']') {
                return Err(self.fault(
                    pointer,
                    "expected a value, found `]`",
                    "remove the comma before it",
                ));
            }
            let Some(child) = child_pointer(pointer, &items.len().to_string()) else {
                return Err(Box::new(too_long(&self.here(pointer))));
            };
            items.push(self.value(child, depth + 1)?);
            self.skip_space();
            if self.accept(b']') {
                return Ok(items);
            }
            if !self.accept(b',') {
                let found = self.next_character();
                return Err(self.fault(
                    pointer,
                    format!("expected `,` or `]` after an element, found {found}"),
                    "separate elements by commas and close the array",
                ));
            }
        }
    }

    fn word(&mut self, pointer: &str) -> Result<NodeKind, Fatal> {
        let rest = &self.text[self.position..];
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let kind = match &rest[..length] {
            "null" => NodeKind::Null,
            "true" => NodeKind::Bool(true),
            "false" => NodeKind::Bool(false),
            word => {
                let message = format!("`{word}` is not a JSON value");
                return Err(self.fault(pointer, message, "put a string in double quotes"));
            }
        };
        self.advance_by(length);
        Ok(kind)
    }

    fn number(&mut self, pointer: &str) -> Result<serde_json::Number, Fatal> {
        let rest = &self.text[self.position..];
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            .count();
        match serde_json::from_str(&rest[..length]) {
            Ok(number) => {
                self.advance_by(length);
                Ok(number)
            }
            Err(_) => {
                let message = format!("`{}` is not a JSON number, or too large", &rest[..length]);
                Err(self.fault(
                    pointer,
                    message,
                    "write it as JSON does: no leading zeros or `+`",
                ))
            }
        }
    }

    fn string(&mut self, pointer: &str) -> Result<String, Fatal> {
        let begin = self.here(pointer);
        let mut value = String::new();
        self.advance();
        loop {
            let rest = &self.text[self.position..];
            let plain = rest
                .bytes()
                .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .count();
            value.push_str(&rest[..plain]);
            self.advance_by(plain);
            match self.peek() {
                Some(b'"') => {
                    self.advance();
                    return Ok(value);
                }
                Some(b'\\') => value.push(self.escape(pointer)?),
                Some(control) => {
                    let message =
                        format!("a string contains the bare control character \\u{control:04x}");
                    return Err(self.fault(
                        pointer,
                        message,
                        "close the string, or write the character as an escape",
                    ));
                }
                None => {
                    return Err(Box::new(syntax(
                        &begin,
                        "the string is never closed",
                        "write `\"` at its end",
                    )));
                }
            }
        }
    }

    fn escape(&mut self, pointer: &str) -> Result<char, Fatal> {
        let rest = &self.text.as_bytes()[self.position..];
        let single = match rest.get(1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(pointer),
            _ => {
                return Err(self.fault(
                    pointer,
                    "unknown escape in a string",
                    "write `\\\\` for a backslash",
                ));
            }
        };
        self.advance_by(2);
        Ok(single)
    }

    fn unicode_escape(&mut self, pointer: &str) -> Result<char, Fatal> {
        let rest = &self.text.as_bytes()[self.position..];
        let decoded = match hex_escape(rest) {
            Some(high @ 0xd800..=0xdbff) => match rest.get(6..).and_then(hex_escape) {
                Some(low @ 0xdc00..=0xdfff) => {
                    char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                        .map(|c| (c, 12))
                }
                _ => None,
            },
            Some(unit) => char::from_u32(unit).map(|c| (c, 6)),
            None => None,
        };
        match decoded {
            Some((character, length)) => {
                self.advance_by(length);
                Ok(character)
            }
            None => Err(self.fault(
                pointer,
                "`\\u` without four hexadecimal digits, or half of a surrogate pair",
                "write the character itself, or both halves",
            )),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// The next character, for messages.
    fn next_character(&self) -> String {
        match self.text[self.position..].chars().next() {
            Some(character) if character.is_control() => {
                format!("`{}`", character.escape_default())
            }
            Some(character) => format!("`{character}`"),
            None => "the end of the text".to_owned(),
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.advance();
        }
    }

    /// Moves over one byte, and counts lines and columns. Columns are characters, not
    /// bytes.
    fn advance(&mut self) {
        match self.peek() {
            Some(b'\n') => {
                self.line += 1;
                self.column = 1;
            }
            Some(byte) if byte & 0xc0 != 0x80 => self.column += 1,
            _ => {}
        }
        self.position += 1;
    }

    fn advance_by(&mut self, bytes: usize) {
        for _ in 0..bytes {
            self.advance();
        }
    }

    fn here(&self, pointer: &str) -> Location {
        Location {
            file: Arc::clone(self.file),
            line: self.line,
            column: self.column,
            pointer: pointer.to_owned(),
        }
    }

    fn fault(&self, pointer: &str, message: impl Into<String>, help: &str) -> Fatal {
        Box::new(syntax(&self.here(pointer), message, help))
    }
}

fn syntax(at: &Location, message: impl Into<String>, help: &str) -> Problem {
    rules::SYNTAX.problem(at, message, help)
}

/// The code unit of a `\uXXXX` at the beginning of the bytes.
fn hex_escape(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        Some(unit * 16 + char::from(*digit).to_digit(16)?)
    })
}
