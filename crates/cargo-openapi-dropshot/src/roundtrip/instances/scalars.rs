//! Makes values that have no parts: numbers at their bounds, texts at their
//! lengths, and texts inside and outside of their format, enumeration or
//! pattern.

use super::{Flat, UNKNOWN, around};
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Number, Value, json};

/// Texts for each format, valid ones first, and how many of them are valid.
const FORMATS: &[(&str, &[&str])] = &[
    (
        "date",
        &[
            "2024-02-29",
            "0001-01-01",
            "9999-12-31",
            "2023-02-29",
            "2024-13-01",
            "2024-1-1",
            "24-01-01",
            "",
        ],
    ),
    (
        "date-time",
        &[
            "2024-02-29T23:59:59Z",
            "2024-01-02T03:04:05.678901234+05:30",
            "2024-01-02T03:04:05-00:00",
            "2023-02-29T00:00:00Z",
            "2024-01-02T03:04:05",
            "2024-01-02",
            "2024-01-02T25:00:00Z",
        ],
    ),
    (
        "uuid",
        &[
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67E55044-10B1-426F-9247-BB680E5FE0C8",
            "00000000-0000-0000-0000-000000000000",
            "67e5504410b1426f9247bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "67e55044-10b1-426f-9247-bb680e5fe0c",
            "uuid",
        ],
    ),
    (
        "byte",
        &["aGVsbG8=", "", "aGVsbG8", "a===", "aGVs bG8=", "-_-_"],
    ),
    (
        "ip",
        &[
            "127.0.0.1",
            "::1",
            "127.0.0.256",
            "1.2.3",
            ":::",
            "localhost",
        ],
    ),
    ("ipv4", &["127.0.0.1", "::1", "127.0.0.256", "01.2.3.4"]),
    (
        "ipv6",
        &["::1", "2001:db8::8a2e:370:7334", "127.0.0.1", "1::2::3"],
    ),
];

/// The least and the greatest value of each format of integers.
const INTEGERS: &[(&str, i128, i128)] = &[
    ("int8", i8::MIN as i128, i8::MAX as i128),
    ("int16", i16::MIN as i128, i16::MAX as i128),
    ("int32", i32::MIN as i128, i32::MAX as i128),
    ("uint8", 0, u8::MAX as i128),
    ("uint16", 0, u16::MAX as i128),
    ("uint32", 0, u32::MAX as i128),
    ("uint64", 0, u64::MAX as i128),
    ("uint", 0, u64::MAX as i128),
];

/// A valid value, where one can be found.
pub(super) fn valid(flat: &Flat<'_>) -> Option<Value> {
    Some(match flat.kind() {
        "boolean" => json!(true),
        "integer" => integer(
            flat,
            integers(flat)
                .into_iter()
                .find(|value| fits(flat, *value as f64))?,
        ),
        "number" => {
            let mut found = numbers(flat).into_iter().filter(|value| fits(flat, *value));
            json!(found.next()?)
        }
        "string" => text(flat)?.into(),
        _ => json!({ UNKNOWN: ["value"] }),
    })
}

/// Values inside and outside of the rules.
pub(super) fn values(flat: &Flat<'_>, values: &mut Vec<Value>) {
    if let Some(known) = flat.get("enum").and_then(Value::as_array) {
        values.extend(known.iter().cloned());
        for word in known.iter().filter_map(Value::as_str).take(3) {
            values.extend([
                json!(word.to_uppercase()),
                json!(format!("{word} ")),
                json!({ word: null }),
            ]);
        }
        values.push(json!("zz-no-such-word"));
        values.push(json!(987_654));
    }
    match flat.kind() {
        "boolean" => values.extend([json!(true), json!(false), json!("true"), json!(1)]),
        "integer" => {
            values.extend(integers(flat).into_iter().map(|value| integer(flat, value)));
            values.extend([json!(1.5), json!("1")]);
        }
        "number" => {
            values.extend(numbers(flat).into_iter().map(|value| json!(value)));
            values.extend([json!("1"), json!(7)]);
        }
        "string" => texts(flat, values),
        _ => values.extend([Value::Null, json!([null]), json!("text"), json!(5)]),
    }
}

/// Whether a number keeps the bounds.
fn fits(flat: &Flat<'_>, value: f64) -> bool {
    let is = |keyword: &str| flat.get(keyword) == Some(&Value::Bool(true));
    let low = flat
        .number("minimum")
        .is_none_or(|bound| value > bound || (value == bound && !is("exclusiveMinimum")));
    let high = flat
        .number("maximum")
        .is_none_or(|bound| value < bound || (value == bound && !is("exclusiveMaximum")));
    let whole = flat
        .number("multipleOf")
        .is_none_or(|of| (value / of).fract() == 0.0);
    low && high
        && whole
        && limits(flat)
            .is_none_or(|(least, greatest)| value >= least as f64 && value <= greatest as f64)
}

/// The bounds of the format of an integer.
fn limits(flat: &Flat<'_>) -> Option<(i128, i128)> {
    let format = flat.get("format")?.as_str()?;
    INTEGERS
        .iter()
        .find(|(name, ..)| *name == format)
        .map(|(_, least, greatest)| (*least, *greatest))
}

fn integers(flat: &Flat<'_>) -> Vec<i128> {
    let mut found: Vec<i128> = vec![1, 0, -1, 5];
    let mut bounds: Vec<i128> = ["minimum", "maximum"]
        .iter()
        .filter_map(|word| flat.number(word))
        .map(|bound| bound as i128)
        .collect();
    if let Some((least, greatest)) = limits(flat) {
        bounds.extend([least, greatest]);
    }
    found.extend(
        bounds
            .iter()
            .flat_map(|bound| [bound - 1, *bound, bound + 1]),
    );
    if let Some(of) = flat
        .number("multipleOf")
        .map(|of| of as i128)
        .filter(|of| *of > 0)
    {
        let start = bounds.first().copied().unwrap_or_default();
        found.extend([of, of + 1, (start / of + 1) * of, (start / of + 2) * of]);
    }
    found
}

/// An integer that JSON can carry.
fn integer(_: &Flat<'_>, value: i128) -> Value {
    let number = i64::try_from(value)
        .map(Number::from)
        .or_else(|_| u64::try_from(value).map(Number::from));
    number.map_or_else(|_| json!(value as f64), Value::Number)
}

fn numbers(flat: &Flat<'_>) -> Vec<f64> {
    let mut found = vec![0.5, 1.0, 0.0, -1.5, 5.25];
    for bound in ["minimum", "maximum"]
        .iter()
        .filter_map(|word| flat.number(word))
    {
        found.extend([
            bound,
            bound - 0.5,
            bound + 0.5,
            bound - 1000.0,
            bound + 1000.0,
        ]);
    }
    if let Some(of) = flat.number("multipleOf") {
        found.extend([of, of * 3.0, of * 1.5]);
    }
    found
}

fn format<'t>(flat: &Flat<'t>) -> Option<&'static [&'static str]> {
    let format = flat.get("format")?.as_str()?;
    FORMATS
        .iter()
        .find(|(name, _)| *name == format)
        .map(|(_, texts)| *texts)
}

/// A valid text.
fn text(flat: &Flat<'_>) -> Option<String> {
    if let Some(texts) = format(flat) {
        return texts.first().map(|text| (*text).to_owned());
    }
    let least = flat.count("minLength").unwrap_or_default();
    if let Some(pattern) = flat.get("pattern").and_then(Value::as_str) {
        return matching(pattern, least);
    }
    let greatest = flat.count("maxLength").unwrap_or(usize::MAX);
    Some(
        "text"
            .chars()
            .cycle()
            .take(least.max(4).min(greatest))
            .collect(),
    )
}

fn texts(flat: &Flat<'_>, values: &mut Vec<Value>) {
    values.extend(format(flat).into_iter().flatten().map(|text| json!(text)));
    for count in around_lengths(flat) {
        values.push(json!("a".repeat(count)));
        // Characters, not bytes.
        values.push(json!("ä".repeat(count)));
        if let Some(pattern) = flat.get("pattern").and_then(Value::as_str) {
            values.extend(matching(pattern, count).map(Value::from));
        }
    }
    if let Some(pattern) = flat.get("pattern").and_then(Value::as_str) {
        for text in [0, 1, 2, 5]
            .into_iter()
            .filter_map(|least| matching(pattern, least))
        {
            values.extend([
                json!(format!("{text}\n")),
                json!(format!("!{text}")),
                json!(text.to_uppercase()),
                json!(text),
            ]);
        }
    }
    values.extend(
        [
            "",
            "text",
            "with \"quotes\" \\ and {braces}",
            "ünïcödé",
            "7",
        ]
        .map(Value::from),
    );
    values.push(json!(7));
}

fn around_lengths(flat: &Flat<'_>) -> impl Iterator<Item = usize> {
    around(flat.count("minLength")).chain(around(flat.count("maxLength")))
}

/// A text that matches a pattern, with at least so many characters where its
/// repetitions allow it. Nothing where the pattern is beyond the syntax that
/// this crate and ECMA-262 share, but for what must not follow: it is left out,
/// and whether the text is valid is decided by the validators.
fn matching(pattern: &str, least: usize) -> Option<String> {
    let hir = regex_syntax::parse(&without_lookahead(pattern)).ok()?;
    let mut text = String::new();
    write(&hir, least, &mut text);
    Some(text)
}

/// A pattern without its negative lookaheads.
fn without_lookahead(pattern: &str) -> String {
    let mut rest = pattern;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("(?!") {
        kept.push_str(before);
        let (mut depth, mut escaped, mut class) = (1, false, false);
        let end = after.char_indices().find(|(_, sign)| {
            match sign {
                _ if escaped => {}
                '[' => class = true,
                ']' => class = false,
                '(' if !class => depth += 1,
                ')' if !class => depth -= 1,
                _ => {}
            }
            escaped = !escaped && *sign == '\\';
            depth == 0
        });
        rest = end.map_or("", |(end, _)| &after[end + 1..]);
    }
    kept + rest
}

fn write(hir: &Hir, least: usize, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            // A letter reads better than the first sign there is.
            let ranges = class.ranges();
            let letter = ['a', 'A', '0'].into_iter().find(|letter| {
                ranges
                    .iter()
                    .any(|range| range.start() <= *letter && *letter <= range.end())
            });
            text.extend(letter.or_else(|| ranges.first().map(|range| range.start())));
        }
        HirKind::Class(Class::Bytes(class)) => {
            text.extend(
                class
                    .ranges()
                    .first()
                    .map(|range| char::from(range.start())),
            );
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let missing =
                u32::try_from(least.saturating_sub(text.chars().count())).unwrap_or(u32::MAX);
            for _ in 0..repetition.min.max(missing).min(most).min(2_000) {
                write(&repetition.sub, 0, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, least, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, least, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = parts.first() {
                write(part, least, text);
            }
        }
    }
}
