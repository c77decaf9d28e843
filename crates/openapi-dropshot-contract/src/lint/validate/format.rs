//! The formats whose values can be checked: those of OpenAPI 3.0 and the
//! common ones of JSON Schema. Any other format allows every value.

use chrono::{DateTime, NaiveDate};
use serde_json::Number;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text is of a format.
pub(super) fn fits(format: &str, text: &str) -> bool {
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
pub(super) fn number_fits(format: &str, number: &Number) -> bool {
    // `1.0` is an integer as good as `1`.
    let within =
        |lowest: f64, highest: f64| number.as_f64().is_some_and(|n| n >= lowest && n <= highest);
    match format {
        "int32" => within(f64::from(i32::MIN), f64::from(i32::MAX)),
        // The largest double that is below 2^63, which itself is too large.
        "int64" => {
            number.is_i64()
                || (number.is_f64() && within(-9.223_372_036_854_776e18, 9.223_372_036_854_774e18))
        }
        _ => true,
    }
}
