//! Tests that plain scalars follow the core schema of YAML.

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
