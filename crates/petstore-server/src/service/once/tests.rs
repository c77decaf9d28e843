//! Tests which values of the header `Idempotency-Key` are accepted, and which key each value means.

use super::*;
use petstore_models::IdempotencyKey as Header;

fn key(value: &str) -> Option<String> {
    let header: Header = value.parse().ok()?;
    let key =
        IdempotencyKey::from_header(header.as_str()).expect("the contract accepts no other value");
    Some(key.as_str().to_owned())
}

#[test]
fn quotes_around_an_idempotency_key_are_removed() {
    for (value, expected) in [
        ("a1", "a1"),
        ("\"a1\"", "a1"),
        ("\"a b\"", "a b"),
        (r#""a\"b\\c""#, r#"a"b\c"#),
        (r#"a"b\c"#, r#"a"b\c"#),
        ("'a,b;c=1'", "'a,b;c=1'"),
        ("~", "~"),
    ] {
        assert_eq!(key(value).as_deref(), Some(expected), "{value}");
    }
}

#[test]
fn quoted_and_unquoted_idempotency_keys_have_at_most_255_characters() {
    let longest = "x".repeat(255);
    let escaped = "\\\"".repeat(255);
    assert_eq!(key(&longest), Some(longest.clone()));
    assert_eq!(key(&format!("\"{longest}\"")), Some(longest.clone()));
    assert_eq!(key(&format!("\"{escaped}\"")), Some("\"".repeat(255)));
    assert_eq!(key(&format!("{longest}x")), None);
    assert_eq!(key(&format!("\"{longest}x\"")), None);
}

#[test]
fn idempotency_keys_outside_of_the_contract_are_rejected() {
    for value in [
        "",
        "\"\"",
        "\"",
        "\"a",
        "\"a\"b",
        "\"a\";p=1",
        "\"a\", \"b\"",
        "a b",
        "a, b",
        " a",
        "a ",
        "\u{7f}",
        "é",
        "\"é\"",
        "a\tb",
        "\"a\tb\"",
        r#""a\b""#,
        r#""a\"#,
        "a\n",
    ] {
        assert_eq!(key(value), None, "{value:?}");
    }
}
