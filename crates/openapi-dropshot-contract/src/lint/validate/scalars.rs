//! Checks numbers, counts, types and formats. These checks need only the schema, not the rest of
//! the document. The known formats are those of OpenAPI 3.0 and the common formats of JSON Schema;
//! any other format allows every value.

use super::Validator;
use crate::model::{Node, NodeKind, Schema, Spanned, Type, compare_numbers};
use chrono::{DateTime, NaiveDate};
use serde_json::Number;
use std::cmp::Ordering;
use std::net::{Ipv4Addr, Ipv6Addr};

impl Validator<'_> {
    /// Checks the bounds, the multiples and the format of a number.
    pub(super) fn numbers(&mut self, schema: &Schema, value: &Node, number: &Number) {
        for (bound, wrong, inclusive, exclusive) in [
            (
                schema.lower_bound(),
                Ordering::Less,
                "less than the minimum",
                "not greater than the exclusive minimum",
            ),
            (
                schema.upper_bound(),
                Ordering::Greater,
                "greater than the maximum",
                "not less than the exclusive maximum",
            ),
        ] {
            let Some((bound, is_exclusive)) = bound else {
                continue;
            };
            let order = compare_numbers(number, &bound.value);
            if order == Some(wrong) || (is_exclusive && order == Some(Ordering::Equal)) {
                let relation = if is_exclusive { exclusive } else { inclusive };
                let message = format!("{number} is {relation} {}", bound.value);
                let help = "write a number within the bounds";
                self.report(value, &bound.at, &message, help);
            }
        }
        if let Some(multiple) = &schema.multiple_of
            && !is_multiple(number, &multiple.value)
        {
            let message = format!("{number} is not a multiple of {}", multiple.value);
            self.report(value, &multiple.at, &message, "write a multiple");
        }
        if let Some(format) = &schema.format
            && !number_fits(&format.value, number)
        {
            let message = format!("{number} does not fit `{}`", format.value);
            let help = "write a number that fits, or a wider format";
            self.report(value, &format.at, &message, help);
        }
    }

    /// Checks the bounds for the number of characters, elements or properties of a value.
    pub(super) fn counts(
        &mut self,
        count: usize,
        unit: &str,
        (minimum, maximum): (&Option<Spanned<u64>>, &Option<Spanned<u64>>),
        value: &Node,
    ) {
        let count = count as u64;
        let (too_few, too_many) = (Ordering::Less, Ordering::Greater);
        for (bound, wrong, relation, help) in [
            (minimum, too_few, "fewer", "write more, or lower the bound"),
            (maximum, too_many, "more", "write fewer, or raise the bound"),
        ] {
            if let Some(bound) = bound.as_ref().filter(|own| count.cmp(&own.value) == wrong) {
                let message = format!("it has {count} {unit}, {relation} than {bound}");
                self.report(value, &bound.at, &message, help);
            }
        }
    }
}

fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (number.as_i64(), divisor.as_i64()) {
        return divisor == 0 || number.checked_rem(divisor).is_none_or(|rest| rest == 0);
    }
    match (number.as_f64(), divisor.as_f64()) {
        (Some(number), Some(divisor)) if divisor != 0.0 => {
            // Decimal fractions are not exact in binary, but 0.3 must count as a multiple of 0.1.
            let quotient = number / divisor;
            (quotient - quotient.round()).abs() <= quotient.abs().max(1.0) * 1e-9
        }
        _ => true,
    }
}

/// Returns whether a value has a type. `1.0` is an integer.
pub(super) fn has_type(value: &Node, kind: Type) -> bool {
    match (&value.kind, kind) {
        (NodeKind::Bool(_), Type::Boolean)
        | (NodeKind::Number(_), Type::Number)
        | (NodeKind::String(_), Type::String)
        | (NodeKind::Array(_), Type::Array)
        | (NodeKind::Object(_), Type::Object) => true,
        (NodeKind::Number(number), Type::Integer) => {
            number.is_i64()
                || number.is_u64()
                || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

/// The type with an article, for messages.
pub(super) fn with_article(kind: Type) -> String {
    match kind {
        Type::Array | Type::Integer | Type::Object => format!("an {kind}"),
        Type::Boolean | Type::Number | Type::String => format!("a {kind}"),
    }
}

pub(super) fn format_fits(format: &str, text: &str) -> bool {
    match format {
        "date" => text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok(),
        "date-time" => DateTime::parse_from_rfc3339(text).is_ok(),
        "uuid" => is_uuid(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        _ => true,
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a number is within the range of a format.
fn number_fits(format: &str, number: &Number) -> bool {
    // `1.0` counts as an integer, like `1`.
    let within =
        |lowest: f64, highest: f64| number.as_f64().is_some_and(|n| n >= lowest && n <= highest);
    match format {
        "int32" => within(f64::from(i32::MIN), f64::from(i32::MAX)),
        // The upper limit is the largest double below 2^63, because 2^63 itself is too large.
        "int64" => {
            number.is_i64()
                || (number.is_f64() && within(-9.223_372_036_854_776e18, 9.223_372_036_854_774e18))
        }
        _ => true,
    }
}
