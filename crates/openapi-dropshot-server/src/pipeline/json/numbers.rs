//! Replaces numbers that JSON allows but that no `f64` can hold, such as
//! `1e400`. The parser stops at them, although they may be in members that are
//! ignored.

use std::ops::Range;

/// Whether the reader stopped at such a number.
pub(super) fn is_about_one(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("number out of range")
}

/// The same text with a `0` in the place of each such number, and blanks after
/// it, so that every other place keeps its column; nothing where there is none.
pub(super) fn without_beyond_f64(text: &str) -> Option<String> {
    let places: Vec<Range<usize>> = numbers(text.as_bytes())
        .into_iter()
        .filter(|place| {
            let number = text[place.clone()].parse::<f64>();
            number.is_ok_and(f64::is_infinite)
        })
        .collect();
    if places.is_empty() {
        return None;
    }
    let mut bounded = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        bounded.push_str(&text[end..place.start]);
        bounded.push('0');
        bounded.extend(std::iter::repeat_n(' ', place.len() - 1));
        end = place.end;
    }
    bounded.push_str(&text[end..]);
    Some(bounded)
}

/// The positions of the numbers outside of strings.
fn numbers(json: &[u8]) -> Vec<Range<usize>> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < json.len() {
        at = match json[at] {
            b'"' => end_of_text(json, at + 1),
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(json, at);
                numbers.push(at..end);
                end
            }
            _ => at + 1,
        };
    }
    numbers
}

/// Behind the closing quote.
fn end_of_text(json: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < json.len() {
        match json[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    json.len()
}

/// As far as it is a number: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
/// (RFC 8259, section 6). serde rejects what follows and is none.
fn end_of_number(json: &[u8], from: usize) -> usize {
    let digits = |at: usize| {
        let count = json[at..].iter().take_while(|byte| byte.is_ascii_digit());
        at + count.count()
    };
    let one_of = |at: usize, bytes: &[u8]| json.get(at).is_some_and(|byte| bytes.contains(byte));
    let first = from + usize::from(json[from] == b'-');
    let mut end = match json.get(first) {
        Some(b'0') => first + 1,
        _ => digits(first),
    };
    if one_of(end, b".") && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if one_of(end, b"eE") {
        let exponent = end + 1 + usize::from(one_of(end + 1, b"+-"));
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end.max(from + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_beyond_f64_give_way_and_all_else_keeps_its_place() {
        for (text, expected) in [
            (r#"{"a": 1e400, "b": 1}"#, Some(r#"{"a": 0    , "b": 1}"#)),
            (
                r#"["1e400", "\"1e400", -1E+999]"#,
                Some(r#"["1e400", "\"1e400", 0      ]"#),
            ),
            ("[1e308, 0, -1, 1.5]", None),
            ("1e400.5", Some("0    .5")),
            ("1e400e1", Some("0    e1")),
            ("-", None),
            ("1e+", None),
            ("\"1e400", None),
            ("\"\\", None),
        ] {
            assert_eq!(without_beyond_f64(text).as_deref(), expected, "{text}");
        }
        let long = format!("[{}]", "9".repeat(400));
        let expected = format!("[0{}]", " ".repeat(399));
        assert_eq!(without_beyond_f64(&long), Some(expected));
    }
}
