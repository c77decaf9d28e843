//! Makes values that have no parts: numbers at their bounds, texts at their lengths, and texts that
//! match or violate their format, enumeration or pattern.

use super::{Case, UNKNOWN};
use crate::roundtrip::{
    formats::FORMATS,
    schemas::{PATTERN, whole},
};
use openapi_dropshot_types::rules::is_multiple;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Number, Value, json};

/// A valid value, where one can be found.
pub(super) fn valid(case: &Case<'_>) -> Option<Value> {
    Some(match case.kind() {
        "null" => Value::Null,
        "boolean" => json!(true),
        "integer" => {
            let mut integers = integers(case).into_iter();
            integer(integers.find(|value| fits(case, *value as f64))?)?
        }
        "number" => json!(numbers(case).into_iter().find(|value| fits(case, *value))?),
        "string" => text(case)?.into(),
        _ => json!({ UNKNOWN: ["value"] }),
    })
}

/// Adds values that follow and values that break the rules.
pub(super) fn values(case: &Case<'_>, values: &mut Vec<Value>) {
    for known in case.all("enum").filter_map(Value::as_array) {
        values.extend(known.iter().cloned());
        for word in known.iter().filter_map(Value::as_str).take(3) {
            let variants = [word.to_uppercase(), format!("{word} ")];
            values.extend(variants.map(Value::from));
            values.push(json!({ word: null }));
        }
        values.extend([json!("zz-no-such-word"), json!(987_654)]);
    }
    match case.kind() {
        "boolean" => values.extend([json!(true), json!(false), json!("true"), json!(1)]),
        "integer" => {
            values.extend(integers(case).into_iter().filter_map(integer));
            values.extend([json!(1.5), json!(1e20), json!(-1e20), json!("1")]);
        }
        "number" => {
            values.extend(numbers(case).into_iter().map(Value::from));
            values.extend([json!("1"), json!(7)]);
        }
        "string" => texts(case, values),
        _ => values.extend([Value::Null, json!([null]), json!("text"), json!(5)]),
    }
}

/// Whether a number is within the bounds.
fn fits(case: &Case<'_>, value: f64) -> bool {
    let bounds = |keyword| case.all(keyword).filter_map(Value::as_f64);
    bounds("minimum").all(|bound| value >= bound)
        && bounds("exclusiveMinimum").all(|bound| value > bound)
        && bounds("maximum").all(|bound| value <= bound)
        && bounds("exclusiveMaximum").all(|bound| value < bound)
        && bounds("multipleOf").all(|of| is_multiple(value, of))
}

fn bounds<'d>(case: &Case<'d>) -> impl Iterator<Item = &'d Value> {
    let keywords = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"];
    keywords.into_iter().flat_map(|keyword| case.all(keyword))
}

fn integers(case: &Case<'_>) -> Vec<i128> {
    let exact = |value: &Value| whole(value).or_else(|| value.as_f64().map(|value| value as i128));
    let bounds: Vec<i128> = bounds(case).filter_map(exact).collect();
    let mut integers: Vec<i128> = vec![1, 0, -1, 5];
    integers.extend(bounds.iter().flat_map(|bound| bound - 1..=bound + 1));
    if let Some(of) = case.get("multipleOf").and_then(exact).filter(|of| *of > 0) {
        let start = bounds.first().copied().unwrap_or_default() / of;
        integers.extend([of, of + 1, (start + 1) * of, (start + 2) * of]);
    }
    integers
}

/// Converts an integer to JSON, if it has at most 64 bits.
fn integer(value: i128) -> Option<Value> {
    let number = i64::try_from(value).map(Number::from);
    let number = number.or_else(|_| u64::try_from(value).map(Number::from));
    number.ok().map(Value::Number)
}

fn numbers(case: &Case<'_>) -> Vec<f64> {
    let mut numbers = vec![0.5, 1.0, 0.0, -1.5, 5.25];
    for bound in bounds(case).filter_map(Value::as_f64) {
        numbers.extend([0.0, -0.5, 0.5, -1000.0, 1000.0].map(|distance| bound + distance));
    }
    for of in case.all("multipleOf").filter_map(Value::as_f64) {
        numbers.extend([of, of * 3.0, of * 1.5]);
    }
    numbers
}

/// Returns the texts of the format, if [`FORMATS`] has it.
fn of_format(case: &Case<'_>) -> &'static [&'static str] {
    let texts = FORMATS
        .iter()
        .find(|(name, _)| case.text("format") == Some(name));
    texts.map_or(&[], |(_, texts)| texts)
}

/// A valid text.
fn text(case: &Case<'_>) -> Option<String> {
    if let Some(text) = of_format(case).first() {
        return Some((*text).to_owned());
    }
    let least = case.count("minLength").unwrap_or_default();
    let pattern = case.text(PATTERN);
    if let Some(text) = pattern.and_then(|pattern| matching(pattern, least)) {
        return Some(text);
    }
    let greatest = case.count("maxLength").unwrap_or(usize::MAX);
    let letters = "text".chars().cycle();
    Some(letters.take(least.max(4).min(greatest)).collect())
}

fn texts(case: &Case<'_>, values: &mut Vec<Value>) {
    values.extend(of_format(case).iter().map(|text| json!(text)));
    let pattern = case.text(PATTERN);
    for count in case.counts_around(["minLength", "maxLength"]) {
        values.push(json!("a".repeat(count)));
        // Characters, not bytes.
        values.push(json!("ä".repeat(count)));
        let text = pattern.and_then(|pattern| matching(pattern, count));
        values.extend(text.map(Value::from));
    }
    for least in [0, 1, 2, 5] {
        if let Some(text) = pattern.and_then(|pattern| matching(pattern, least)) {
            let variants = [
                format!("{text}\n"),
                format!("!{text}"),
                text.to_uppercase(),
                text,
            ];
            values.extend(variants.map(Value::from));
        }
    }
    let others = [
        "",
        "text",
        "with \"quotes\" \\ and {braces}",
        "ünïcödé",
        "7",
    ];
    values.extend(others.map(Value::from));
    values.push(json!(7));
}

/// Returns a text that matches a pattern, with at least this many characters if its
/// repetitions allow that; `None` if the pattern is outside of the syntax that
/// `regex_syntax` and ECMA-262 share. Negative lookaheads are ignored; the validator
/// decides whether the text is valid.
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
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            // A letter is easier to read than the first character of the class.
            let is_in = |letter: &char| {
                let mut ranges = class.iter();
                ranges.any(|range| (range.start()..=range.end()).contains(letter))
            };
            let letter = ['a', 'A', '0'].into_iter().find(is_in);
            text.extend(letter.or_else(|| class.iter().next().map(|range| range.start())));
        }
        HirKind::Repetition(repetition) => {
            let missing = least.saturating_sub(text.chars().count()).min(2_000);
            let most = repetition.max.unwrap_or(u32::MAX) as usize;
            for _ in 0..missing.max(repetition.min as usize).min(most) {
                write(&repetition.sub, 0, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, least, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, least, text)),
        HirKind::Alternation(parts) => write(&parts[0], least, text),
        // A pattern of Unicode characters has no classes of bytes.
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {}
    }
}
