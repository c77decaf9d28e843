//! YAML as JSON, for the one document that is part of the binary: what the
//! contract does not use (anchors, tags, keys that are no texts) is refused.
//! Whether the contract is a good one is left to `cargo xtask check`.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// Why a text could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("it is not YAML: {0}")]
    Syntax(#[from] saphyr_parser::ScanError),
    #[error("it uses something that JSON does not have, or is no single document")]
    NotJson,
}

/// A collection that is not complete.
enum Open {
    Array(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

/// The value that a text stands for.
pub(super) fn read(text: &str) -> Result<Value, Unreadable> {
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(text) {
        let value = match event?.0 {
            Event::SequenceStart(0, None) => {
                open.push(Open::Array(Vec::new()));
                continue;
            }
            Event::MappingStart(0, None) => {
                open.push(Open::Object(Map::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::Array(items)) => Value::Array(items),
                Some(Open::Object(members, None)) => Value::Object(members),
                _ => return Err(Unreadable::NotJson),
            },
            Event::Scalar(text, style, 0, None) => match open.last_mut() {
                Some(Open::Object(_, key @ None)) => {
                    *key = Some(text.into_owned());
                    continue;
                }
                _ if style == ScalarStyle::Plain => plain(&text),
                _ => Value::String(text.into_owned()),
            },
            Event::StreamStart | Event::StreamEnd => continue,
            Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => continue,
            _ => return Err(Unreadable::NotJson),
        };
        match open.last_mut() {
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object(members, key)) => {
                let key = key.take().ok_or(Unreadable::NotJson)?;
                if members.insert(key, value).is_some() {
                    return Err(Unreadable::NotJson);
                }
            }
            None if whole.is_none() => whole = Some(value),
            None => return Err(Unreadable::NotJson),
        }
    }
    whole.ok_or(Unreadable::NotJson)
}

/// A scalar without quotes (YAML 1.2, the core schema).
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        // Rust would also read `inf` and `nan`.
        text if text.contains(|c: char| c.is_ascii_digit()) => number(text),
        text => Value::String(text.to_owned()),
    }
}

fn number(text: &str) -> Value {
    let whole = text.parse().ok().map(|number: i64| Number::from(number));
    let number = whole.or_else(|| Number::from_f64(text.parse().ok()?));
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scalars_are_what_yaml_says_they_are() {
        let text = "[1, -7, 1.5, '1', 1.0.0, 2030-12-05, true, 'true', null, '', \"a\\u0301\", inf, 9223372036854775807]";
        let expected = json!([
            1,
            -7,
            1.5,
            "1",
            "1.0.0",
            "2030-12-05",
            true,
            "true",
            null,
            "",
            "a\u{301}",
            "inf",
            i64::MAX
        ]);
        assert_eq!(read(text).expect("YAML"), expected);
    }

    #[test]
    fn blocks_nest() {
        let text = "a:\n  - b: |\n      two\n      lines\n    c: >-\n      one\n      line\n  -\n'200': {}\n";
        let expected = json!({"a": [{"b": "two\nlines\n", "c": "one line"}, null], "200": {}});
        assert_eq!(read(text).expect("YAML"), expected);
    }

    #[test]
    fn what_json_does_not_have_is_refused() {
        for text in [
            "",
            "&a 1",
            "[*a]",
            "!x 1",
            "a: 1\na: 2",
            "[a]: 1",
            "1\n---\n2",
            "[",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
