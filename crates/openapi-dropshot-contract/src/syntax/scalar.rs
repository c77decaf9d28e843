//! Resolves plain (unquoted) YAML scalars by the core schema of YAML 1.2 (section
//! 10.3.2), as far as JSON can express it.

use crate::model::NodeKind;
use serde_json::Number;

/// Resolves a plain scalar; the error is the message for a value that JSON lacks.
pub(super) fn resolve(text: &str) -> Result<NodeKind, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(NodeKind::Null),
        "true" | "True" | "TRUE" => return Ok(NodeKind::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(NodeKind::Bool(false)),
        _ => {}
    }
    if is_infinite_or_nan(text) {
        return Err(format!("`{text}` is not a JSON number"));
    }
    if let Some(parsed) = radix(text) {
        return parsed.map(|number| NodeKind::Number(number.into()));
    }
    if !is_decimal(text) {
        return Ok(NodeKind::String(text.to_owned()));
    }
    number(text)
        .map(NodeKind::Number)
        .ok_or_else(|| format!("the number `{text}` is too large"))
}

/// `0o17` and `0x1F`.
fn radix(text: &str) -> Option<Result<u64, String>> {
    let (digits, radix) = match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
        (Some(digits), _) => (digits, 8),
        (_, Some(digits)) => (digits, 16),
        _ => return None,
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    Some(
        u64::from_str_radix(digits, radix).map_err(|_| format!("the number `{text}` is too large")),
    )
}

fn is_infinite_or_nan(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    mantissa_fits && exponent_fits
}

/// Reads a decimal number of the core schema, which may have a leading `+`,
/// leading zeros, or nothing on one side of its point: JSON allows none of these.
fn number(text: &str) -> Option<Number> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if mantissa.contains('.') && !fraction.is_empty() {
        "."
    } else {
        ""
    };
    serde_json::from_str(&format!("{sign}{whole}{point}{fraction}{exponent}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> String {
        match resolve(text) {
            Ok(NodeKind::Null) => "null".to_owned(),
            Ok(NodeKind::Bool(value)) => value.to_string(),
            Ok(NodeKind::Number(number)) => number.to_string(),
            Ok(NodeKind::String(text)) => format!("'{text}'"),
            Ok(other) => format!("{other:?}"),
            Err(message) => message,
        }
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for (text, expected) in [
            ("", "null"),
            ("~", "null"),
            ("True", "true"),
            ("no", "'no'"),
            ("on", "'on'"),
            ("20", "20"),
            ("007", "7"),
            ("+5", "5"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0xZZ", "'0xZZ'"),
            ("1.5", "1.5"),
            (".5", "0.5"),
            ("1.", "1"),
            ("1e3", "1000.0"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"),
            ("2026-11-20", "'2026-11-20'"),
            ("1.0.0", "'1.0.0'"),
            ("4XX", "'4XX'"),
            ("1_000", "'1_000'"),
            ("-", "'-'"),
            (".", "'.'"),
            ("e5", "'e5'"),
            (".nan", "`.nan` is not a JSON number"),
            ("-.inf", "`-.inf` is not a JSON number"),
            ("1e999", "the number `1e999` is too large"),
        ] {
            assert_eq!(resolved(text), expected, "of {text:?}");
        }
    }
}
