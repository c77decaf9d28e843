//! Converts a JSON text (RFC 8259) into the events that the YAML parser would return.
//! `serde_json` checks the syntax, so this module only has to find the places of values.

use super::Fatal;
use crate::model::Location;
use crate::problem::quoted_length;
use crate::rules::document::SYNTAX;
use saphyr_parser::{Event, Marker, ScalarStyle};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// What to write instead, selected by a part of the message of `serde_json`.
const HELP: [(&str, &str); 8] = [
    ("EOF", "complete it: close each string, array and object"),
    ("key must be a string", "write the name in double quotes"),
    ("expected `:`", "write `\"name\": value`"),
    (
        "expected `,`",
        "separate values by commas, and close the object or array",
    ),
    (
        "trailing characters",
        "remove the text after the end of the document",
    ),
    (
        "control character",
        "close the string, or write the character as an escape",
    ),
    (
        "invalid escape",
        "write `\\\\` for a backslash, and `\\u` with four hexadecimal digits",
    ),
    (
        "hex escape",
        "write the character itself, or both halves of the surrogate pair",
    ),
];
const OTHER_HELP: &str = "write the value as JSON does: strings in double quotes, numbers without \
    leading zeros or `+`, no comments; or use YAML";

/// The events of a JSON text, each with the place at which it begins.
pub(super) struct Events<'t> {
    file: &'t Arc<str>,
    text: &'t str,
    /// The text that has not been read yet.
    rest: &'t str,
    line: usize,
    column: usize,
    /// The first syntax error, and the byte at which it begins.
    fault: Option<(usize, Fatal)>,
}

impl<'t> Events<'t> {
    pub(super) fn new(file: &'t Arc<str>, text: &'t str) -> Self {
        let mut events = Events {
            file,
            text,
            rest: text,
            line: 1,
            column: 0,
            fault: None,
        };
        // This does not check the values of strings and numbers.
        let checked = serde_json::from_str::<IgnoredAny>(text);
        events.fault = checked.err().map(|error| events.fault(text, &error));
        events
    }

    /// Consumes this many bytes, and returns them. Columns count characters.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        match taken.rsplit_once('\n') {
            Some((before, last)) => {
                self.line += 1 + before.matches('\n').count();
                self.column = last.chars().count();
            }
            None => self.column += taken.chars().count(),
        }
        self.rest = rest;
        taken
    }

    /// Reads a string, a number, a boolean or `null`.
    fn scalar(&mut self) -> Result<Event<'t>, Fatal> {
        let from = self.rest;
        let length = match from.starts_with('"') {
            true => Some(quoted_length(from, '"')),
            false => from.find([',', ']', '}', ' ', '\t', '\n', '\r']),
        };
        let token = self.take(length.unwrap_or(from.len()));
        let (text, style) = match serde_json::from_str(token) {
            Ok(Value::String(text)) => (Cow::Owned(text), ScalarStyle::DoubleQuoted),
            Ok(_) => (Cow::Borrowed(token), ScalarStyle::Plain),
            Err(error) => return Err(self.fault(from, &error).1),
        };
        Ok(Event::Scalar(text, style, 0, None))
    }

    /// Makes a problem from an error of `serde_json` in a text that is the end of the whole text.
    /// `serde_json` reports a byte near the error; this function finds the beginning of the wrong
    /// part.
    fn fault(&self, from: &str, error: &serde_json::Error) -> (usize, Fatal) {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let line = error.line().saturating_sub(1);
        let lines_before = from.split_inclusive('\n').take(line);
        let line_start = self.text.len() - from.len() + lines_before.map(str::len).sum::<usize>();
        let near = (line_start + error.column()).saturating_sub(1);
        let near = (0..=near.min(self.text.len()))
            .rfind(|at| self.text.is_char_boundary(*at))
            .unwrap_or(0);
        let (before, after) = self.text.split_at(near);
        let is_part_of_word = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let before = if error.is_eof() {
            self.text
        } else if message.starts_with("control character") {
            &self.text[..near + after.find(char::is_control).unwrap_or_default()]
        } else if message.contains("escape") {
            &before[..before.rfind('\\').unwrap_or(near)]
        } else {
            before.trim_end_matches(is_part_of_word)
        };
        let at = Location::at_byte(self.file, self.text, before.len());
        let is_after_comma = before.trim_end().ends_with(',') && after.starts_with(['}', ']']);
        let help = match HELP.iter().find(|(part, _)| message.contains(part)) {
            _ if is_after_comma => "remove the comma before it",
            Some((_, help)) => help,
            None => OTHER_HELP,
        };
        let problem = SYNTAX.problem(&at, format!("this is not valid JSON: {message}"), help);
        (before.len(), Box::new(problem))
    }
}

impl<'t> Iterator for Events<'t> {
    type Item = Result<(Event<'t>, Marker), Fatal>;

    fn next(&mut self) -> Option<Self::Item> {
        // The text before the syntax error is valid, so separators carry no information.
        let separators = [' ', '\t', '\n', '\r', ',', ':'];
        let value = self.rest.trim_start_matches(separators);
        self.take(self.rest.len() - value.len());
        let offset = self.text.len() - value.len();
        if let Some((_, fault)) = self.fault.take_if(|(begin, _)| *begin <= offset) {
            return Some(Err(fault));
        }
        let start = Marker::new(0, self.line, self.column);
        let event = match value.chars().next()? {
            '{' => Event::MappingStart(0, None),
            '}' => Event::MappingEnd,
            '[' => Event::SequenceStart(0, None),
            ']' => Event::SequenceEnd,
            _ => return Some(self.scalar().map(|event| (event, start))),
        };
        self.take(1);
        Some(Ok((event, start)))
    }
}
