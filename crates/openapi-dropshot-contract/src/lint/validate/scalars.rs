//! Keywords that judge a number, a count or a type: what needs no more of the
//! document than the schema itself.

use super::{Fault, fault, format};
use crate::model::{Node, NodeKind, Schema, Spanned, Type, compare_numbers};
use serde_json::Number;
use std::cmp::Ordering;

/// Bounds, multiples and formats of a number.
pub(super) fn numbers(schema: &Schema, value: &Node, number: &Number, faults: &mut Vec<Fault>) {
    let mut bound = |bound: &Spanned<Number>, wrong: Ordering, exclusive: bool, words: &str| {
        let order = compare_numbers(number, &bound.value);
        if order == Some(wrong) || (exclusive && order == Some(Ordering::Equal)) {
            let message = format!("{number} is {words} {}", bound.value);
            faults.push(fault(
                value,
                &bound.at,
                message,
                "write a number within the bounds",
            ));
        }
    };
    if let Some(minimum) = &schema.minimum {
        let words = if schema.exclusive_minimum {
            "not greater than the exclusive minimum"
        } else {
            "less than the minimum"
        };
        bound(minimum, Ordering::Less, schema.exclusive_minimum, words);
    }
    if let Some(maximum) = &schema.maximum {
        let words = if schema.exclusive_maximum {
            "not less than the exclusive maximum"
        } else {
            "greater than the maximum"
        };
        bound(maximum, Ordering::Greater, schema.exclusive_maximum, words);
    }
    if let Some(multiple) = &schema.multiple_of
        && !is_multiple(number, &multiple.value)
    {
        let message = format!("{number} is no multiple of {}", multiple.value);
        faults.push(fault(value, &multiple.at, message, "write a multiple"));
    }
    if let Some(format) = &schema.format
        && !format::number_fits(&format.value, number)
    {
        let message = format!("{number} does not fit `{}`", format.value);
        faults.push(fault(
            value,
            &format.at,
            message,
            "write a number that fits, or a wider format",
        ));
    }
}

fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (number.as_i64(), divisor.as_i64()) {
        return divisor == 0 || number.checked_rem(divisor).is_none_or(|rest| rest == 0);
    }
    match (number.as_f64(), divisor.as_f64()) {
        (Some(number), Some(divisor)) if divisor != 0.0 => {
            // Decimal fractions are not exact in binary: 0.3 is a multiple of 0.1.
            let quotient = number / divisor;
            (quotient - quotient.round()).abs() <= quotient.abs().max(1.0) * 1e-9
        }
        _ => true,
    }
}

/// Bounds of how many characters, elements or properties a value has.
pub(super) fn counts(
    length: u64,
    name: &str,
    minimum: Option<&Spanned<u64>>,
    maximum: Option<&Spanned<u64>>,
    value: &Node,
    faults: &mut Vec<Fault>,
) {
    if let Some(minimum) = minimum.filter(|minimum| length < minimum.value) {
        let message = format!("it has {length} {name}, fewer than {}", minimum.value);
        faults.push(fault(
            value,
            &minimum.at,
            message,
            "write more, or lower the bound",
        ));
    }
    if let Some(maximum) = maximum.filter(|maximum| length > maximum.value) {
        let message = format!("it has {length} {name}, more than {}", maximum.value);
        faults.push(fault(
            value,
            &maximum.at,
            message,
            "write fewer, or raise the bound",
        ));
    }
}

/// Whether a value is of a type; `1.0` is an integer.
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
pub(super) fn article(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "a boolean",
        Type::Integer => "an integer",
        Type::Number => "a number",
        Type::String => "a string",
        Type::Array => "an array",
        Type::Object => "an object",
    }
}
